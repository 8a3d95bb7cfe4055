//! `SPLIT`: the parts of a text between literal separators.

use bumpalo::collections::Vec as BumpVec;
use persea_order::{Value, View};

use super::occurrences::Occurrences;
use super::part;
use crate::context::arg;
use crate::numeric::integer;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "SPLIT",
    (1, 3),
    "SPLIT(text [, separator [, limit]])",
    "The parts of the text between separators.",
    split,
)];

fn split<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let text = ctx.text(arg(args, 0));
    let limit = match limit(args.get(2).copied()) {
        Limit::Pieces(limit) => limit,
        Limit::Negative => return Ok(Value::NULL),
        Limit::NotANumber => return ctx.invalid_argument(),
    };
    if limit == 0 {
        return ctx.array([]);
    }
    let Some(separator) = args.get(1).copied() else {
        return ctx.array([Value::from_str(text)]);
    };
    let mut separators = ctx.vec();
    match separator.view() {
        View::Object(_) => return ctx.invalid_argument(),
        View::Array(_) | View::Range(..) => {
            separators.extend(ctx.elements(separator).map(|member| ctx.text(member)))
        }
        _ => separators.push(ctx.text(separator)),
    }
    let pieces = pieces(ctx, text, &separators, limit);
    ctx.array(pieces.into_iter().map(Value::from_str))
}

/// How many pieces may come out.
pub(super) enum Limit {
    Pieces(usize),
    Negative,
    NotANumber,
}

pub(super) fn limit(argument: Option<Value<'_>>) -> Limit {
    match argument {
        None => Limit::Pieces(usize::MAX),
        Some(value) if !value.is_number() => Limit::NotANumber,
        Some(value) => usize::try_from(integer(value)).map_or(Limit::Negative, Limit::Pieces),
    }
}

fn pieces<'a>(
    ctx: &Context<'a>,
    text: &'a str,
    separators: &[&'a str],
    limit: usize,
) -> BumpVec<'a, &'a str> {
    let mut pieces = ctx.vec();
    if separators.is_empty() {
        pieces.push(text);
        return pieces;
    }
    // An empty separator stands between any two characters, whatever else is given.
    if separators.iter().any(|separator| separator.is_empty()) {
        let characters = text.char_indices().map(|(at, character)| part(text, at, at + character.len_utf8()));
        pieces.extend(ctx.watch(characters).take(limit));
        return pieces;
    }
    let mut occurrences = Occurrences::new(ctx, text, separators.iter().copied());
    let mut start = 0;
    while pieces.len() < limit && ctx.goes_on(separators.len()) {
        let Some((which, at)) = occurrences.nearest(start) else {
            pieces.push(part(text, start, text.len()));
            break;
        };
        pieces.push(part(text, start, at));
        start = at + separators.get(which).map_or(0, |separator| separator.len());
    }
    pieces
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn splits() {
        check("SPLIT(\"pear-plum-fig\",\"-\")", "[\"pear\",\"plum\",\"fig\"]");
        check("SPLIT(\"pear-plum-fig\",\"-\",1)", "[\"pear\"]");
        check("SPLIT(\"pear, plum & fig\",[\", \",\" & \"])", "[\"pear\",\"plum\",\"fig\"]");
        check("SPLIT(\"a.b\",\".\")", "[\"a\",\"b\"]");
        check("SPLIT(\"-a-\",\"-\")", "[\"\",\"a\",\"\"]");
        check("SPLIT(\"a1b\",1)", "[\"a\",\"b\"]");
        check("SPLIT(\"one\\ntwo\\nthree\\nfour\",\"\\n\",3)", "[\"one\",\"two\",\"three\"]");
    }

    #[test]
    fn characters() {
        check("SPLIT(\"öab\",\"\")", "[\"ö\",\"a\",\"b\"]");
        check("SPLIT(\"pear\",\"\",1)", "[\"p\"]");
        check("SPLIT(\"\",\"\")", "[]");
        check("SPLIT(\"\",[\"\"])", "[]");
    }

    #[test]
    fn edges() {
        check("SPLIT(\"pear\")", "[\"pear\"]");
        check("SPLIT(\"\")", "[\"\"]");
        check("SPLIT(\"\",\"-\")", "[\"\"]");
        check("SPLIT(\"\",[\"a\",\"b\"])", "[\"\"]");
        check("SPLIT(\"a-b\",\"-\",0)", "[]");
        check("SPLIT(\"a-b\",\"-\",-1)", "null");
        check_warning("SPLIT(\"a-b\",\"-\",\"x\")", "null", 1542);
        check_warning("SPLIT(\"a-b\",{})", "null", 1542);
    }
}
