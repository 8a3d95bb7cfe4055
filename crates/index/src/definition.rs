//! An index definition: parsed from what users send, shown as what users expect.

use persea_vpack::{Builder, Slice, VPackBuf};

use crate::error::{Error, bad_parameter};
use crate::field_path::FieldPath;
use crate::kind::{IndexKind, TypeName};
use crate::name::{auto_name, check_name};

/// Most stored values that one index can have.
pub const STORED_VALUES_MAX: usize = 32;

/// Id of the primary index in every collection.
pub const PRIMARY_ID: u64 = 0;
/// Id of the edge index in every edge collection.
pub const EDGE_ID: u64 = 1;

/// What an index is.
///
/// ```
/// use persea_index::{IndexDefinition, IndexKind};
/// use persea_vpack::vpack;
///
/// let wish = vpack!({ "type": "persistent", "fields": ["name", "tags[*]"], "unique": true });
/// let definition = IndexDefinition::from_vpack(wish.as_slice()).unwrap().with_identity(4711);
/// assert_eq!(definition.kind, IndexKind::Persistent);
/// assert_eq!(definition.name, "idx_0000000000000004711");
/// let shown = definition.to_vpack("people", Some(1.0)).unwrap();
/// assert_eq!(shown.as_slice().get("id").unwrap().as_str(), Some("people/4711"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDefinition {
    /// Number of the index, unique in its database; 0 until one is given (and for the primary index).
    pub id: u64,
    /// Name, unique in its collection; empty until one is given.
    pub name: String,
    /// How it works.
    pub kind: IndexKind,
    /// The type name users see.
    pub type_name: TypeName,
    /// Indexed paths, in order of significance.
    pub fields: Vec<FieldPath>,
    /// At most one document for each key.
    pub unique: bool,
    /// Documents with a null in an indexed attribute have no entry.
    pub sparse: bool,
    /// A unique index takes equal array members of one document as one.
    pub deduplicate: bool,
    /// A selectivity estimate is kept.
    pub estimates: bool,
    /// Paths whose values lie beside the key.
    pub stored_values: Vec<FieldPath>,
    /// Whether users asked for a cache; shown, without effect.
    pub cache_enabled: bool,
    /// Whether users asked to build in the background; shown when set.
    pub in_background: bool,
}

impl IndexDefinition {
    /// The primary index.
    pub fn primary() -> IndexDefinition {
        let fields = vec![FieldPath::plain(&["_key"])];
        IndexDefinition { unique: true, ..Self::built_in(TypeName::Primary, PRIMARY_ID, fields) }
    }

    /// The edge index.
    pub fn edge() -> IndexDefinition {
        let fields = vec![FieldPath::plain(&["_from"]), FieldPath::plain(&["_to"])];
        Self::built_in(TypeName::Edge, EDGE_ID, fields)
    }

    fn built_in(type_name: TypeName, id: u64, fields: Vec<FieldPath>) -> IndexDefinition {
        IndexDefinition {
            id,
            name: type_name.as_str().to_owned(),
            kind: type_name.kind(),
            type_name,
            fields,
            unique: false,
            sparse: false,
            deduplicate: false,
            estimates: true,
            stored_values: Vec::new(),
            cache_enabled: false,
            in_background: false,
        }
    }

    /// The definition a user asks for. Unknown attributes are ignored, as are flags that are no booleans.
    ///
    /// `id` is read when there is one (a number, or `collection/number`); otherwise see
    /// [`IndexDefinition::with_identity`].
    ///
    /// # Errors
    ///
    /// [`Error::BadParameter`], [`Error::NotImplemented`] or [`Error::IllegalName`]; the primary and the edge index
    /// cannot be asked for.
    pub fn from_vpack(definition: Slice<'_>) -> Result<IndexDefinition, Error> {
        let type_name = read_type(definition)?;
        if type_name.kind() != IndexKind::Persistent {
            return Err(bad_parameter(format!("cannot create index of type '{}'", type_name.as_str())));
        }
        Self::read(definition, type_name)
    }

    /// A definition that [`IndexDefinition::to_vpack`] wrote, the primary and the edge index included.
    ///
    /// # Errors
    ///
    /// Those of [`IndexDefinition::from_vpack`].
    pub fn restore(definition: Slice<'_>) -> Result<IndexDefinition, Error> {
        match read_type(definition)? {
            TypeName::Primary => Ok(Self::primary()),
            TypeName::Edge => Ok(Self::edge()),
            type_name => Self::read(definition, type_name),
        }
    }

    fn read(definition: Slice<'_>, type_name: TypeName) -> Result<IndexDefinition, Error> {
        let flag =
            |name: &str, default: bool| definition.get(name).and_then(Slice::as_bool).unwrap_or(default);
        let fields = read_fields(definition)?;
        let stored_values = read_stored_values(definition, &fields)?;
        let name = match definition.get("name").filter(|name| !name.is_none() && !name.is_null()) {
            None => String::new(),
            Some(name) => {
                let name = name
                    .as_str()
                    .ok_or_else(|| Error::IllegalName("index name must be a string".to_owned()))?;
                check_name(name)?;
                name.to_owned()
            }
        };
        Ok(IndexDefinition {
            id: read_id(definition)?,
            name,
            kind: type_name.kind(),
            type_name,
            fields,
            unique: flag("unique", false),
            sparse: flag("sparse", false),
            deduplicate: flag("deduplicate", true),
            estimates: flag("estimates", true),
            stored_values,
            cache_enabled: flag("cacheEnabled", false),
            in_background: flag("inBackground", false),
        })
    }

