//! Data modifications in explain JSON.

use super::Writer;
use crate::plan::{CollectionRef, ModificationOptions, OverwriteMode, VarId};

impl Writer<'_> {
    pub(super) fn modification(
        &mut self,
        collection: &CollectionRef,
        options: &ModificationOptions,
        out_old: Option<VarId>,
        out_new: Option<VarId>,
    ) {
        self.collection(collection);
        self.builder.key("indexes").open_array();
        if let Some(primary) = self.plan.collection(collection).and_then(|meta| meta.indexes.first()) {
            self.index_definition(primary);
        }
        self.builder.close();
        self.flag("countStats", true);
        self.flag("producesResults", out_old.is_some() || out_new.is_some());
        self.optional("outVariableOld", out_old);
        self.optional("outVariableNew", out_new);
        self.builder.key("modificationFlags").open_object();
        self.flag("waitForSync", options.wait_for_sync.unwrap_or(false));
        self.flag("validate", true);
        self.flag("keepNull", options.keep_null);
        self.flag("mergeObjects", options.merge_objects);
        self.flag("ignoreRevs", options.ignore_revs);
        self.flag("isRestore", false);
        if options.overwrite_mode != OverwriteMode::Conflict {
            self.text("overwriteMode", options.overwrite_mode.as_str());
        }
        self.flag("ignoreErrors", options.ignore_errors);
        self.flag("ignoreDocumentNotFound", options.ignore_document_not_found);
        self.flag("consultAqlWriteFilter", false);
        self.flag("exclusive", options.exclusive);
        self.flag("refillIndexCaches", options.refill_index_caches);
        if let Some(attribute) = &options.version_attribute {
            self.text("versionAttribute", attribute);
        }
        self.builder.close();
    }
}
