//! Type casts: `TO_BOOL`, `TO_NUMBER`, `TO_STRING`, `TO_ARRAY`.

use persea_order::{Value, View};

use crate::context::arg;
use crate::{Context, Error, Function};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new("TO_ARRAY", (1, 1), "TO_ARRAY(value)", "The value cast to an array.", to_array).lazy(),
    Function::new("TO_BOOL", (1, 1), "TO_BOOL(value)", "The value cast to a boolean.", to_bool).lazy(),
    Function::new("TO_LIST", (1, 1), "TO_LIST(value)", "The value cast to an array.", to_array).lazy(),
    Function::new("TO_NUMBER", (1, 1), "TO_NUMBER(value)", "The value cast to a number.", to_number),
    Function::new("TO_STRING", (1, 1), "TO_STRING(value)", "The value cast to a string.", to_string),
];

fn to_bool<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_bool(arg(args, 0).is_truthy()))
}

fn to_number<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(persea_order::to_number(arg(args, 0)))
}

fn to_string<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_str(ctx.text(arg(args, 0))))
}

fn to_array<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let value = arg(args, 0);
    match value.view() {
        View::Null => ctx.array([]),
        View::Array(_) | View::Range(..) => Ok(value),
        View::Object(object) => ctx.array(object.object_iter().map(|(_, member)| Value::from_slice(member))),
        _ => ctx.array([value]),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn bools() {
        check("TO_BOOL(null)", "false");
        check("TO_BOOL(0)", "false");
        check("TO_BOOL(-0.0)", "false");
        check("TO_BOOL(0.1)", "true");
        check("TO_BOOL(\"\")", "false");
        check("TO_BOOL(\"0\")", "true");
        check("TO_BOOL([])", "true");
        check("TO_BOOL({})", "true");
    }

    #[test]
    fn numbers() {
        check("TO_NUMBER(null)", "0");
        check("TO_NUMBER(true)", "1");
        check("TO_NUMBER(\" 17 \")", "17");
        check("TO_NUMBER(\"-2.5e1\")", "-25");
        check("TO_NUMBER(\"17x\")", "0");
        check("TO_NUMBER(\"\")", "0");
        check("TO_NUMBER([])", "0");
        check("TO_NUMBER([[\"8\"]])", "8");
        check("TO_NUMBER([8,9])", "0");
        check("TO_NUMBER({\"a\":8})", "0");
    }

    #[test]
    fn strings() {
        check("TO_STRING(null)", "\"\"");
        check("TO_STRING(false)", "\"false\"");
        check("TO_STRING(45)", "\"45\"");
        check("TO_STRING(-1.75)", "\"-1.75\"");
        check("TO_STRING(0.0000003)", "\"3e-7\"");
        check("TO_STRING([4,[5],\"s\"])", "\"[4,[5],\\\"s\\\"]\"");
        check("TO_STRING({\"b\":null,\"a\":\"x\"})", "\"{\\\"b\\\":null,\\\"a\\\":\\\"x\\\"}\"");
    }

    #[test]
    fn arrays() {
        check("TO_ARRAY(null)", "[]");
        check("TO_ARRAY(7)", "[7]");
        check("TO_LIST(\"a\")", "[\"a\"]");
        check("TO_ARRAY([1])", "[1]");
        check("TO_ARRAY({\"b\":1,\"a\":[2]})", "[1,[2]]");
        check("TO_ARRAY(2..4)", "[2,3,4]");
    }
}
