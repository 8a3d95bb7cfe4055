//! Document identifiers (`collection/key`): `PARSE_IDENTIFIER`, `PARSE_COLLECTION`, `PARSE_KEY`,
//! `IS_SAME_COLLECTION`.

use persea_order::Value;

use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "IS_SAME_COLLECTION",
        (2, 2),
        "IS_SAME_COLLECTION(collection, document)",
        "Whether a document belongs to a collection.",
        is_same_collection,
    ),
    Function::new(
        "PARSE_COLLECTION",
        (1, 1),
        "PARSE_COLLECTION(document)",
        "Collection name of an identifier.",
        parse_collection,
    ),
    Function::new(
        "PARSE_IDENTIFIER",
        (1, 1),
        "PARSE_IDENTIFIER(document)",
        "Collection name and key of an identifier.",
        parse_identifier,
    ),
    Function::new("PARSE_KEY", (1, 1), "PARSE_KEY(document)", "Key of an identifier.", parse_key),
];

/// The two parts of an identifier: a text with exactly one slash, or an object with such an `_id`.
pub(crate) fn identifier<'a>(value: Value<'a>) -> Option<(&'a str, &'a str)> {
    let text = match value.as_str() {
        Some(text) => text,
        None => value.attribute("_id").as_str()?,
    };
    let (collection, key) = text.split_once('/')?;
    (!collection.is_empty() && !key.is_empty() && !key.contains('/')).then_some((collection, key))
}

fn parse_identifier<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some((collection, key)) = identifier(arg(args, 0)) else { return ctx.invalid_argument() };
    let mut builder = ctx.builder();
    builder.open_object();
    builder.entry("collection", Value::from_str(collection));
    builder.entry("key", Value::from_str(key));
    builder.close();
    builder.finish()
}

fn parse_collection<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match identifier(arg(args, 0)) {
        Some((collection, _)) => Ok(Value::from_str(collection)),
        None => ctx.invalid_argument(),
    }
}

fn parse_key<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match identifier(arg(args, 0)) {
        Some((_, key)) => Ok(Value::from_str(key)),
        None => ctx.invalid_argument(),
    }
}

fn is_same_collection<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let first = arg(args, 0);
    let wanted = match first.as_str().filter(|text| !text.contains('/')) {
        Some(name) => Some(name),
        None => identifier(first).map(|(collection, _)| collection),
    };
    match (wanted, identifier(arg(args, 1))) {
        (Some(wanted), Some((collection, _))) => Ok(Value::from_bool(wanted == collection)),
        _ => ctx.invalid_argument(),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn parts() {
        check("PARSE_IDENTIFIER(\"fruits/pear\")", "{\"collection\":\"fruits\",\"key\":\"pear\"}");
        check(
            "PARSE_IDENTIFIER({\"_id\":\"fruits/pear\",\"n\":1})",
            "{\"collection\":\"fruits\",\"key\":\"pear\"}",
        );
        check("PARSE_COLLECTION(\"fruits/pear\")", "\"fruits\"");
        check("PARSE_KEY({\"_id\":\"fruits/pear\"})", "\"pear\"");
        for wrong in ["\"fruits\"", "\"a/b/c\"", "{}", "1", "null"] {
            check_warning(&format!("PARSE_IDENTIFIER({wrong})"), "null", 1542);
            check_warning(&format!("PARSE_COLLECTION({wrong})"), "null", 1542);
            check_warning(&format!("PARSE_KEY({wrong})"), "null", 1542);
        }
    }

    #[test]
    fn same_collection() {
        check("IS_SAME_COLLECTION(\"fruits\",\"fruits/pear\")", "true");
        check("IS_SAME_COLLECTION(\"fruits\",{\"_id\":\"fruits/pear\"})", "true");
        check("IS_SAME_COLLECTION(\"fruits/fig\",\"fruits/pear\")", "true");
        check("IS_SAME_COLLECTION(\"fruits\",\"nuts/1\")", "false");
        check_warning("IS_SAME_COLLECTION(\"fruits\",\"nuts\")", "null", 1542);
        check_warning("IS_SAME_COLLECTION(1,\"nuts/1\")", "null", 1542);
    }
}
