//! Looking into the database: `DOCUMENT`, `COLLECTIONS`, `COLLECTION_COUNT`, `CURRENT_DATABASE`, `CURRENT_USER`,
//! `VERSION`, `SHARD_ID`, `SCHEMA_GET`, `SCHEMA_VALIDATE`.

use persea_order::{Value, View};

use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("COLLECTIONS", (0, 0), "COLLECTIONS()", "The collections of the database.", collections)
        .uncached()
        .reads()
        .no_prune(),
    Function::new(
        "COLLECTION_COUNT",
        (1, 1),
        "COLLECTION_COUNT(collection)",
        "Number of documents in a collection.",
        collection_count,
    )
    .collection()
    .no_prune()
    .no_dynamic(),
    Function::new(
        "CURRENT_DATABASE",
        (0, 0),
        "CURRENT_DATABASE()",
        "Name of the database.",
        current_database,
    )
    .uncached()
    .unfoldable()
    .no_prune(),
    Function::new("CURRENT_USER", (0, 0), "CURRENT_USER()", "Name of the user.", current_user)
        .uncached()
        .unfoldable()
        .no_prune(),
    Function::new(
        "DOCUMENT",
        (1, 2),
        "DOCUMENT([collection, ] id)",
        "Documents by identifier or key.",
        document,
    )
    .volatile()
    .collection()
    .no_prune()
    .no_dynamic(),
    Function::new("SCHEMA_GET", (1, 1), "SCHEMA_GET(collection)", "Schema of a collection.", schema_get)
        .effect()
        .collection()
        .no_prune()
        .no_dynamic(),
    Function::new(
        "SCHEMA_VALIDATE",
        (2, 2),
        "SCHEMA_VALIDATE(document, schema)",
        "Whether a document fits a schema.",
        schema_validate,
    )
    .effect()
    .reads()
    .no_prune(),
    Function::new(
        "SHARD_ID",
        (2, 2),
        "SHARD_ID(collection, shardKeys)",
        "Name of the shard a document belongs to.",
        shard_id,
    )
    .effect()
    .reads()
    .no_prune(),
    Function::new("VERSION", (0, 0), "VERSION()", "Version of the server.", version).uncached().no_prune(),
];

fn document<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (collection, wanted) = match args {
        [wanted] => (None, *wanted),
        _ => match arg(args, 0).as_str() {
            Some(collection) => (Some(collection), arg(args, 1)),
            None => return Ok(Value::NULL),
        },
    };
    let Some(list) = ctx.members(wanted)? else {
        return Ok(fetch(ctx, collection, wanted)?.unwrap_or(Value::NULL));
    };
    let mut found = ctx.vec();
    for member in list {
        found.extend(fetch(ctx, collection, member)?);
    }
    ctx.array(found)
}

/// One document by its identifier, or by its key if the collection is given.
fn fetch<'a>(
    ctx: &Context<'a>,
    collection: Option<&'a str>,
    wanted: Value<'a>,
) -> Result<Option<Value<'a>>, Error> {
    let Some(text) = wanted.as_str() else { return Ok(None) };
    let (collection, key) = match (text.split_once('/'), collection) {
        (Some((named, _)), Some(collection)) if named != collection => return Ok(None),
        (Some((named, key)), _) => (named, key),
        (None, Some(collection)) => (collection, text),
        (None, None) => return Ok(None),
    };
    Ok(ctx.documents.document(collection, key)?.map(Value::from_slice))
}

fn collections<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let mut builder = ctx.builder();
    builder.open_array();
    for collection in ctx.documents.collections()? {
        builder.open_object();
        builder.entry("_id", Value::from_str(&collection.id));
        builder.entry("name", Value::from_str(&collection.name));
        builder.close();
    }
    builder.close();
    builder.finish()
}

fn collection_count<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match arg(args, 0).as_str() {
        Some(name) => Ok(Value::from_u64(ctx.documents.collection_count(name)?)),
        None => Err(Error::ArgumentType(ctx.function())),
    }
}

fn current_database<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_str(ctx.env.database()))
}

fn current_user<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(ctx.env.user().map_or(Value::NULL, Value::from_str))
}

fn version<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_str(ctx.env.version()))
}

/// There is one shard only: the collection itself.
fn shard_id<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (Some(name), true) = (arg(args, 0).as_str(), arg(args, 1).is_object()) else {
        return Err(Error::BadParameter("SHARD_ID() needs a collection name and an object".to_owned()));
    };
    ctx.documents.collection_count(name)?;
    Ok(Value::from_str(name))
}

fn schema_get<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(name) = arg(args, 0).as_str() else { return ctx.invalid_argument() };
    let schema = ctx.documents.schema(name)?;
    Ok(schema.map_or(Value::NULL, |schema| ctx.adopt(schema.as_slice())))
}

fn schema_validate<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let View::Object(document) = arg(args, 0).view() else { return ctx.invalid_argument() };
    let problem = match arg(args, 1).view() {
        View::Null => None,
        View::Object(schema) if schema.is_empty() => None,
        View::Object(schema) => ctx.documents.validate(document, schema)?,
        _ => return ctx.invalid_argument(),
    };
    let mut builder = ctx.builder();
    builder.open_object();
    builder.entry("valid", Value::from_bool(problem.is_none()));
    if let Some(problem) = &problem {
        builder.entry("errorMessage", Value::from_str(problem));
    }
    builder.close();
    builder.finish()
}

