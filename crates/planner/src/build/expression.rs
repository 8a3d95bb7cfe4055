//! Expressions: names are resolved, operators translated, constants folded, subqueries moved in front.

use std::sync::Arc;

use persea_aql::ast::{self, ExprKind};

use super::{Builder, DEPTH_MAX};
use crate::error::Error;
use crate::fold;
use crate::plan::{
    AccessMode, ArrayQuantifier, BinaryOperator, Expr, ObjectKey, ObjectMember, Quantifier, VarId,
};
use crate::value;

impl Builder<'_> {
    /// The variable that holds the value of an expression; a plain variable is used as it is.
    pub(super) fn operand(&mut self, source: &ast::Expr) -> Result<VarId, Error> {
        if let ExprKind::Name(name) = &source.kind
            && let Some(var) = self.visible(name)
            && !self.currents.contains(&var)
        {
            return Ok(var);
        }
        let expr = self.expression(source)?;
        self.materialize(expr)
    }

    /// Translates an expression; subqueries in it become nodes in front.
    pub(super) fn expression(&mut self, source: &ast::Expr) -> Result<Expr, Error> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(Error::TooMuchNesting);
        }
        let expr = self.expression_kind(&source.kind)?;
        self.depth -= 1;
        self.fold(expr)
    }

    fn fold(&mut self, expr: Expr) -> Result<Expr, Error> {
        fold::fold(expr, self.environment.functions, self.environment.evaluator, self.warnings)
    }

    fn expression_kind(&mut self, kind: &ExprKind) -> Result<Expr, Error> {
        match kind {
            ExprKind::Null => Ok(value::null()),
            ExprKind::Bool(truth) => Ok(value::bool(*truth)),
            ExprKind::Int(number) => Ok(value::int(*number)),
            ExprKind::Double(number) => Ok(value::double(*number)),
            ExprKind::String(text) => Ok(value::string(text)),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Parameter(name) => self.bind_constant(name),
            ExprKind::DataSourceParameter(name) => {
                let collection = self.bind_name(name)?;
                self.collection_as_value(&collection)
            }
            ExprKind::Element => self
                .elements
                .last()
                .cloned()
                .ok_or_else(|| Error::Structure("array element outside of an expansion".into())),
            ExprKind::Unary { operator, operand } => {
                Ok(Expr::Unary(*operator, Box::new(self.expression(operand)?)))
            }
            ExprKind::Binary { operator, left, right } => self.binary(*operator, left, right),
            ExprKind::ArrayComparison { quantifier, operator, left, right } => Ok(Expr::ArrayCompare {
                left: Box::new(self.expression(left)?),
                right: Box::new(self.expression(right)?),
                op: *operator,
                quantifier: self.quantifier(quantifier)?,
            }),
            ExprKind::Ternary { condition, then, otherwise } => {
                self.ternary(condition, then.as_deref(), otherwise)
            }
            ExprKind::Range { low, high } => {
                Ok(Expr::Range(Box::new(self.expression(low)?), Box::new(self.expression(high)?)))
            }
            ExprKind::Array(members) => members
                .iter()
                .map(|member| self.expression(member))
                .collect::<Result<_, _>>()
                .map(Expr::Array),
            ExprKind::Object(members) => members
                .iter()
                .map(|member| self.object_member(member))
                .collect::<Result<_, _>>()
                .map(Expr::Object),
            ExprKind::Call { name, arguments } => self.call(name, arguments),
            ExprKind::Attribute { base, name } => {
                Ok(Expr::Attribute(Box::new(self.expression(base)?), Arc::from(name.as_str())))
            }
            ExprKind::BoundAttribute { base, parameter } => {
                let path = self.bind_path(parameter)?;
                let base = self.expression(base)?;
                Ok(path.into_iter().fold(base, |base, name| Expr::Attribute(Box::new(base), name)))
            }
            ExprKind::Index { base, index } => self.index(base, index),
            ExprKind::Expansion(expansion) => self.expansion(expansion),
            ExprKind::QuestionMark { source, marks, quantifier, filter } => {
                self.question_mark(source, *marks, quantifier.as_ref(), filter.as_deref())
            }
            ExprKind::Subquery(block) => {
                let out = self.new_variable(None);
                self.subquery_into(block, out)?;
                Ok(Expr::Var(out))
            }
        }
    }

    /// The variable a name means here, pseudo-variables included.
    pub(super) fn visible(&self, name: &str) -> Option<VarId> {
        self.scopes.find(name).or_else(|| match name {
            "CURRENT" | "$CURRENT" => self.currents.last().copied(),
            "OLD" | "$OLD" => self.levels.iter().rev().find_map(|level| level.old),
            "NEW" | "$NEW" => self.levels.iter().rev().find_map(|level| level.new),
            _ => None,
        })
    }

    fn name(&mut self, name: &str) -> Result<Expr, Error> {
        if let Some(var) = self.visible(name) {
            return Ok(self.constant_of(var).map_or(Expr::Var(var), Expr::Const));
        }
        if matches!(name, "OLD" | "NEW" | "CURRENT") || self.hidden.iter().any(|hidden| hidden == name) {
            return Err(Error::VariableUnknown(name.to_owned()));
        }
        self.collection_as_value(name)
    }

    fn collection_as_value(&mut self, name: &str) -> Result<Expr, Error> {
        self.collection(name, AccessMode::Read)?;
        Err(Error::CollectionInExpression(name.to_owned()))
    }

    fn binary(&mut self, op: BinaryOperator, left: &ast::Expr, right: &ast::Expr) -> Result<Expr, Error> {
        let mut left = self.expression(left)?;
        if matches!(op, BinaryOperator::And | BinaryOperator::Or) && right.contains_subquery() {
            let decider = self.decider(left)?;
            left = decider.clone();
            let guard = if op == BinaryOperator::And { decider } else { Expr::negation(decider) };
            let right = self.guarded(guard, |builder| builder.expression(right))?;
            return Ok(Expr::binary(op, left, right));
        }
        let right = self.expression(right)?;
        Ok(Expr::binary(op, left, right))
    }

    fn ternary(
        &mut self,
        condition: &ast::Expr,
        then: Option<&ast::Expr>,
        otherwise: &ast::Expr,
    ) -> Result<Expr, Error> {
        let mut condition = self.expression(condition)?;
        let guarded = then.is_some_and(ast::Expr::contains_subquery) || otherwise.contains_subquery();
        if guarded {
            condition = self.decider(condition)?;
        }
        let then = match then {
            Some(then) if guarded => {
                Some(self.guarded(condition.clone(), |builder| builder.expression(then))?)
            }
            Some(then) => Some(self.expression(then)?),
            None => None,
        };
        let otherwise = if guarded {
            self.guarded(Expr::negation(condition.clone()), |builder| builder.expression(otherwise))?
        } else {
            self.expression(otherwise)?
        };
        Ok(Expr::Ternary {
            condition: Box::new(condition),
            then: then.map(Box::new),
            otherwise: Box::new(otherwise),
        })
    }

    /// Puts a condition that decides over subqueries into a variable, so that it is computed once.
    fn decider(&mut self, condition: Expr) -> Result<Expr, Error> {
        if matches!(condition, Expr::Const(_)) {
            return Ok(condition);
        }
        let condition = match self.guard() {
            Some(guard) => Expr::Ternary {
                condition: Box::new(guard),
                then: Some(Box::new(condition)),
                otherwise: Box::new(value::null()),
            },
            None => condition,
        };
        self.materialize(condition).map(Expr::Var)
    }

    fn guarded<T>(
        &mut self,
        guard: Expr,
        build: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.guards.push(guard);
        let built = build(self);
        self.guards.pop();
        built
    }

    /// The condition under which the operand under construction is needed.
    pub(super) fn guard(&self) -> Option<Expr> {
        Expr::join(BinaryOperator::And, self.guards.iter().cloned())
    }

    fn quantifier(&mut self, quantifier: &ast::Quantifier) -> Result<Quantifier, Error> {
        Ok(match quantifier {
            ast::Quantifier::All => Quantifier::All,
            ast::Quantifier::Any => Quantifier::Any,
            ast::Quantifier::None => Quantifier::None,
            ast::Quantifier::AtLeast(count) | ast::Quantifier::Exactly(count) => {
                Quantifier::AtLeast(Box::new(self.expression(count)?))
            }
        })
    }

    fn object_member(&mut self, member: &ast::ObjectMember) -> Result<ObjectMember, Error> {
        let key = match &member.key {
            ast::ObjectKey::Name(name) => ObjectKey::Name(Arc::from(name.text.as_str())),
            ast::ObjectKey::Shorthand(name) => {
                if self.visible(&name.text).is_none() {
                    return Err(Error::VariableUnknown(name.text.clone()));
                }
                ObjectKey::Name(Arc::from(name.text.as_str()))
            }
            ast::ObjectKey::Parameter(name) => {
                let expr = self.bind_constant(&name.text)?;
                match expr.as_const_str() {
                    Some(text) => ObjectKey::Name(Arc::from(text)),
                    None => return Err(Error::BindParameterType(name.text.clone())),
                }
            }
            ast::ObjectKey::Computed(key) => {
                let key = self.expression(key)?;
                match key.as_const_str() {
                    Some(text) => ObjectKey::Name(Arc::from(text)),
                    None => ObjectKey::Computed(key),
                }
            }
        };
        Ok(ObjectMember { key, value: self.expression(&member.value)? })
    }

    fn index(&mut self, base: &ast::Expr, index: &ast::Expr) -> Result<Expr, Error> {
        let base = self.expression(base)?;
        let index = self.expression(index)?;
        // A numeric string addresses an array position, so only other names are plain attributes.
        match index.as_const_str() {
            Some(name) if name.trim().parse::<f64>().is_err() => {
                Ok(Expr::Attribute(Box::new(base), Arc::from(name)))
            }
            _ => Ok(Expr::Index(Box::new(base), Box::new(index))),
        }
    }

    fn expansion(&mut self, expansion: &ast::Expansion) -> Result<Expr, Error> {
        let source = Box::new(self.expression(&expansion.source)?);
        let current = self.new_variable(Some("CURRENT"));
        self.currents.push(current);
        let filter = expansion.filter.as_ref().map(|filter| self.expression(filter)).transpose()?;
        let projection = expansion.projection.as_ref().map(|value| self.expression(value)).transpose()?;
        self.currents.pop();
        let limit = match &expansion.limit {
            Some(limit) => {
                let offset = match &limit.offset {
                    Some(offset) => self.expression(offset)?,
                    None => value::int(0),
                };
                Some(Box::new((offset, self.expression(&limit.count)?)))
            }
            None => None,
        };
        let has_projection = projection.is_some();
        self.elements.push(projection.unwrap_or(Expr::Var(current)));
        let element = self.expression(&expansion.element);
        self.elements.pop();
        let element = element?;
        let is_identity = !has_projection && matches!(element, Expr::Var(var) if var == current);
        Ok(Expr::Expansion {
            source,
            flatten: expansion.stars.saturating_sub(1),
            current,
            filter: filter.map(Box::new),
            limit,
            map: (!is_identity).then(|| Box::new(element)),
        })
    }

    fn question_mark(
        &mut self,
        source: &ast::Expr,
        marks: u32,
        quantifier: Option<&ast::Quantifier>,
        filter: Option<&ast::Expr>,
    ) -> Result<Expr, Error> {
        let source = Box::new(self.expression(source)?);
        let quantifier = match quantifier {
            None | Some(ast::Quantifier::Any) => ArrayQuantifier::Any,
            Some(ast::Quantifier::All) => ArrayQuantifier::All,
            Some(ast::Quantifier::None) => ArrayQuantifier::None,
            Some(ast::Quantifier::AtLeast(count)) => {
                ArrayQuantifier::AtLeast(Box::new(self.expression(count)?))
            }
            Some(ast::Quantifier::Exactly(count)) => match self.expression(count)? {
                Expr::Range(low, high) => ArrayQuantifier::Between(low, high),
                count => ArrayQuantifier::Count(Box::new(count)),
            },
        };
        let current = self.new_variable(Some("CURRENT"));
        self.currents.push(current);
        let filter = filter.map(|filter| self.expression(filter)).transpose();
        self.currents.pop();
        Ok(Expr::QuestionMark {
            source,
            flatten: marks.saturating_sub(1),
            quantifier,
            current,
            filter: filter?.map(Box::new),
        })
    }

    fn call(&mut self, name: &str, arguments: &[ast::Expr]) -> Result<Expr, Error> {
        let upper = name.to_ascii_uppercase();
        let plain = upper.strip_prefix("AQL::").unwrap_or(&upper);
        if plain.contains("::") {
            return self.user_call(plain, arguments);
        }
        if matches!(plain, "LENGTH" | "COUNT")
            && let [only] = arguments
            && let Some(collection) = self.collection_argument(only)?
        {
            return self.count_collection(&collection);
        }
        let Some(meta) = self.environment.functions.lookup(plain) else {
            return Err(Error::FunctionUnknown(name.to_owned()));
        };
        if arguments.len() < meta.min_args || meta.max_args.is_some_and(|max| arguments.len() > max) {
            return Err(Error::ArgumentCount {
                name: meta.name.to_string(),
                min: meta.min_args,
                max: meta.max_args.unwrap_or(1000),
            });
        }
        let mut args = Vec::with_capacity(arguments.len());
        for (position, argument) in arguments.iter().enumerate() {
            let takes_collection = position < 64 && meta.collection_args & (1 << position) != 0;
            let collection = if takes_collection { self.collection_argument(argument)? } else { None };
            args.push(match collection {
                Some(collection) => value::string(&collection),
                None => self.expression(argument)?,
            });
        }
        Ok(Expr::Call { function: meta.name, args })
    }

    fn user_call(&mut self, name: &str, arguments: &[ast::Expr]) -> Result<Expr, Error> {
        if !self.environment.functions.user_function(name) {
            return Err(Error::UserFunctionNotFound(name.to_owned()));
        }
        let args = arguments.iter().map(|argument| self.expression(argument)).collect::<Result<_, _>>()?;
        Ok(Expr::UserCall { function: Arc::from(name), args })
    }

    /// The collection an argument names, if it does and no variable has that name.
    fn collection_argument(&mut self, argument: &ast::Expr) -> Result<Option<String>, Error> {
        let name = match &argument.kind {
            ExprKind::Name(name) if self.visible(name).is_none() => name.clone(),
            ExprKind::DataSourceParameter(parameter) => self.bind_name(parameter)?,
            _ => return Ok(None),
        };
        let meta = self.collection(&name, AccessMode::Read)?;
        self.check_unmodified(&(&*meta).into())?;
        Ok(Some(meta.name.to_string()))
    }

    fn count_collection(&mut self, collection: &str) -> Result<Expr, Error> {
        let Some(meta) = self.environment.functions.lookup("COLLECTION_COUNT") else {
            return Err(Error::FunctionUnknown("COLLECTION_COUNT".into()));
        };
        Ok(Expr::Call { function: meta.name, args: vec![value::string(collection)] })
    }
}
