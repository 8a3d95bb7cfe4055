//! Functions of views and analyzers, as far as they mean something without a view: `TOKENS` for the analyzer
//! `identity`, and `LEVENSHTEIN_MATCH`.

use persea_order::{Value, View};

use crate::builder::ArenaBuilder;
use crate::context::arg;
use crate::numeric::integer;
use crate::string::edit_distance;
use crate::{Context, Error};

pub(crate) fn tokens<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    if args.get(1).is_some_and(|analyzer| analyzer.as_str() != Some("identity")) {
        return Err(Error::NotImplemented {
            function: ctx.function(),
            reason: "there is no analyzer but 'identity'",
        });
    }
    let mut builder = ctx.builder();
    add_tokens(ctx, &mut builder, arg(args, 0));
    builder.finish()
}

/// A list for each text; lists of texts stay nested.
fn add_tokens<'a>(ctx: &Context<'a>, builder: &mut ArenaBuilder<'a>, value: Value<'a>) {
    builder.open_array();
    match value.view() {
        View::Array(_) | View::Range(..) => {
            // Nesting is bounded, as every value's is.
            value.elements().for_each(|member| add_tokens(ctx, builder, member));
        }
        _ => builder.add_str(ctx.text(value)),
    }
    builder.close();
}

pub(crate) fn levenshtein_match<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    const DISTANCE_MAX: i64 = 4;
    let swaps = args.get(3).is_none_or(|swaps| swaps.is_truthy());
    let distance = integer(arg(args, 2));
    if !arg(args, 2).is_number() || distance < 0 || (!swaps && distance > DISTANCE_MAX) {
        return ctx.invalid_argument();
    }
    let (text, target) = (ctx.text(arg(args, 0)), ctx.text(arg(args, 1)));
    let Some(rest) = text.strip_prefix(ctx.text(arg(args, 5))) else { return Ok(Value::FALSE) };
    let (mut left, mut right) = (ctx.vec(), ctx.vec());
    left.extend(rest.chars());
    right.extend(target.chars());
    // Too different in length to be worth comparing.
    if left.len().abs_diff(right.len()) as u64 > distance.unsigned_abs() {
        return Ok(Value::FALSE);
    }
    Ok(Value::from_bool(edit_distance(ctx, &left, &right, swaps)? as u64 <= distance.unsigned_abs()))
}

/// The collection that an index is wanted of.
fn collection_of(ctx: &Context<'_>, args: &[Value<'_>]) -> Result<String, Error> {
    let Some(name) = arg(args, 0).as_str() else { return Err(Error::ArgumentType(ctx.function())) };
    ctx.documents.collection_count(name)?;
    Ok(name.to_owned())
}

/// There are no geo indexes, so none fits.
pub(crate) fn near<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Err(Error::GeoIndexMissing(collection_of(ctx, args)?))
}

/// There are no fulltext indexes, so none fits.
pub(crate) fn fulltext<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Err(Error::FulltextIndexMissing(collection_of(ctx, args)?))
}

/// There are no vector indexes, so none fits.
pub(crate) fn approx_near<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Err(Error::VectorSearch(ctx.function()))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, check_warning};

    #[test]
    fn identity_tokens() {
        check("TOKENS(\"green pear\")", "[\"green pear\"]");
        check("TOKENS([\"a b\",[\"c\"]],\"identity\")", "[[\"a b\"],[[\"c\"]]]");
        check_error("TOKENS(\"green pear\",\"text_en\")", 9);
    }

    #[test]
    fn distances() {
        check("LEVENSHTEIN_MATCH(\"pear\",\"peaar\",1)", "true");
        check("LEVENSHTEIN_MATCH(\"pear\",\"pare\",1)", "false");
        check("LEVENSHTEIN_MATCH(\"pear\",\"paer\",1)", "true");
        check("LEVENSHTEIN_MATCH(\"pear\",\"paer\",1,false)", "false");
        check("LEVENSHTEIN_MATCH(\"greenpear\",\"pear\",0,true,64,\"green\")", "true");
        check_warning("LEVENSHTEIN_MATCH(\"a\",\"b\",-1)", "null", 1542);
        check_warning("LEVENSHTEIN_MATCH(\"a\",\"b\",5,false)", "null", 1542);
    }

    #[test]
    fn outside_of_a_search() {
        check("ANALYZER(true,\"text_en\")", "true");
        check("BOOST([1],2)", "[1]");
        check_error("EXISTS(1)", 9);
        check_error("PHRASE(1,\"a\",\"text_en\")", 9);
        check_error("BM25({})", 9);
        check_error("APPROX_NEAR_L2([1],[2])", 1554);
        check_error("NEAR(\"nope\",1,2)", 1203);
        check_error("FULLTEXT(1,\"a\",\"b\")", 1542);
    }
}
