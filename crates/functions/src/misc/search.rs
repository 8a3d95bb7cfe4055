//! Functions of views and analyzers, as far as they mean something without a view: `TOKENS` for the analyzer
//! `identity`, and `LEVENSHTEIN_MATCH`.

use crate::function::MANY;
use persea_order::{Value, View};

use crate::builder::ArenaBuilder;
use crate::context::arg;
use crate::numeric::integer;
use crate::string::edit_distance;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "APPROX_NEAR_COSINE",
        (2, 3),
        "APPROX_NEAR_COSINE(vector1, vector2 [, options])",
        "Nearness of vectors from an index.",
        approx_near,
    )
    .unfoldable()
    .no_dynamic(),
    Function::new(
        "APPROX_NEAR_INNER_PRODUCT",
        (2, 3),
        "APPROX_NEAR_INNER_PRODUCT(vector1, vector2 [, options])",
        "Nearness of vectors from an index.",
        approx_near,
    )
    .unfoldable()
    .no_dynamic(),
    Function::new(
        "APPROX_NEAR_L2",
        (2, 3),
        "APPROX_NEAR_L2(vector1, vector2 [, options])",
        "Nearness of vectors from an index.",
        approx_near,
    )
    .unfoldable()
    .no_dynamic(),
    Function::new("BM25", (1, 3), "BM25(document [, k [, b]])", "Score of a search result.", only_in_search)
        .unfoldable(),
    Function::new(
        "EXISTS",
        (1, 3),
        "EXISTS(path [, type])",
        "Whether an attribute is indexed.",
        only_in_search,
    )
    .unfoldable(),
    Function::new(
        "FULLTEXT",
        (3, 4),
        "FULLTEXT(collection, attribute, query [, limit])",
        "Documents from a fulltext index.",
        fulltext,
    )
    .collection()
    .no_prune()
    .no_dynamic(),
    Function::new(
        "LEVENSHTEIN_MATCH",
        (3, 6),
        "LEVENSHTEIN_MATCH(text, target, distance [, transpositions [, maxTerms [, prefix]]])",
        "Whether a text is near another.",
        levenshtein_match,
    ),
    Function::new(
        "MINHASH_MATCH",
        (4, 4),
        "MINHASH_MATCH(path, target, threshold, analyzer)",
        "Whether a set of values is like another.",
        only_in_search,
    )
    .unfoldable(),
    Function::new(
        "NEAR",
        (3, 5),
        "NEAR(collection, latitude, longitude [, limit [, distanceName]])",
        "Documents near a place.",
        near,
    )
    .collection()
    .no_prune()
    .no_dynamic(),
    Function::new(
        "NGRAM_MATCH",
        (2, 4),
        "NGRAM_MATCH(path, target [, threshold [, analyzer]])",
        "Whether an attribute is like a text.",
        only_in_search,
    )
    .unfoldable(),
    Function::new(
        "OFFSET_INFO",
        (2, 2),
        "OFFSET_INFO(document, paths)",
        "Where a search result matched.",
        only_in_search,
    )
    .unfoldable(),
    Function::new(
        "PHRASE",
        (2, MANY),
        "PHRASE(path, part, …)",
        "Whether an attribute has tokens in a row.",
        only_in_search,
    )
    .unfoldable(),
    Function::new(
        "TFIDF",
        (1, 2),
        "TFIDF(document [, normalize])",
        "Score of a search result.",
        only_in_search,
    )
    .unfoldable(),
    Function::new(
        "TOKENS",
        (1, 2),
        "TOKENS(input [, analyzer])",
        "The tokens an analyzer makes of the text.",
        tokens,
    ),
    Function::new(
        "WITHIN",
        (4, 5),
        "WITHIN(collection, latitude, longitude, radius [, distanceName])",
        "Documents around a place.",
        near,
    )
    .collection()
    .no_prune()
    .no_dynamic(),
    Function::new(
        "WITHIN_RECTANGLE",
        (5, 5),
        "WITHIN_RECTANGLE(collection, latitude1, longitude1, latitude2, longitude2)",
        "Documents in a rectangle.",
        near,
    )
    .collection()
    .no_prune()
    .no_dynamic(),
];

fn tokens<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
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

fn levenshtein_match<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
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

/// What ranks or filters the documents of a view, which is not there.
fn only_in_search<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Err(Error::NotImplemented {
        function: ctx.function(),
        reason: "it only works inside of a SEARCH on a view",
    })
}

/// There are no geo indexes, so none fits.
fn near<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Err(Error::GeoIndexMissing(collection_of(ctx, args)?))
}

/// There are no fulltext indexes, so none fits.
fn fulltext<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Err(Error::FulltextIndexMissing(collection_of(ctx, args)?))
}

/// There are no vector indexes, so none fits.
fn approx_near<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
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