#[cfg(test)]
mod tests {
    use bumpalo::Bump;
    use persea_order::Value;
    use persea_vpack::{Slice, VPackBuf};

    use crate::testing::{check, check_error, check_warning, json_of};
    use crate::{CollectionEntry, Context, DocumentAccess, Environment, Error, lookup};

    /// A database with two documents in one collection.
    struct Fruits {
        pear: VPackBuf,
        fig: VPackBuf,
    }

    impl DocumentAccess for Fruits {
        fn document(&self, collection: &str, key: &str) -> Result<Option<Slice<'_>>, Error> {
            Ok(match (collection, key) {
                ("fruits", "pear") => Some(self.pear.as_slice()),
                ("fruits", "fig") => Some(self.fig.as_slice()),
                _ => None,
            })
        }

        fn collection_count(&self, collection: &str) -> Result<u64, Error> {
            match collection {
                "fruits" => Ok(2),
                _ => Err(Error::CollectionNotFound(collection.to_owned())),
            }
        }

        fn collections(&self) -> Result<Vec<CollectionEntry>, Error> {
            Ok(vec![CollectionEntry { id: "17".to_owned(), name: "fruits".to_owned() }])
        }

        fn schema(&self, _: &str) -> Result<Option<VPackBuf>, Error> {
            Ok(None)
        }

        fn validate(&self, document: Slice<'_>, _: Slice<'_>) -> Result<Option<String>, Error> {
            Ok(document.get("bad").map(|_| "bad fruit".to_owned()))
        }
    }

    fn parse(text: &str) -> VPackBuf {
        persea_json::parse(text.as_bytes()).unwrap()
    }

    fn check_fruits(name: &str, arguments: &str, expected: &str) {
        let fruits = Fruits { pear: parse("{\"_key\":\"pear\"}"), fig: parse("{\"_key\":\"fig\"}") };
        let (arena, env) = (Bump::new(), Environment::new().with_database("_system"));
        let ctx = Context::new(&arena, &env, &fruits);
        let arguments = parse(arguments);
        let arguments: Vec<Value<'_>> = Value::from_slice(arguments.as_slice()).elements().collect();
        let result = match lookup(name).unwrap().evaluate(&ctx, &arguments) {
            Ok(value) => json_of(value),
            Err(error) => format!("error {}", error.code()),
        };
        assert_eq!(result, expected, "{name}");
    }

    #[test]
    fn documents() {
        check_fruits("DOCUMENT", "[\"fruits/pear\"]", "{\"_key\":\"pear\"}");
        check_fruits("DOCUMENT", "[\"fruits\",\"pear\"]", "{\"_key\":\"pear\"}");
        check_fruits("DOCUMENT", "[\"fruits\",\"fruits/pear\"]", "{\"_key\":\"pear\"}");
        check_fruits("DOCUMENT", "[\"fruits\",\"nuts/pear\"]", "null");
        check_fruits("DOCUMENT", "[\"fruits/nope\"]", "null");
        check_fruits("DOCUMENT", "[\"pear\"]", "null");
        check_fruits("DOCUMENT", "[7]", "null");
        check_fruits("DOCUMENT", "[7,\"pear\"]", "null");
        check_fruits(
            "DOCUMENT",
            "[[\"fruits/fig\",\"x/y\",\"fruits/pear\"]]",
            "[{\"_key\":\"fig\"},{\"_key\":\"pear\"}]",
        );
        check_fruits("DOCUMENT", "[\"fruits\",[\"fig\",\"nope\"]]", "[{\"_key\":\"fig\"}]");
    }

    #[test]
    fn catalog() {
        check_fruits("COLLECTIONS", "[]", "[{\"_id\":\"17\",\"name\":\"fruits\"}]");
        check_fruits("COLLECTION_COUNT", "[\"fruits\"]", "2");
        check_fruits("COLLECTION_COUNT", "[\"nuts\"]", "error 1203");
        check_fruits("COLLECTION_COUNT", "[1]", "error 1542");
        check_fruits("SHARD_ID", "[\"fruits\",{}]", "\"fruits\"");
        check_fruits("SHARD_ID", "[\"nuts\",{}]", "error 1203");
        check_fruits("SHARD_ID", "[1,{}]", "error 10");
        check_fruits("SCHEMA_GET", "[\"fruits\"]", "null");
        check_error("SCHEMA_GET(\"fruits\")", 1203);
    }

    #[test]
    fn validation() {
        check("SCHEMA_VALIDATE({},null)", "{\"valid\":true}");
        check("SCHEMA_VALIDATE({\"a\":1},{})", "{\"valid\":true}");
        check_fruits("SCHEMA_VALIDATE", "[{\"a\":1},{\"rule\":{}}]", "{\"valid\":true}");
        check_fruits(
            "SCHEMA_VALIDATE",
            "[{\"bad\":1},{\"rule\":{}}]",
            "{\"valid\":false,\"errorMessage\":\"bad fruit\"}",
        );
        check_warning("SCHEMA_VALIDATE(1,{})", "null", 1542);
    }

    #[test]
    fn surroundings() {
        check("CURRENT_DATABASE()", "\"_system\"");
        check("CURRENT_USER()", "null");
        check("VERSION()", "\"3.12.5\"");
        check("COLLECTIONS()", "[]");
    }
}
