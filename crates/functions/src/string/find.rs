//! Finding text in text: `CONTAINS`, `FIND_FIRST`, `FIND_LAST`, `STARTS_WITH`, `LIKE`.

use memchr::memmem;
use persea_order::Value;

use super::{byte_offset, char_count, part};
use crate::Function;
use crate::context::arg;
use crate::numeric::integer;
use crate::{Context, Error, like as like_matches};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "CONTAINS",
        (2, 3),
        "CONTAINS(text, search [, returnIndex])",
        "Whether, or where, a text contains another.",
        contains,
    ),
    Function::new(
        "FIND_FIRST",
        (2, 4),
        "FIND_FIRST(text, search [, start [, end]])",
        "Position of the first occurrence, or -1.",
        find_first,
    ),
    Function::new(
        "FIND_LAST",
        (2, 4),
        "FIND_LAST(text, search [, start [, end]])",
        "Position of the last occurrence, or -1.",
        find_last,
    ),
    Function::new(
        "LIKE",
        (2, 3),
        "LIKE(text, pattern [, caseInsensitive])",
        "Whether the text matches a pattern of % and _.",
        like,
    ),
    Function::new(
        "STARTS_WITH",
        (2, 3),
        "STARTS_WITH(text, prefix [, minMatchCount])",
        "Whether the text starts with a prefix, or with some of several.",
        starts_with,
    ),
];

fn contains<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (text, search) = (ctx.text(arg(args, 0)), ctx.text(arg(args, 1)));
    let found = if search.is_empty() { None } else { memmem::find(text.as_bytes(), search.as_bytes()) };
    if !arg(args, 2).is_truthy() {
        return Ok(Value::from_bool(found.is_some()));
    }
    Ok(Value::from_i64(found.map_or(-1, |at| char_count(part(text, 0, at)) as i64)))
}

#[derive(Clone, Copy)]
enum Side {
    First,
    Last,
}

fn find_first<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_i64(find(ctx, args, Side::First).unwrap_or(-1)))
}

fn find_last<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_i64(find(ctx, args, Side::Last).unwrap_or(-1)))
}

fn find<'a>(ctx: &Context<'a>, args: &[Value<'a>], side: Side) -> Option<i64> {
    let (text, search) = (ctx.text(arg(args, 0)), ctx.text(arg(args, 1)));
    let start = usize::try_from(integer(arg(args, 2))).ok()?;
    // The last position is inclusive.
    let end = match arg(args, 3) {
        end if end.is_null() => None,
        end => Some(usize::try_from(integer(end)).ok().filter(|end| *end >= start)?),
    };
    if search.is_empty() {
        return Some(match (side, end) {
            (Side::First, _) => start as i64,
            (Side::Last, None) => char_count(text) as i64,
            (Side::Last, Some(end)) => (end as i64).saturating_add(1),
        });
    }
    let from = byte_offset(text, start);
    let window = part(text, from, text.len());
    let window = match end {
        Some(end) => part(window, 0, byte_offset(window, (end - start).saturating_add(1))),
        None => window,
    };
    let at = match side {
        Side::First => memmem::find(window.as_bytes(), search.as_bytes()),
        Side::Last => memmem::rfind(window.as_bytes(), search.as_bytes()),
    }?;
    Some((start + char_count(part(window, 0, at))) as i64)
}

fn starts_with<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let prefix = arg(args, 1);
    let Some(text) = arg(args, 0).as_str() else { return ctx.invalid_argument() };
    if let Some(prefix) = prefix.as_str() {
        return Ok(Value::from_bool(text.starts_with(prefix)));
    }
    if !prefix.is_array() {
        return ctx.invalid_argument();
    }
    let n_wanted = match args.get(2) {
        Some(n_wanted) if !n_wanted.is_number() => return ctx.invalid_argument(),
        Some(n_wanted) => integer(*n_wanted),
        None => 1,
    };
    let mut n_found = 0;
    for prefix in prefix.elements() {
        match prefix.as_str() {
            Some(prefix) => n_found += i64::from(text.starts_with(prefix)),
            None => return ctx.invalid_argument(),
        }
    }
    Ok(Value::from_bool(n_found >= n_wanted))
}

