//! Lengths and parts of strings: `CHAR_LENGTH`, `LEFT`, `RIGHT`, `SUBSTRING`, `SUBSTRING_BYTES`, `REVERSE`.

use persea_order::{Value, View};

use super::{byte_offset, char_count, part};
use crate::context::arg;
use crate::numeric::integer;
use crate::warnings::BAD_PARAMETER;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("CHAR_LENGTH", (1, 1), "CHAR_LENGTH(text)", "Number of characters.", char_length),
    Function::new("LEFT", (2, 2), "LEFT(text, n)", "The first n characters.", left),
    Function::new("REVERSE", (1, 1), "REVERSE(value)", "A text or array from back to front.", reverse),
    Function::new("RIGHT", (2, 2), "RIGHT(text, n)", "The last n characters.", right),
    Function::new(
        "SUBSTRING",
        (2, 3),
        "SUBSTRING(text, offset [, length])",
        "A part of the text.",
        substring,
    ),
    Function::new(
        "SUBSTRING_BYTES",
        (2, 5),
        "SUBSTRING_BYTES(text, offset [, length [, left [, right]]])",
        "A part of the text by bytes, widened by characters.",
        substring_bytes,
    ),
];

fn char_length<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_u64(char_count(ctx.text(arg(args, 0))) as u64))
}

fn left<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let text = ctx.text(arg(args, 0));
    let n_chars = usize::try_from(integer(arg(args, 1))).unwrap_or(0);
    Ok(Value::from_str(part(text, 0, byte_offset(text, n_chars))))
}

fn right<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let text = ctx.text(arg(args, 0));
    let n_chars = usize::try_from(integer(arg(args, 1))).unwrap_or(0);
    let start = byte_offset(text, char_count(text).saturating_sub(n_chars));
    Ok(Value::from_str(part(text, start, text.len())))
}

fn substring<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let text = ctx.text(arg(args, 0));
    let start = offset_from_either_end(integer(arg(args, 1)), || char_count(text));
    let start = byte_offset(text, start);
    let rest = part(text, start, text.len());
    let n_chars = match args.get(2) {
        Some(length) => usize::try_from(integer(*length)).unwrap_or(0),
        None => usize::MAX,
    };
    Ok(Value::from_str(part(rest, 0, byte_offset(rest, n_chars))))
}

/// A position where a negative offset counts from the end, but never before the start.
fn offset_from_either_end(offset: i64, length: impl FnOnce() -> usize) -> usize {
    match usize::try_from(offset) {
        Ok(offset) => offset,
        Err(_) => length().saturating_sub(usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX)),
    }
}

fn substring_bytes<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(text) = arg(args, 0).as_str() else { return ctx.invalid_argument() };
    let count = |position: usize| usize::try_from(integer(arg(args, position))).unwrap_or(0);
    let start = offset_from_either_end(integer(arg(args, 1)), || text.len()).min(text.len());
    let end = if args.len() > 2 { start.saturating_add(count(2)).min(text.len()) } else { text.len() };
    let n_left = count(3);
    let n_right = if args.len() > 4 { count(4) } else { n_left };
    if text.get(start..end).is_none() {
        return ctx.warn(BAD_PARAMETER, "substring is cut inside of a character");
    }
    let before = part(text, 0, start);
    let after = part(text, end, text.len());
    let start = match n_left {
        0 => start,
        _ => before.char_indices().rev().nth(n_left - 1).map_or(0, |(offset, _)| offset),
    };
    let end = end + byte_offset(after, n_right);
    Ok(Value::from_str(part(text, start, end)))
}

fn reverse<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let value = arg(args, 0);
    if let View::Str(text) = value.view() {
        let mut reversed = bumpalo::collections::String::with_capacity_in(text.len(), ctx.arena);
        reversed.extend(text.chars().rev());
        return Ok(Value::from_str(reversed.into_bump_str()));
    }
    match ctx.members(value)? {
        Some(members) => ctx.array(members.iter().rev().copied()),
        None => ctx.array_expected(),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn lengths() {
        check("CHAR_LENGTH(\"pear\")", "4");
        check("CHAR_LENGTH(\"🥑é\")", "2");
        check("CHAR_LENGTH(true)", "4");
        check("CHAR_LENGTH(false)", "5");
        check("CHAR_LENGTH(null)", "0");
        check("CHAR_LENGTH({\"pear\":\"x\"})", "12");
    }

    #[test]
    fn ends() {
        check("LEFT(\"avocado\",3)", "\"avo\"");
        check("LEFT(\"avocado\",99)", "\"avocado\"");
        check("LEFT(\"avocado\",-1)", "\"\"");
        check("LEFT(\"avocado\",-1.5)", "\"\"");
        check("LEFT(\"avocado\",null)", "\"\"");
        check("LEFT(\"avocado\",true)", "\"a\"");
        check("LEFT(\"avocado\",\"x\")", "\"\"");
        check("LEFT(null,2)", "\"\"");
        check("LEFT(12345,2)", "\"12\"");
        check("LEFT([],1)", "\"[\"");
        check("LEFT(\"größe\",4)", "\"größ\"");
        check("RIGHT(\"größe\",3)", "\"öße\"");
        check("RIGHT(\"avocado\",99)", "\"avocado\"");
        check("RIGHT({},1)", "\"}\"");
        check("RIGHT(true,2)", "\"ue\"");
        check("RIGHT(\"avocado\",-1)", "\"\"");
    }

    #[test]
    fn substrings() {
        check("SUBSTRING(\"green avocado\",6)", "\"avocado\"");
        check("SUBSTRING(\"green avocado\",6,3)", "\"avo\"");
        check("SUBSTRING(\"green avocado\",-7,3)", "\"avo\"");
        check("SUBSTRING(\"green\",-99,2)", "\"gr\"");
        check("SUBSTRING(\"green\",99)", "\"\"");
        check("SUBSTRING(\"green\",1,-1)", "\"\"");
        check("SUBSTRING(\"größe\",2,2)", "\"öß\"");
        check("SUBSTRING_BYTES(\"We ❤️ it\",3,3)", "\"❤\"");
        check("SUBSTRING_BYTES(\"We ❤️ it\",10)", "\"it\"");
        check("SUBSTRING_BYTES(\"green avocado\",6,3,2)", "\"n avoca\"");
        check("SUBSTRING_BYTES(\"green avocado\",6,3,1,3)", "\" avocad\"");
        check("SUBSTRING_BYTES(\"green\",1,-3)", "\"\"");
        check_warning("SUBSTRING_BYTES(\"We ❤️ it\",4,3)", "null", 10);
        check_warning("SUBSTRING_BYTES(7,4,3)", "null", 1542);
    }

    #[test]
    fn reversal() {
        check("REVERSE(\"pear\")", "\"raep\"");
        check("REVERSE(\"a🥑b\")", "\"b🥑a\"");
        check("REVERSE([1,[2],3])", "[3,[2],1]");
        check("REVERSE(1..3)", "[3,2,1]");
        check_warning("REVERSE(5)", "null", 1563);
    }
}
