//! The evaluator: columns in, one column out.

use bumpalo::Bump;
use persea_functions::{Context, DocumentAccess, Environment};
use persea_order::{Value, View};

use super::operand::{Operand, Rows};
use super::{Compiled, arithmetic};
use crate::Error;
use crate::batch::{Batch, Register, Scope};
use crate::runtime::Runtime;

/// Evaluates compiled expressions on the columns of one batch. Made anew for each batch, which costs nothing.
pub(crate) struct Evaluator<'s, 'q> {
    pub(super) batch: Option<&'s Batch<'q>>,
    pub(super) functions: Context<'s>,
    /// Whether constants are being folded at plan time, which words some warnings differently.
    pub(super) is_folding: bool,
}

/// Where registers are looked up: in the batch, or among the members of arrays that are being iterated over.
#[derive(Debug, Clone, Copy)]
pub(super) enum Frame<'f, 's> {
    /// The columns of the batch.
    Batch,
    /// One row for each member; other registers are those of the row the member's array came from.
    Members { outer: &'f Frame<'f, 's>, owners: &'f [u32], register: Register, values: &'f [Value<'s>] },
}

impl<'s, 'q> Evaluator<'s, 'q> {
    /// An evaluator that reads the columns of a batch and builds values in the scope's arena.
    pub(crate) fn new(batch: &'s Batch<'q>, scope: Scope<'s, 'q>, runtime: &'s Runtime) -> Self {
        Evaluator {
            batch: Some(batch),
            functions: Context::new(scope.arena(), &runtime.env, runtime)
                .with_memory_left(runtime.memory.left()),
            is_folding: false,
        }
    }

    /// An evaluator for expressions that read no columns.
    pub(super) fn for_constants(
        arena: &'s Bump,
        env: &'s Environment,
        documents: &'s dyn DocumentAccess,
    ) -> Self {
        Evaluator { batch: None, functions: Context::new(arena, env, documents), is_folding: true }
    }

