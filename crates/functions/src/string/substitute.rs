//! `SUBSTITUTE`: replaces literal texts in one pass from left to right; what was put in is not looked at again.

use bumpalo::collections::Vec as BumpVec;
use persea_order::{Value, View};

use super::occurrences::Occurrences;
use super::part;
use crate::context::{arg, check_text};
use crate::numeric::integer;
use crate::warnings::ARGUMENT_COUNT;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "SUBSTITUTE",
    (2, 4),
    "SUBSTITUTE(text, search [, replace [, limit]])",
    "The text with other texts put in.",
    substitute,
)];

/// What to look for, and what to put there.
struct Rule<'a> {
    search: &'a str,
    replacement: &'a str,
}

fn substitute<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let text = ctx.text(arg(args, 0));
    let search = arg(args, 1);
    let (rules, limit_position) = match search.view() {
        View::Object(_) if args.len() > 3 => {
            return ctx.warn(ARGUMENT_COUNT, "invalid number of arguments");
        }
        View::Object(_) => (mapping_rules(ctx, search), 2),
        View::Str(_) | View::Array(_) | View::Range(..) => match list_rules(ctx, search, arg(args, 2)) {
            Some(rules) => (rules, 3),
            None => return ctx.invalid_argument(),
        },
        _ => return ctx.invalid_argument(),
    };
    let limit = match arg(args, limit_position) {
        limit if limit.is_null() => usize::MAX,
        limit if !limit.is_number() => return ctx.invalid_argument(),
        limit => usize::try_from(integer(limit)).unwrap_or(usize::MAX),
    };
    Ok(Value::from_str(replace(ctx, text, &rules, limit)?))
}

fn mapping_rules<'a>(ctx: &Context<'a>, mapping: Value<'a>) -> BumpVec<'a, Rule<'a>> {
    let mut rules = ctx.vec();
    rules.extend(
        mapping.attributes().map(|(search, replacement)| Rule { search, replacement: ctx.text(replacement) }),
    );
    rules
}

/// Pairs the searches with their replacements; `None` if the replacement is neither text nor list nor null.
fn list_rules<'a>(ctx: &Context<'a>, search: Value<'a>, replace: Value<'a>) -> Option<BumpVec<'a, Rule<'a>>> {
    let mut rules = ctx.vec();
    let searches = || search.elements().map(|member| ctx.text(member));
    match (search.as_str(), replace.view()) {
        (Some(search), View::Null) => rules.push(Rule { search, replacement: "" }),
        (Some(search), View::Str(replacement)) => rules.push(Rule { search, replacement }),
        (Some(search), View::Array(_)) => {
            rules.push(Rule { search, replacement: ctx.text(replace.element(0)) });
        }
        (None, View::Null) => rules.extend(searches().map(|search| Rule { search, replacement: "" })),
        (None, View::Str(replacement)) => {
            rules.extend(searches().map(|search| Rule { search, replacement }));
        }
        (None, View::Array(_)) => {
            let replacements = replace.elements().map(|member| ctx.text(member)).chain(std::iter::repeat(""));
            rules.extend(
                searches().zip(replacements).map(|(search, replacement)| Rule { search, replacement }),
            );
        }
        _ => return None,
    }
    Some(rules)
}

fn replace<'a>(ctx: &Context<'a>, text: &'a str, rules: &[Rule<'a>], limit: usize) -> Result<&'a str, Error> {
    let mut occurrences = Occurrences::new(ctx, text, rules.iter().map(|rule| rule.search));
    let mut result = ctx.string_buffer();
    let mut copied = 0;
    for _ in 0..limit {
        ctx.work(rules.len())?;
        let Some((which, at)) = occurrences.nearest(copied) else { break };
        let Some(rule) = rules.get(which) else { break };
        result.push_str(part(text, copied, at));
        result.push_str(rule.replacement);
        check_text(result.len())?;
        copied = at + rule.search.len();
    }
    if copied == 0 {
        return Ok(text);
    }
    result.push_str(part(text, copied, text.len()));
    Ok(result.into_bump_str())
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn one_search() {
        check("SUBSTITUTE(\"a green pear\",\"green\",\"red\")", "\"a red pear\"");
        check("SUBSTITUTE(\"a green pear\",\"green \")", "\"a pear\"");
        check("SUBSTITUTE(\"aaaa\",\"a\",\"b\",2)", "\"bbaa\"");
        check("SUBSTITUTE(\"aaaa\",\"a\",\"b\",0)", "\"aaaa\"");
        check("SUBSTITUTE(\"abab\",\"\",\"x\")", "\"abab\"");
        check("SUBSTITUTE(\"pear\",\"e\",null)", "\"par\"");
    }

    #[test]
    fn lists() {
        check("SUBSTITUTE(\"a green pear\",[\"green\",\"pear\"],[\"red\",\"plum\"])", "\"a red plum\"");
        check(
            "SUBSTITUTE(\"the green pear\",[\"the\",\"pear\"],[\"that\",\"plum\"],1)",
            "\"that green pear\"",
        );
        check("SUBSTITUTE(\"the green pear\",[\"the\",\"green\",\"pear\"],[\"A\",\"B\"])", "\"A B \"");
        check("SUBSTITUTE(\"green pear\",[\"green\",\"pear\"],\"x\")", "\"x x\"");
        check("SUBSTITUTE(\"dog and fox\",[\"fox\",\"dog\"],[\"dog\",\"fox\"])", "\"fox and dog\"");
        check("SUBSTITUTE(\"aaaabbbbccc\",[\"a\",\"b\",\"c\"],[\"x\",\"y\",\"z\"])", "\"xxxxyyyyzzz\"");
        check("SUBSTITUTE(\"aaaabbbbccc\",[\"a\",\"b\",\"c\"],[\"x\",\"y\",\"z\"],6)", "\"xxxxyybbccc\"");
        check("SUBSTITUTE(\"pear\",[],\"x\")", "\"pear\"");
    }

    #[test]
    fn mappings() {
        check("SUBSTITUTE(\"a green pear\",{\"green\":\"red\",\"pear\":\"plum\"})", "\"a red plum\"");
        check("SUBSTITUTE(\"a green pear\",{\"green\":\"\",\"a\":null})", "\"  per\"");
        check("SUBSTITUTE(\"aBcD\",{\"a\":\"A\",\"B\":\"b\",\"c\":\"C\"},2)", "\"AbcD\"");
        check("SUBSTITUTE(\"aBcD\",{\"a\":\"A\"},0)", "\"aBcD\"");
        check_warning("SUBSTITUTE(\"a\",{\"a\":\"A\"},1,1)", "null", 1541);
        check_warning("SUBSTITUTE(\"a\",1,\"b\")", "null", 1542);
        check_warning("SUBSTITUTE(\"a\",\"a\",{})", "null", 1542);
    }
}
