//! What every operator that produces documents does with them: filter, then projections.

use persea_planner::plan;

use super::{Live, filter_rows};
use crate::Error;
use crate::batch::{Batch, Register};
use crate::expression::{Compiled, Compiler, Path, follow};
use crate::runtime::Runtime;

/// Filter and projections of a document.
pub(crate) struct DocumentOutput<'q> {
    /// The register of the document.
    pub(crate) out: Register,
    /// Whether later operators read the whole document.
    pub(crate) produces_document: bool,
    pub(crate) projections: Vec<(Path<'q>, Register)>,
    pub(crate) filter: Option<Compiled<'q>>,
}

fn path(path: &plan::AttributePath) -> Path<'_> {
    path.iter().map(|name| &**name).collect()
}

impl<'q> DocumentOutput<'q> {
    pub(crate) fn compile(output: &'q plan::DocumentOutput, compiler: Compiler<'q>) -> Self {
        DocumentOutput {
            out: output.out.index(),
            produces_document: output.produces_document,
            projections: output
                .projections
                .iter()
                .map(|projection| (path(&projection.path), projection.out.index()))
                .collect(),
            filter: output.filter.as_ref().map(|filter| compiler.compile(filter)),
        }
    }

    /// Whether the contents of documents matter at all.
    pub(crate) fn reads_documents(&self) -> bool {
        self.produces_document || !self.projections.is_empty() || self.filter.is_some()
    }

    /// Filters and projects the rows of a batch whose documents are in their register.
    pub(crate) fn finish(
        &self,
        batch: &mut Batch<'q>,
        live: &Live,
        runtime: &'q Runtime,
    ) -> Result<(), Error> {
        if let Some(filter) = &self.filter {
            let dropped = filter_rows(batch, filter, runtime)?;
            runtime.counters.filtered.add(dropped);
        }
        if !batch.is_empty() {
            self.project(batch)?;
            batch.keep_columns(live);
        }
        Ok(())
    }

    fn project(&self, batch: &mut Batch<'q>) -> Result<(), Error> {
        for (path, register) in &self.projections {
            batch.fill(*register, |scope, column| {
                let documents = scope.batch().column(self.out);
                match &**path {
                    [name] => column.extend(documents.iter().map(|document| document.attribute(name))),
                    path => column.extend(documents.iter().map(|document| follow(*document, path))),
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// A random document of a collection stands between its first and its last local id; there may be gaps.
pub(crate) fn random_between(runtime: &Runtime, first: u64, last: u64) -> u64 {
    use rand::Rng;
    runtime.env.with_rng(|rng| rng.random_range(first..=last))
}