    /// The definition with the id `id`, and, if it has no name yet, a name made from it.
    pub fn with_identity(mut self, id: u64) -> IndexDefinition {
        self.id = id;
        if self.name.is_empty() {
            self.name = auto_name(id);
        }
        self
    }

    /// What users are shown; `collection` is the first part of the id, `selectivity` left out when not kept.
    ///
    /// # Errors
    ///
    /// None that a definition can cause.
    pub fn to_vpack(&self, collection: &str, selectivity: Option<f64>) -> Result<VPackBuf, Error> {
        let mut builder = Builder::new();
        self.write_to(collection, selectivity, &mut builder);
        Ok(builder.finish()?)
    }

    /// As [`IndexDefinition::to_vpack`], into a builder.
    pub fn write_to(&self, collection: &str, selectivity: Option<f64>, builder: &mut Builder) {
        let is_persistent = self.kind == IndexKind::Persistent;
        builder.open_object();
        if is_persistent {
            builder.key("cacheEnabled").add_bool(self.cache_enabled);
            builder.key("deduplicate").add_bool(self.deduplicate);
            builder.key("estimates").add_bool(self.estimates);
        }
        write_paths("fields", &self.fields, builder);
        builder.key("id").add_str(&format!("{collection}/{}", self.id));
        if self.in_background {
            builder.key("inBackground").add_bool(true);
        }
        builder.key("name").add_str(&self.name);
        if let Some(selectivity) = selectivity.filter(|_| self.estimates || self.kind == IndexKind::Primary) {
            builder.key("selectivityEstimate").add_f64(selectivity);
        }
        builder.key("sparse").add_bool(self.sparse);
        if !self.stored_values.is_empty() {
            write_paths("storedValues", &self.stored_values, builder);
        }
        builder.key("type").add_str(self.type_name.as_str());
        builder.key("unique").add_bool(self.unique);
        builder.close();
    }

    /// True when creating `other` where `self` exists changes nothing: same type, fields, uniqueness and sparsity.
    /// Names and all other options do not count.
    pub fn is_same_index(&self, other: &IndexDefinition) -> bool {
        self.type_name == other.type_name
            && self.fields == other.fields
            && self.unique == other.unique
            && self.sparse == other.sparse
    }

    /// True when a path has a `[*]`, so that a document can have several entries.
    pub fn is_expanded(&self) -> bool {
        self.fields.iter().any(FieldPath::is_expanded)
    }
}

fn write_paths(key: &str, paths: &[FieldPath], builder: &mut Builder) {
    builder.key(key).open_array();
    for path in paths {
        builder.add_str(&path.to_string());
    }
    builder.close();
}

fn read_type(definition: Slice<'_>) -> Result<TypeName, Error> {
    if !definition.is_object() {
        return Err(bad_parameter("expecting an object as index definition"));
    }
    let type_name = definition.get("type").and_then(Slice::as_str);
    TypeName::parse(type_name.ok_or_else(|| bad_parameter("invalid index type"))?)
}

fn read_id(definition: Slice<'_>) -> Result<u64, Error> {
    let Some(id) = definition.get("id").filter(|id| !id.is_null()) else { return Ok(0) };
    let number = match id.as_str() {
        // `collection/number` or the number alone.
        Some(text) => text.rsplit('/').next().and_then(|number| number.parse().ok()),
        None => id.as_u64(),
    };
    number.ok_or_else(|| bad_parameter(format!("invalid index id {id}")))
}

fn read_fields(definition: Slice<'_>) -> Result<Vec<FieldPath>, Error> {
    let fields = definition.get("fields").filter(|fields| fields.is_array() && !fields.is_empty());
    let fields =
        fields.ok_or_else(|| bad_parameter("index definition must have a non-empty array 'fields'"))?;
    let fields = read_paths(fields, "fields")?;
    match fields.iter().find(|path| path.is_attribute("_id")) {
        Some(_) => Err(bad_parameter("_id attribute cannot be indexed")),
        None => Ok(fields),
    }
}

fn read_stored_values(definition: Slice<'_>, fields: &[FieldPath]) -> Result<Vec<FieldPath>, Error> {
    let Some(stored) = definition.get("storedValues").filter(|stored| !stored.is_null()) else {
        return Ok(Vec::new());
    };
    if !stored.is_array() {
        return Err(bad_parameter("'storedValues' must be an array of attribute names"));
    }
    if stored.len() > STORED_VALUES_MAX {
        return Err(bad_parameter(format!("an index can have at most {STORED_VALUES_MAX} stored values")));
    }
    let stored = read_paths(stored, "storedValues")?;
    if let Some(path) = stored.iter().find(|path| path.is_expanded()) {
        return Err(bad_parameter(format!("cannot use [*] in 'storedValues': '{path}'")));
    }
    if let Some(path) = stored.iter().find(|path| fields.contains(path)) {
        return Err(bad_parameter(format!("attribute '{path}' is in both 'fields' and 'storedValues'")));
    }
    Ok(stored)
}

fn read_paths(paths: Slice<'_>, attribute: &str) -> Result<Vec<FieldPath>, Error> {
    let mut parsed: Vec<FieldPath> = Vec::with_capacity(paths.len());
    for path in paths.array_iter() {
        let text =
            path.as_str().ok_or_else(|| bad_parameter(format!("'{attribute}' must hold strings only")))?;
        let path = FieldPath::parse(text)?;
        if parsed.contains(&path) {
            return Err(bad_parameter(format!("duplicate attribute '{path}' in '{attribute}'")));
        }
        parsed.push(path);
    }
    Ok(parsed)
}
