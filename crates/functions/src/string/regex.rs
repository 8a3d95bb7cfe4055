//! `REGEX_TEST`, `REGEX_REPLACE`, `REGEX_MATCHES`, `REGEX_SPLIT`.

use persea_order::Value;

use super::part;
use super::split::{Limit, limit};
use crate::context::{arg, check_text};
use crate::pattern::{Groups, pattern};
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "REGEX_MATCHES",
        (2, 3),
        "REGEX_MATCHES(text, regex [, caseInsensitive])",
        "The first match and its groups.",
        regex_matches,
    ),
    Function::new(
        "REGEX_REPLACE",
        (3, 4),
        "REGEX_REPLACE(text, regex, replacement [, caseInsensitive])",
        "The text with all matches replaced.",
        regex_replace,
    ),
    Function::new(
        "REGEX_SPLIT",
        (2, 4),
        "REGEX_SPLIT(text, regex [, caseInsensitive [, limit]])",
        "The parts of the text between matches.",
        regex_split,
    ),
    Function::new(
        "REGEX_TEST",
        (2, 3),
        "REGEX_TEST(text, regex [, caseInsensitive])",
        "Whether a part of the text matches.",
        regex_test,
    ),
];

fn regex_test<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (text, expression) = (ctx.text(arg(args, 0)), ctx.text(arg(args, 1)));
    match pattern(ctx, expression, arg(args, 2).is_truthy()) {
        Some(pattern) => Ok(Value::from_bool(pattern.is_match(text)?)),
        None => ctx.invalid_regex(),
    }
}

fn regex_replace<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (text, expression) = (ctx.text(arg(args, 0)), ctx.text(arg(args, 1)));
    let replacement = ctx.text(arg(args, 2));
    let Some(pattern) = pattern(ctx, expression, arg(args, 3).is_truthy()) else {
        return ctx.invalid_regex();
    };
    let mut result = ctx.string_buffer();
    let mut copied = 0;
    pattern.for_each_match(text, |groups| {
        ctx.work(match_steps(text))?;
        if let Some(&Some((start, end))) = groups.first() {
            result.push_str(part(text, copied, start));
            expand(replacement, text, groups, &mut result);
            copied = end;
        }
        check_text(result.len()).map(|()| true)
    })?;
    result.push_str(part(text, copied, text.len()));
    Ok(Value::from_str(result.into_bump_str()))
}

/// Steps of work to look for one match: it may take a walk over the rest of the text.
fn match_steps(text: &str) -> usize {
    const STEPS_MAX: usize = 256;
    (text.len() / 1024).clamp(8, STEPS_MAX)
}

/// Writes the replacement with `$1` replaced by the first group and so on; a backslash takes the next sign as it is.
fn expand(replacement: &str, text: &str, groups: &Groups, out: &mut bumpalo::collections::String<'_>) {
    let mut signs = replacement.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '\\' => out.extend(signs.next()),
            '$' => {
                let Some(mut number) = signs.peek().and_then(|digit| digit.to_digit(10)) else {
                    out.push('$');
                    continue;
                };
                signs.next();
                // Takes further digits only as long as such a group exists.
                while let Some(digit) = signs.peek().and_then(|digit| digit.to_digit(10))
                    && (number * 10 + digit) < groups.len() as u32
                {
                    number = number * 10 + digit;
                    signs.next();
                }
                if let Some(&Some((start, end))) = groups.get(number as usize) {
                    out.push_str(part(text, start, end));
                }
            }
            _ => out.push(sign),
        }
    }
}

fn regex_matches<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (text, expression) = (ctx.text(arg(args, 0)), ctx.text(arg(args, 1)));
    let Some(pattern) = pattern(ctx, expression, arg(args, 2).is_truthy()) else {
        return ctx.invalid_regex();
    };
    match pattern.captures_at(text, 0)? {
        Some(groups) => ctx.array(
            groups
                .iter()
                .map(|group| Value::from_str(group.map_or("", |(start, end)| part(text, start, end)))),
        ),
        None => Ok(Value::NULL),
    }
}

