//! Text in other clothes: `TO_BASE64`, `TO_HEX`, `ENCODE_URI_COMPONENT`, `TO_CHAR`, `JSON_PARSE`,
//! `JSON_STRINGIFY`, `IPV4_FROM_NUMBER`, `IPV4_TO_NUMBER`.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use persea_order::Value;

use crate::context::arg;
use crate::numeric::{bit_operand, strict_number};
use crate::type_check::parse_ipv4;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "ENCODE_URI_COMPONENT",
        (1, 1),
        "ENCODE_URI_COMPONENT(text)",
        "The text escaped for use in a URI.",
        encode_uri_component,
    ),
    Function::new(
        "IPV4_FROM_NUMBER",
        (1, 1),
        "IPV4_FROM_NUMBER(number)",
        "The text of an IPv4 address.",
        ipv4_from_number,
    ),
    Function::new(
        "IPV4_TO_NUMBER",
        (1, 1),
        "IPV4_TO_NUMBER(text)",
        "The number of an IPv4 address.",
        ipv4_to_number,
    ),
    Function::new(
        "JSON_PARSE",
        (1, 1),
        "JSON_PARSE(text)",
        "The value that a JSON text stands for.",
        json_parse,
    ),
    Function::new(
        "JSON_STRINGIFY",
        (1, 1),
        "JSON_STRINGIFY(value)",
        "The value as JSON text.",
        json_stringify,
    ),
    Function::new("TO_BASE64", (1, 1), "TO_BASE64(text)", "The text in Base64.", to_base64),
    Function::new("TO_CHAR", (1, 1), "TO_CHAR(codepoint)", "The character of a code point.", to_char),
    Function::new("TO_HEX", (1, 1), "TO_HEX(text)", "The bytes of the text in hexadecimal.", to_hex),
];

const LOWER_DIGITS: [char; 16] =
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];

/// Two lower-case digits a byte.
pub(super) fn hex<'a>(ctx: &Context<'a>, bytes: &[u8]) -> Value<'a> {
    let mut text = bumpalo::collections::String::with_capacity_in(bytes.len() * 2, ctx.arena);
    let digit = |half: u8| LOWER_DIGITS.get(usize::from(half)).copied().unwrap_or_default();
    text.extend(bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]));
    Value::from_str(text.into_bump_str())
}

fn to_hex<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(hex(ctx, ctx.text(arg(args, 0)).as_bytes()))
}

fn to_base64<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(ctx.string(&STANDARD.encode(ctx.text(arg(args, 0)))))
}

fn encode_uri_component<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let mut text = ctx.string_buffer();
    for byte in ctx.text(arg(args, 0)).bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string in memory does not fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    Ok(Value::from_str(text.into_bump_str()))
}

fn to_char<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let character = strict_number(arg(args, 0))
        .filter(|number| (0.0..=f64::from(u32::MAX)).contains(number))
        .and_then(|number| char::from_u32(number as u32));
    match character {
        Some(character) => Ok(ctx.string(character.encode_utf8(&mut [0; 4]))),
        None => ctx.invalid_argument(),
    }
}

fn json_parse<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(text) = arg(args, 0).as_str() else { return ctx.invalid_argument() };
    let mut builder = ctx.builder();
    let mut parser = ctx.env.json_parser.borrow_mut();
    let parsed = parser.get_or_insert_default().parse_into(text.as_bytes(), builder.as_builder());
    match parsed {
        Ok(()) => builder.finish(),
        Err(_) => ctx.invalid_argument(),
    }
}

fn json_stringify<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let mut builder = ctx.builder();
    builder.add(arg(args, 0));
    let text = persea_json::to_string(builder.as_builder().as_slice()?);
    Ok(ctx.string(&text))
}

fn ipv4_from_number<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match bit_operand(arg(args, 0)) {
        Some(address) => Ok(ctx.string(&std::net::Ipv4Addr::from(address).to_string())),
        None => ctx.invalid_argument(),
    }
}

fn ipv4_to_number<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match arg(args, 0).as_str().and_then(parse_ipv4) {
        Some(address) => Ok(Value::from_i64(i64::from(address))),
        None => ctx.invalid_argument(),
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn encodings() {
        check("TO_BASE64(\"ABC.\")", "\"QUJDLg==\"");
        check("TO_BASE64(\"pear\")", "\"cGVhcg==\"");
        check("TO_BASE64(\"\")", "\"\"");
        check("TO_HEX(\"ABC.\")", "\"4142432e\"");
        check("TO_HEX(\"ö\")", "\"c3b6\"");
        check("ENCODE_URI_COMPONENT(\"fünf %\")", "\"f%C3%BCnf%20%25\"");
        check("ENCODE_URI_COMPONENT(\"a-b_c.d!e~f*g'h(i)\")", "\"a-b_c.d!e~f*g'h(i)\"");
        check("ENCODE_URI_COMPONENT(\"/?&=\")", "\"%2F%3F%26%3D\"");
        check("TO_CHAR(216)", "\"Ø\"");
        check("TO_CHAR(129361)", "\"🥑\"");
        check_warning("TO_CHAR(-1)", "null", 1542);
        check_warning("TO_CHAR(\"65\")", "null", 1542);
        check_warning("TO_CHAR(55296)", "null", 1542);
    }

    #[test]
    fn json() {
        check("JSON_PARSE(\"17\")", "17");
        check("JSON_PARSE(\"[ true, null, -0.5 ]\")", "[true,null,-0.5]");
        check("JSON_PARSE(\"{\\\"a\\\": 1}\")", "{\"a\":1}");
        check("JSON_PARSE(\"\\\"pear\\\"\")", "\"pear\"");
        check_warning("JSON_PARSE(\"pear\")", "null", 1542);
        check_warning("JSON_PARSE(\"\")", "null", 1542);
        check_warning("JSON_PARSE(17)", "null", 1542);
        check("JSON_STRINGIFY(true)", "\"true\"");
        check("JSON_STRINGIFY(null)", "\"null\"");
        check("JSON_STRINGIFY(\"pe\\\"ar\")", "\"\\\"pe\\\\\\\"ar\\\"\"");
        check("JSON_STRINGIFY([1,{\"2\":0.5}])", "\"[1,{\\\"2\\\":0.5}]\"");
        check("JSON_STRINGIFY(1..3)", "\"[1,2,3]\"");
    }

    #[test]
    fn addresses() {
        check("IPV4_FROM_NUMBER(0)", "\"0.0.0.0\"");
        check("IPV4_FROM_NUMBER(167772161)", "\"10.0.0.1\"");
        check("IPV4_FROM_NUMBER(4294967295)", "\"255.255.255.255\"");
        check_warning("IPV4_FROM_NUMBER(-1)", "null", 1542);
        check_warning("IPV4_FROM_NUMBER(4294967296)", "null", 1542);
        check_warning("IPV4_FROM_NUMBER(\"1\")", "null", 1542);
        check("IPV4_TO_NUMBER(\"10.0.0.1\")", "167772161");
        check_warning("IPV4_TO_NUMBER(\"pear\")", "null", 1542);
        check_warning("IPV4_TO_NUMBER(\"010.0.0.1\")", "null", 1542);
    }
}
