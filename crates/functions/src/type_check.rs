//! Type checks: `IS_*` and `TYPENAME`. None of them ever warns.

use persea_order::{Value, View};

use crate::context::arg;
use crate::date::parse_date;
use crate::{Context, Error, Function};

pub(crate) const FUNCTIONS: &[Function] = &[
    Function::new("IS_ARRAY", (1, 1), "IS_ARRAY(value)", "Whether the value is an array.", is_array).lazy(),
    Function::new("IS_BOOL", (1, 1), "IS_BOOL(value)", "Whether the value is a boolean.", is_bool).lazy(),
    Function::new(
        "IS_DATESTRING",
        (1, 1),
        "IS_DATESTRING(value)",
        "Whether the value is a text that date functions understand.",
        is_datestring,
    )
    .lazy(),
    Function::new("IS_DOCUMENT", (1, 1), "IS_DOCUMENT(value)", "Whether the value is an object.", is_object)
        .lazy(),
    Function::new(
        "IS_IPV4",
        (1, 1),
        "IS_IPV4(value)",
        "Whether the value is the text of an IPv4 address.",
        is_ipv4,
    )
    .lazy(),
    Function::new(
        "IS_KEY",
        (1, 1),
        "IS_KEY(value)",
        "Whether the value is a text that can be a document key.",
        is_key,
    )
    .lazy(),
    Function::new("IS_LIST", (1, 1), "IS_LIST(value)", "Whether the value is an array.", is_array).lazy(),
    Function::new("IS_NULL", (1, 1), "IS_NULL(value)", "Whether the value is null.", is_null).lazy(),
    Function::new("IS_NUMBER", (1, 1), "IS_NUMBER(value)", "Whether the value is a number.", is_number)
        .lazy(),
    Function::new("IS_OBJECT", (1, 1), "IS_OBJECT(value)", "Whether the value is an object.", is_object)
        .lazy(),
    Function::new("IS_STRING", (1, 1), "IS_STRING(value)", "Whether the value is a string.", is_string)
        .lazy(),
    Function::new("TYPENAME", (1, 1), "TYPENAME(value)", "Name of the value's type.", typename).lazy(),
];

fn is_null<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_bool(arg(args, 0).is_null()))
}

fn is_bool<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_bool(matches!(arg(args, 0).view(), View::Bool(_))))
}

fn is_number<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_bool(matches!(arg(args, 0).view(), View::Int(_) | View::UInt(_) | View::Double(_))))
}

fn is_string<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_bool(matches!(arg(args, 0).view(), View::Str(_))))
}

fn is_array<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_bool(arg(args, 0).is_array()))
}

fn is_object<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_bool(matches!(arg(args, 0).view(), View::Object(_))))
}

fn is_datestring<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let is_date = arg(args, 0).as_str().is_some_and(|text| parse_date(text).is_some());
    Ok(Value::from_bool(is_date))
}

fn is_ipv4<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let is_address = arg(args, 0).as_str().is_some_and(|text| parse_ipv4(text).is_some());
    Ok(Value::from_bool(is_address))
}

fn is_key<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_bool(arg(args, 0).as_str().is_some_and(is_valid_key)))
}

fn typename<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_str(arg(args, 0).type_name()))
}

/// Four octets from 0 to 255 without padding zeros.
pub(crate) fn parse_ipv4(text: &str) -> Option<u32> {
    let mut address: u32 = 0;
    let mut n_octets = 0;
    for part in text.split('.') {
        let is_plain = (1..=3).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'));
        if !is_plain || n_octets == 4 {
            return None;
        }
        address = (address << 8) | u32::from(part.parse::<u8>().ok()?);
        n_octets += 1;
    }
    (n_octets == 4).then_some(address)
}

/// Whether a text can be a `_key`: 1 to 254 bytes out of letters, digits and a few signs.
pub(crate) fn is_valid_key(text: &str) -> bool {
    (1..=254).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-:.@()+,=;$!*'%".contains(&byte))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn kinds() {
        check("IS_NULL(null)", "true");
        check("IS_NULL(0)", "false");
        check("IS_NULL(false)", "false");
        check("IS_BOOL(true)", "true");
        check("IS_BOOL(1)", "false");
        check("IS_NUMBER(-2.75)", "true");
        check("IS_NUMBER(18446744073709551615)", "true");
        check("IS_NUMBER(\"2\")", "false");
        check("IS_STRING(\"\")", "true");
        check("IS_STRING(null)", "false");
        check("IS_ARRAY([])", "true");
        check("IS_LIST(2..4)", "true");
        check("IS_ARRAY({})", "false");
        check("IS_OBJECT({})", "true");
        check("IS_DOCUMENT({\"a\":1})", "true");
        check("IS_OBJECT([])", "false");
    }

    #[test]
    fn type_names() {
        check("TYPENAME(null)", "\"null\"");
        check("TYPENAME(false)", "\"bool\"");
        check("TYPENAME(-3.5)", "\"number\"");
        check("TYPENAME(\"\")", "\"string\"");
        check("TYPENAME([])", "\"array\"");
        check("TYPENAME(1..2)", "\"array\"");
        check("TYPENAME({})", "\"object\"");
    }

    #[test]
    fn dates_addresses_keys() {
        check("IS_DATESTRING(\"1987\")", "true");
        check("IS_DATESTRING(\"1987-11\")", "true");
        check("IS_DATESTRING(\"1987-02-31\")", "true");
        check("IS_DATESTRING(\"1987-13-01\")", "false");
        check("IS_DATESTRING(563587200000)", "false");
        check("IS_IPV4(\"10.0.0.254\")", "true");
        check("IS_IPV4(\"010.0.0.1\")", "false");
        check("IS_IPV4(\"1234.5.6.7\")", "false");
        check("IS_IPV4(\"256.1.1.1\")", "false");
        check("IS_IPV4(\"1.2.3\")", "false");
        check("IS_IPV4(\"1.2.3.4.5\")", "false");
        check("IS_IPV4(77)", "false");
        check("IS_KEY(\"pear-1\")", "true");
        check("IS_KEY(\"pear/1\")", "false");
        check("IS_KEY(\"\")", "false");
        check("IS_KEY(5)", "false");
    }
}