    /// The query's environment.
    pub(super) fn arena(&self) -> &'s Bump {
        self.functions.arena
    }

    /// Appends the value of the expression for each of the rows.
    pub(crate) fn evaluate(
        &self,
        expr: &Compiled<'q>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error>
    where
        'q: 's,
    {
        self.evaluate_in(expr, &Frame::Batch, rows, out)
    }

    /// Removes the rows for which the expression is not truthy.
    pub(crate) fn select(&self, expr: &Compiled<'q>, rows: &mut Vec<u32>) -> Result<(), Error>
    where
        'q: 's,
    {
        self.select_in(expr, &Frame::Batch, rows)
    }

    /// The value of the expression for one row.
    pub(crate) fn evaluate_row(&self, expr: &Compiled<'q>, row: u32) -> Result<Value<'s>, Error>
    where
        'q: 's,
    {
        match expr {
            Compiled::Const(value) => Ok(*value),
            Compiled::Column(register) => {
                Ok(self.column(*register).get(row as usize).copied().unwrap_or(Value::NULL))
            }
            _ => {
                let mut out = Vec::with_capacity(1);
                self.evaluate_in(expr, &Frame::Batch, Rows::Some(&[row]), &mut out)?;
                Ok(out.first().copied().unwrap_or(Value::NULL))
            }
        }
    }

    fn column(&self, register: Register) -> &'s [Value<'s>] {
        self.batch.map_or(&[], |batch| batch.column(register))
    }

    pub(super) fn evaluate_in(
        &self,
        expr: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        match expr {
            Compiled::Const(value) => out.resize(out.len() + rows.len(), *value),
            Compiled::Column(register) => self.read(frame, *register, rows, out),
            Compiled::Path(register, path) => {
                self.for_each(frame, *register, rows, |value| out.push(follow(value, path)));
            }
            Compiled::Attribute(base, path) => {
                let base = self.operand(base, frame, rows)?;
                out.extend((0..rows.len()).map(|position| follow(base.get(position), path)));
            }
            Compiled::Index(base, index) => {
                let base = self.operand(base, frame, rows)?;
                let index = self.operand(index, frame, rows)?;
                out.extend((0..rows.len()).map(|position| member(base.get(position), index.get(position))));
            }
            Compiled::Plus(operand) => {
                let operand = self.operand(operand, frame, rows)?;
                out.extend((0..rows.len()).map(|position| persea_order::to_number(operand.get(position))));
            }
            Compiled::Minus(operand) => {
                let operand = self.operand(operand, frame, rows)?;
                out.extend((0..rows.len()).map(|position| arithmetic::negate(operand.get(position))));
            }
            Compiled::Not(operand) => {
                let operand = self.operand(operand, frame, rows)?;
                out.extend(
                    (0..rows.len()).map(|position| Value::from_bool(!operand.get(position).is_truthy())),
                );
            }
            Compiled::And(left, right) => self.and(left, right, frame, rows, out)?,
            Compiled::Or(left, right) => self.or(left, right, frame, rows, out)?,
            Compiled::Ternary { condition, then, otherwise } => {
                self.ternary(condition, then.as_deref(), otherwise, frame, rows, out)?;
            }
            Compiled::Arithmetic(op, left, right) => self.arithmetic(*op, left, right, frame, rows, out)?,
            Compiled::Compare(comparison, left, right) => {
                self.compare(*comparison, left, right, frame, rows, out)?;
            }
            Compiled::InSet { value, set, negated } => {
                let value = self.operand(value, frame, rows)?;
                out.extend(
                    (0..rows.len())
                        .map(|position| Value::from_bool(set.contains(value.get(position)) != *negated)),
                );
            }
            Compiled::In { value, list, negated } => {
                self.membership(value, list, *negated, frame, rows, out)?
            }
            Compiled::ArrayCompare { quantifier, test, left, right } => {
                self.array_compare(quantifier, *test, left, right, frame, rows, out)?;
            }
            Compiled::Range(from, to) => self.range(from, to, frame, rows, out)?,
            Compiled::Array(members) => self.array(members, frame, rows, out)?,
            Compiled::Object(members) => self.object(members, frame, rows, out)?,
            Compiled::Call(function, args) => self.call(function, args, frame, rows, out)?,
            Compiled::Expansion(expansion) => self.expansion(expansion, frame, rows, out)?,
            Compiled::QuestionMark(question) => self.question_mark(question, frame, rows, out)?,
            Compiled::Unsupported => {
                if rows.len() > 0 {
                    return Err(Error::NotImplemented("an expression of the plan".to_owned()));
                }
            }
            Compiled::UnknownFunction(name) => {
                if rows.len() > 0 {
                    return Err(persea_functions::Error::UserFunctionNotFound(name.to_string()).into());
                }
            }
        }
        Ok(())
    }

    /// The values of an expression, without copying where they lie in a column already.
    pub(super) fn operand<'f>(
        &self,
        expr: &Compiled<'q>,
        frame: &Frame<'f, 's>,
        rows: Rows<'_>,
    ) -> Result<Operand<'f, 's>, Error>
    where
        's: 'f,
    {
        match (expr, frame, rows) {
            (Compiled::Const(value), ..) => return Ok(Operand::One(*value)),
            (Compiled::Column(register), Frame::Batch, Rows::All(len)) => {
                if let Some(values) = self.column(*register).get(..len) {
                    return Ok(Operand::Borrowed(values));
                }
            }
            (Compiled::Column(register), Frame::Members { register: own, values, .. }, Rows::All(len))
                if register == own =>
            {
                if let Some(values) = values.get(..len) {
                    return Ok(Operand::Borrowed(values));
                }
            }
            _ => {}
        }
        let mut values = Vec::with_capacity(rows.len());
        self.evaluate_in(expr, frame, rows, &mut values)?;
        Ok(Operand::Owned(values))
    }

    /// Appends the values of a register.
    pub(super) fn read(
        &self,
        frame: &Frame<'_, 's>,
        register: Register,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) {
        if let (Frame::Batch, Rows::All(len)) = (frame, rows)
            && let Some(values) = self.column(register).get(..len)
        {
            out.extend_from_slice(values);
            return;
        }
        self.for_each(frame, register, rows, |value| out.push(value));
    }

    /// Visits the value of a register for each of the rows.
    #[inline]
    pub(super) fn for_each(
        &self,
        frame: &Frame<'_, 's>,
        register: Register,
        rows: Rows<'_>,
        mut visit: impl FnMut(Value<'s>),
    ) {
        match frame {
            Frame::Batch => {
                let values = self.column(register);
                match rows {
                    Rows::All(len) if len <= values.len() => {
                        values[..len].iter().for_each(|&value| visit(value))
                    }
                    rows => rows
                        .iter()
                        .for_each(|row| visit(values.get(row as usize).copied().unwrap_or(Value::NULL))),
                }
            }
            Frame::Members { register: own, values, .. } if register == *own => {
                rows.iter().for_each(|row| visit(values[row as usize]));
            }
            Frame::Members { .. } => {
                for row in rows.iter() {
                    visit(self.look_up(frame, register, row));
                }
            }
        }
    }

    /// The value of a register in one row of a frame.
    fn look_up(&self, frame: &Frame<'_, 's>, register: Register, row: u32) -> Value<'s> {
        let mut frame = frame;
        let mut row = row;
        loop {
            match frame {
                Frame::Batch => {
                    return self.column(register).get(row as usize).copied().unwrap_or(Value::NULL);
                }
                Frame::Members { register: own, values, .. } if register == *own => {
                    return values[row as usize];
                }
                Frame::Members { outer, owners, .. } => {
                    row = owners[row as usize];
                    frame = outer;
                }
            }
        }
    }
}

/// Follows an attribute path.
#[inline]
pub(crate) fn follow<'s>(value: Value<'s>, path: &[&str]) -> Value<'s> {
    path.iter().fold(value, |value, name| value.attribute(name))
}

/// `base[index]`: a position in an array (numbers cut to whole ones, strings of digits too), or the attribute of an
/// object that the index cast to a string names.
fn member<'s>(base: Value<'s>, index: Value<'s>) -> Value<'s> {
    match base.view() {
        View::Array(_) | View::Range(..) => match index.view() {
            View::Int(position) => base.element(position),
            View::Double(position) => base.element(position as i64),
            View::Str(text) if super::compile::is_position(text) => {
                text.parse().map_or(Value::NULL, |position| base.element(position))
            }
            _ => Value::NULL,
        },
        View::Object(_) => match index.view() {
            View::Str(name) => base.attribute(name),
            View::Int(_) | View::UInt(_) | View::Double(_) => {
                let mut name = String::new();
                persea_order::to_string_into(index, &mut name);
                base.attribute(&name)
            }
            _ => Value::NULL,
        },
        _ => Value::NULL,
    }
}
