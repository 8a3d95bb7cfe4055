//! Syntax tree to plan: names become variables and collections, statements become nodes in the order written.
//!
//! Nothing is optimized here except constants, which are computed at once; the result is the plan a reader of the
//! query would write down.

mod bind;
mod collect;
mod expression;
mod for_loop;
mod graph;
mod modify;
mod options;
mod scope;
mod statement;
mod subquery;
mod upsert;
mod window;

use std::sync::Arc;

use persea_aql::Query;
use persea_vpack::{Slice, VPackBuf};

use crate::catalog::{Catalog, CollectionMeta, ConstantEvaluator, FunctionCatalog};
use crate::error::Error;
use crate::options::PlanOptions;
use crate::plan::{
    AccessMode, CalculationNode, CollectionRef, CollectionUse, Expr, Node, NodeId, NodeKind, Pipeline, Plan,
    VarId, Variable,
};
use crate::warnings::Warnings;

use scope::Scopes;

/// Deepest nesting of expressions.
const DEPTH_MAX: usize = 500;
/// Most nodes of an unoptimized plan.
const NODES_MAX: u32 = 4000;

/// What planning works with, beside the query.
#[derive(Clone, Copy)]
pub(crate) struct Environment<'a> {
    pub(crate) catalog: &'a dyn Catalog,
    pub(crate) functions: &'a dyn FunctionCatalog,
    pub(crate) evaluator: &'a dyn ConstantEvaluator,
    pub(crate) options: &'a PlanOptions,
}

/// Builds the unoptimized plan of a query.
pub(crate) fn build(
    query: &Query,
    binds: Slice<'_>,
    environment: Environment<'_>,
    warnings: &mut Warnings,
) -> Result<Plan, Error> {
    bind::check(query, binds)?;
    let mut builder = Builder::new(binds, environment, warnings);
    builder.query(query)?;
    Ok(builder.finish())
}

/// A query level under construction: the main query or a subquery.
struct Level {
    nodes: Vec<Node>,
    old: Option<VarId>,
    new: Option<VarId>,
}

struct Builder<'a> {
    binds: Slice<'a>,
    environment: Environment<'a>,
    warnings: &'a mut Warnings,
    variables: Vec<Variable>,
    next_node: u32,
    collections: Vec<CollectionUse>,
    levels: Vec<Level>,
    scopes: Scopes,
    /// CURRENT variables of the expansions being built, innermost last.
    currents: Vec<VarId>,
    /// What the element placeholders of the expansions being built stand for.
    elements: Vec<Expr>,
    /// Conditions under which the operand being built is needed at all.
    guards: Vec<Expr>,
    /// Names a COLLECT under construction will introduce, not visible inside itself.
    hidden: Vec<String>,
    /// Collections modified so far.
    modified: Vec<u64>,
    cacheable: bool,
    depth: usize,
    with: Vec<CollectionRef>,
}

impl<'a> Builder<'a> {
    fn new(binds: Slice<'a>, environment: Environment<'a>, warnings: &'a mut Warnings) -> Self {
        Self {
            binds,
            environment,
            warnings,
            variables: Vec::new(),
            next_node: 1,
            collections: Vec::new(),
            levels: Vec::new(),
            scopes: Scopes::default(),
            currents: Vec::new(),
            elements: Vec::new(),
            guards: Vec::new(),
            hidden: Vec::new(),
            modified: Vec::new(),
            cacheable: true,
            depth: 0,
            with: Vec::new(),
        }
    }

    fn query(&mut self, query: &Query) -> Result<(), Error> {
        for source in &query.root.with {
            let collection = self.data_source(source, AccessMode::Read)?;
            self.with.push(collection);
        }
        self.scopes.open_query();
        self.open_level()?;
        self.block(&query.root.body)
    }

    fn finish(mut self) -> Plan {
        let root = Pipeline { nodes: self.levels.pop().map(|level| level.nodes).unwrap_or_default() };
        Plan {
            database: Arc::from(self.environment.catalog.database()),
            root,
            variables: self.variables,
            is_modification: self.collections.iter().any(|used| used.mode != AccessMode::Read),
            collections: self.collections,
            rules: Vec::new(),
            cacheable: self.cacheable,
            spliced: false,
            next_node: self.next_node,
        }
    }