fn regex_split<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (text, expression) = (ctx.text(arg(args, 0)), ctx.text(arg(args, 1)));
    let limit = match limit(args.get(3).copied()) {
        Limit::Pieces(limit) => limit,
        Limit::Negative => return Ok(Value::NULL),
        Limit::NotANumber => return ctx.invalid_argument(),
    };
    if limit == 0 || (text.is_empty() && expression.is_empty()) {
        return ctx.array([]);
    }
    let Some(pattern) = pattern(ctx, expression, arg(args, 2).is_truthy()) else {
        return ctx.invalid_regex();
    };
    let mut pieces = ctx.vec();
    let mut start = 0;
    pattern.for_each_match(text, |groups| {
        ctx.work(match_steps(text))?;
        let Some(&Some((match_start, match_end))) = groups.first() else { return Ok(true) };
        // An empty match at either end separates nothing.
        if match_start == match_end && (match_start == 0 || match_start == text.len()) {
            return Ok(true);
        }
        pieces.push(part(text, start, match_start));
        pieces.extend(groups.iter().skip(1).flatten().map(|&(start, end)| part(text, start, end)));
        start = match_end;
        Ok(pieces.len() < limit)
    })?;
    pieces.push(part(text, start, text.len()));
    pieces.truncate(limit);
    ctx.array(pieces.into_iter().map(Value::from_str))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn tests_for_a_part() {
        check("REGEX_TEST(\"a green pear\",\"gr.*ar\")", "true");
        check("REGEX_TEST(\"a green pear\",\"^gr\")", "false");
        check("REGEX_TEST(\"PEAR\",\"pear\")", "false");
        check("REGEX_TEST(\"PEAR\",\"pear\",true)", "true");
        check("REGEX_TEST(\"a\\nb\\nc\",\"^a(\\n[b-c])+$\")", "true");
        check_warning("REGEX_TEST(\"a\",\"[\")", "null", 1543);
        check_warning("REGEX_TEST(\"a\",\"(\")", "null", 1543);
    }

    #[test]
    fn look_around_and_back_references() {
        check("REGEX_TEST(\"pear plum\",\"pear(?= plum)\")", "true");
        check("REGEX_TEST(\"pear fig\",\"pear(?= plum)\")", "false");
        check("REGEX_TEST(\"abab\",\"^(ab)\\\\1$\")", "true");
        check("REGEX_REPLACE(\"a1b2\",\"(?<=[a-z])[0-9]\",\"#\")", "\"a#b#\"");
    }

    #[test]
    fn replaces() {
        check("REGEX_REPLACE(\"a green pear\",\"gr.*ar\",\"plum\")", "\"a plum\"");
        check("REGEX_REPLACE(\"A pear\",\"a\",\"_\")", "\"A pe_r\"");
        check("REGEX_REPLACE(\"A pear\",\"a\",\"_\",true)", "\"_ pe_r\"");
        check("REGEX_REPLACE(\"pear-plum\",\"(\\\\w+)-(\\\\w+)\",\"$2 $1s\")", "\"plum pears\"");
        check("REGEX_REPLACE(\"abc\",\"b\",\"\\\\$1\")", "\"a$1c\"");
        check("REGEX_REPLACE(\"abc\",\"x*\",\"-\")", "\"-a-b-c-\"");
        check_warning("REGEX_REPLACE(\"a\",\"*\",\"b\")", "null", 1543);
    }

    #[test]
    fn matches() {
        check("REGEX_MATCHES(\"My-n4me\",\"^[a-z0-9_-]{3,16}$\",true)", "[\"My-n4me\"]");
        check(
            "REGEX_MATCHES(\"jo@pear.org\",\"^(\\\\w+)@(\\\\w+)\\\\.(\\\\w+)$\")",
            "[\"jo@pear.org\",\"jo\",\"pear\",\"org\"]",
        );
        check("REGEX_MATCHES(\"ac\",\"a(b)?c\")", "[\"ac\",\"\"]");
        check("REGEX_MATCHES(\"x\",\"y\")", "null");
        check_warning("REGEX_MATCHES(\"x\",\"[\")", "null", 1543);
    }

    #[test]
    fn splits() {
        check("REGEX_SPLIT(\"Eat the pear\",\"(the)\")", "[\"Eat \",\"the\",\" pear\"]");
        check("REGEX_SPLIT(\"Eat the pear\",\"the\")", "[\"Eat \",\" pear\"]");
        check("REGEX_SPLIT(\"pear plum, fig\",\"[\\\\s, ]+\")", "[\"pear\",\"plum\",\"fig\"]");
        check("REGEX_SPLIT(\"cA,Bc,A,BcA,BcA,Bc\",\"a,b\",true,3)", "[\"c\",\"c,\",\"c\"]");
        check("REGEX_SPLIT(\"abc\",\"\")", "[\"a\",\"b\",\"c\"]");
        check("REGEX_SPLIT(\"\",\"x\")", "[\"\"]");
        check("REGEX_SPLIT(\"a\",\"x\",false,0)", "[]");
        check("REGEX_SPLIT(\"a\",\"x\",false,-1)", "null");
        check_warning("REGEX_SPLIT(\"a\",\"x\",false,\"3\")", "null", 1542);
        check_warning("REGEX_SPLIT(\"a\",\"[\")", "null", 1543);
    }
}
