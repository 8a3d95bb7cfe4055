//! `TRIM`, `LTRIM`, `RTRIM`, `LOWER`, `UPPER`.

use persea_order::{Value, View};

use crate::context::arg;
use crate::numeric::integer;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("LOWER", (1, 1), "LOWER(text)", "The text in lower case.", lower),
    Function::new(
        "LTRIM",
        (1, 2),
        "LTRIM(text [, chars])",
        "The text without the characters at its start.",
        ltrim,
    ),
    Function::new(
        "RTRIM",
        (1, 2),
        "RTRIM(text [, chars])",
        "The text without the characters at its end.",
        rtrim,
    ),
    Function::new(
        "TRIM",
        (1, 2),
        "TRIM(text [, typeOrChars])",
        "The text without the characters at its ends.",
        trim,
    ),
    Function::new("UPPER", (1, 1), "UPPER(text)", "The text in upper case.", upper),
];

const WHITESPACE: &str = "\r\n\t ";

fn trim<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let text = ctx.text(arg(args, 0));
    let how = arg(args, 1);
    Ok(Value::from_str(match how.view() {
        View::Str(signs) => text.trim_matches(|character| signs.contains(character)),
        View::Int(_) | View::UInt(_) | View::Double(_) => match integer(how) {
            1 => text.trim_start_matches(is_whitespace),
            2 => text.trim_end_matches(is_whitespace),
            _ => text.trim_matches(is_whitespace),
        },
        _ => text.trim_matches(is_whitespace),
    }))
}

fn is_whitespace(character: char) -> bool {
    WHITESPACE.contains(character)
}

/// The characters to cut off: the second argument, if there is one.
fn signs<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> &'a str {
    if args.len() > 1 { ctx.text(arg(args, 1)) } else { WHITESPACE }
}

fn ltrim<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let signs = signs(ctx, args);
    let text = ctx.text(arg(args, 0));
    Ok(Value::from_str(text.trim_start_matches(|character| signs.contains(character))))
}

fn rtrim<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let signs = signs(ctx, args);
    let text = ctx.text(arg(args, 0));
    Ok(Value::from_str(text.trim_end_matches(|character| signs.contains(character))))
}

fn lower<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let text = ctx.text(arg(args, 0));
    if text.is_ascii() {
        let copy = ctx.arena.alloc_str(text);
        copy.make_ascii_lowercase();
        return Ok(Value::from_str(copy));
    }
    Ok(ctx.string(&text.to_lowercase()))
}

fn upper<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let text = ctx.text(arg(args, 0));
    if text.is_ascii() {
        let copy = ctx.arena.alloc_str(text);
        copy.make_ascii_uppercase();
        return Ok(Value::from_str(copy));
    }
    Ok(ctx.string(&text.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn trims() {
        check("TRIM(\"  green pear  \")", "\"green pear\"");
        check("TRIM(\"  pear\\t \\r\\n \")", "\"pear\"");
        check("TRIM(\"  pear  \",1)", "\"pear  \"");
        check("TRIM(\"  pear  \",2)", "\"  pear\"");
        check("TRIM(\"  pear  \",7)", "\"pear\"");
        check("TRIM(\"--==[pear-plum]==--\",\"-=[]\")", "\"pear-plum\"");
        check("TRIM(\";a;b, \",\",; \")", "\"a;b\"");
        for second in ["null", "true", "[]", "{}", "-1", "3"] {
            check(&format!("TRIM(\" x \",{second})"), "\"x\"");
        }
        check("TRIM(null)", "\"\"");
        check("TRIM([])", "\"[]\"");
        check("LTRIM(\"  pear  \")", "\"pear  \"");
        check("LTRIM(\"--==[a-b]==--\",\"-=[]\")", "\"a-b]==--\"");
        check("RTRIM(\"  pear  \")", "\"  pear\"");
        check("RTRIM(\"--==[a-b]==--\",\"-=[]\")", "\"--==[a-b\"");
    }

    #[test]
    fn changes_case() {
        check("LOWER(\"PersEA\")", "\"persea\"");
        check("LOWER(\"ÄÖÜ É\")", "\"äöü é\"");
        check("UPPER(\"PersEA\")", "\"PERSEA\"");
        check("UPPER(\"größe\")", "\"GRÖSSE\"");
        check("UPPER(true)", "\"TRUE\"");
    }
}