    fn open_level(&mut self) -> Result<(), Error> {
        self.levels.push(Level { nodes: Vec::new(), old: None, new: None });
        self.push(NodeKind::Singleton)
    }

    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level { nodes: Vec::new(), old: None, new: None });
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn push(&mut self, kind: NodeKind) -> Result<(), Error> {
        let id = NodeId(self.next_node);
        if self.next_node > NODES_MAX {
            return Err(Error::TooMuchNesting);
        }
        self.next_node += 1;
        self.level().nodes.push(Node {
            id,
            kind,
            estimated_cost: 0.0,
            estimated_items: 0.0,
            live_after: Vec::new(),
        });
        Ok(())
    }

    fn new_variable(&mut self, name: Option<&str>) -> VarId {
        let id = VarId(u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
        let name = name.map_or_else(|| Arc::from(id.0.to_string()), Arc::from);
        self.variables.push(Variable {
            id,
            name,
            from_collection: false,
            full_document: false,
            constant: None,
            sorted_unique_list: false,
        });
        id
    }

    fn variable_mut(&mut self, var: VarId) -> Option<&mut Variable> {
        self.variables.get_mut(var.index())
    }

    fn mark_document(&mut self, var: VarId, full: bool) {
        if let Some(variable) = self.variable_mut(var) {
            variable.from_collection = true;
            variable.full_document = full;
        }
    }

    fn constant_of(&self, var: VarId) -> Option<Arc<VPackBuf>> {
        self.variables.get(var.index()).and_then(|variable| variable.constant.clone())
    }

    /// Emits a Calculation of `expr` into `out`.
    fn calculate_into(&mut self, expr: Expr, out: VarId) -> Result<(), Error> {
        if let (Expr::Const(value), Some(variable)) = (&expr, self.variables.get_mut(out.index())) {
            variable.constant = Some(Arc::clone(value));
        }
        let purity = expr.purity(self.environment.functions);
        self.cacheable &= purity.cacheable && purity.deterministic;
        if purity.accesses_documents && !self.modified.is_empty() {
            return Err(Error::AccessAfterModification("DOCUMENT".into()));
        }
        self.push(NodeKind::Calculation(CalculationNode { expr, out }))
    }

    /// The variable that holds `expr`: the one it names, or a new temporary.
    fn materialize(&mut self, expr: Expr) -> Result<VarId, Error> {
        if let Expr::Var(var) = expr
            && !self.currents.contains(&var)
        {
            return Ok(var);
        }
        let out = self.new_variable(None);
        self.calculate_into(expr, out)?;
        Ok(out)
    }

    /// Looks a collection up and notes that it is used.
    fn collection(&mut self, name: &str, mode: AccessMode) -> Result<Arc<CollectionMeta>, Error> {
        let Some(meta) = self.environment.catalog.collection(name) else {
            if self.environment.catalog.is_view(name) {
                return Err(Error::NotImplemented(format!("views ('{name}')")));
            }
            return Err(Error::CollectionNotFound(name.to_owned()));
        };
        self.note_use(&meta, mode)?;
        Ok(meta)
    }

    fn note_use(&mut self, meta: &Arc<CollectionMeta>, mode: AccessMode) -> Result<(), Error> {
        let is_full = self.collections.len() >= self.environment.options.max_collections;
        match self.collections.iter_mut().find(|used| used.collection.id == meta.id) {
            Some(used) => used.mode = used.mode.max(mode),
            None if is_full => return Err(Error::TooManyCollections),
            None => self.collections.push(CollectionUse {
                collection: CollectionRef::from(&**meta),
                mode,
                meta: Arc::clone(meta),
            }),
        }
        Ok(())
    }

    /// Fails if the collection was modified earlier in the query.
    fn check_unmodified(&self, collection: &CollectionRef) -> Result<(), Error> {
        if self.modified.contains(&collection.id) {
            return Err(Error::AccessAfterModification(collection.name.to_string()));
        }
        Ok(())
    }
}

impl From<&CollectionMeta> for CollectionRef {
    fn from(meta: &CollectionMeta) -> Self {
        Self { id: meta.id, name: Arc::clone(&meta.name), is_edge: meta.is_edge }
    }
}