fn like<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (text, pattern) = (ctx.text(arg(args, 0)), ctx.text(arg(args, 1)));
    Ok(Value::from_bool(like_matches(pattern, text, arg(args, 2).is_truthy())))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn containment() {
        check("CONTAINS(\"pearplumfig\",\"plum\")", "true");
        check("CONTAINS(\"pearplumfig\",\"horse\")", "false");
        check("CONTAINS(\"größe\",\"ß\",true)", "3");
        check("CONTAINS(\"pear\",\"horse\",true)", "-1");
        check("CONTAINS(\"pear\",\"x\",\"yes\")", "-1");
        check("CONTAINS(\"pear\",\"\")", "false");
        check("CONTAINS(\"pear\",\"\",true)", "-1");
        check("CONTAINS(null,null)", "false");
        check("CONTAINS(8,8)", "true");
        check("CONTAINS([1,2,3],2)", "true");
        check("CONTAINS({},{})", "true");
    }

    #[test]
    fn first_occurrence() {
        check("FIND_FIRST(\"pearpepe\",\"pe\")", "0");
        check("FIND_FIRST(\"pearpepe\",\"pe\",1)", "4");
        check("FIND_FIRST(\"pearpepe\",\"pe\",1,4)", "-1");
        check("FIND_FIRST(\"pearpepe\",\"pe\",1,5)", "4");
        check("FIND_FIRST(\"pear\",\"ar\",0,999)", "2");
        check("FIND_FIRST(\"größe\",\"ße\")", "3");
        check("FIND_FIRST(\"pear\",\"x\",\"y\")", "-1");
        check("FIND_FIRST(\"pear\",\"p\",-1)", "-1");
        check("FIND_FIRST(\"pear\",\"p\",0,-1)", "-1");
        check("FIND_FIRST(\"pear\",\"p\",2,1)", "-1");
        check("FIND_FIRST(\"pear\",\"\")", "0");
        check("FIND_FIRST(\"pear\",\"\",2)", "2");
        check("FIND_FIRST(\"\",\"\")", "0");
        check("FIND_FIRST(\"\",\"p\")", "-1");
        check("FIND_FIRST(\"pear\",null)", "0");
        check("FIND_FIRST(\"pear\",\"r\",0,null)", "3");
    }

    #[test]
    fn last_occurrence() {
        check("FIND_LAST(\"pearpepe\",\"pe\")", "6");
        check("FIND_LAST(\"pearpepe\",\"pe\",7)", "-1");
        check("FIND_LAST(\"pearpepe\",\"pe\",0,5)", "4");
        check("FIND_LAST(\"pear\",\"\")", "4");
        check("FIND_LAST(\"pear\",\"\",0,1)", "2");
        check("FIND_LAST(\"\",\"\")", "0");
    }

    #[test]
    fn prefixes() {
        check("STARTS_WITH(\"pearplum\",\"pear\")", "true");
        check("STARTS_WITH(\"pearplum\",\"plum\")", "false");
        check("STARTS_WITH(\"pearplum\",[\"plum\",\"pear\"])", "true");
        check("STARTS_WITH(\"pearplum\",[\"plum\",\"fig\"])", "false");
        check("STARTS_WITH(\"pearplum\",[\"pea\",\"p\",\"x\"],2)", "true");
        check("STARTS_WITH(\"pearplum\",[\"pea\",\"p\",\"x\"],3)", "false");
        check_warning("STARTS_WITH(1,\"1\")", "null", 1542);
        check_warning("STARTS_WITH(\"1\",1)", "null", 1542);
        check_warning("STARTS_WITH(\"1\",[1])", "null", 1542);
    }

    #[test]
    fn wildcards() {
        check("LIKE(\"boat\",\"bo_t\")", "true");
        check("LIKE(\"bought\",\"bo_t\")", "false");
        check("LIKE(\"bought\",\"bo%t\")", "true");
        check("LIKE(\"BoUgHt\",\"bO%t\")", "false");
        check("LIKE(\"BoUgHt\",\"bO%t\",true)", "true");
        check("LIKE(12,\"1_\")", "true");
    }
}
