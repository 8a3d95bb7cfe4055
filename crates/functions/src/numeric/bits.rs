//! Bit functions: on whole numbers from 0 to 2³²−1. Anything else gives null and a warning.

use persea_order::{Value, View};

use crate::aggregate::BitOperation;
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("BIT_AND", (1, 2), "BIT_AND(listOrNumber [, number])", "Bitwise and of numbers.", bit_and),
    Function::new(
        "BIT_CONSTRUCT",
        (1, 1),
        "BIT_CONSTRUCT(positions)",
        "Number with the bits at these positions set.",
        bit_construct,
    ),
    Function::new(
        "BIT_DECONSTRUCT",
        (1, 1),
        "BIT_DECONSTRUCT(number)",
        "Positions of the bits set.",
        bit_deconstruct,
    ),
    Function::new(
        "BIT_FROM_STRING",
        (1, 1),
        "BIT_FROM_STRING(text)",
        "Number from binary digits.",
        bit_from_string,
    ),
    Function::new("BIT_NEGATE", (2, 2), "BIT_NEGATE(number, bits)", "The lowest bits inverted.", bit_negate),
    Function::new("BIT_OR", (1, 2), "BIT_OR(listOrNumber [, number])", "Bitwise or of numbers.", bit_or),
    Function::new("BIT_POPCOUNT", (1, 1), "BIT_POPCOUNT(number)", "Number of bits set.", bit_popcount),
    Function::new(
        "BIT_SHIFT_LEFT",
        (3, 3),
        "BIT_SHIFT_LEFT(number, shift, bits)",
        "Bits moved up.",
        bit_shift_left,
    ),
    Function::new(
        "BIT_SHIFT_RIGHT",
        (3, 3),
        "BIT_SHIFT_RIGHT(number, shift, bits)",
        "Bits moved down.",
        bit_shift_right,
    ),
    Function::new("BIT_TEST", (2, 2), "BIT_TEST(number, index)", "Whether a bit is set.", bit_test),
    Function::new(
        "BIT_TO_STRING",
        (2, 2),
        "BIT_TO_STRING(number, bits)",
        "Binary digits of a number.",
        bit_to_string,
    ),
    Function::new(
        "BIT_XOR",
        (1, 2),
        "BIT_XOR(listOrNumber [, number])",
        "Bitwise exclusive or of numbers.",
        bit_xor,
    ),
];

/// The 32-bit number in a value, if it is one.
pub(crate) fn bit_operand(value: Value<'_>) -> Option<u32> {
    match value.view() {
        View::Int(number) => u32::try_from(number).ok(),
        View::UInt(number) => u32::try_from(number).ok(),
        View::Double(number) => {
            let whole = number as u32;
            (f64::from(whole) == number).then_some(whole)
        }
        _ => None,
    }
}

/// A number of at most `max`.
fn bounded(value: Value<'_>, max: u32) -> Option<u32> {
    bit_operand(value).filter(|number| *number <= max)
}

fn low_bits(n_bits: u32) -> u32 {
    if n_bits >= 32 { u32::MAX } else { (1 << n_bits) - 1 }
}

fn from_bits<'a>(bits: u32) -> Result<Value<'a>, Error> {
    Ok(Value::from_i64(i64::from(bits)))
}

fn bit_and<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    combine(ctx, args, BitOperation::And)
}

fn bit_or<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    combine(ctx, args, BitOperation::Or)
}

fn bit_xor<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    combine(ctx, args, BitOperation::Xor)
}

fn combine<'a>(ctx: &Context<'a>, args: &[Value<'a>], operation: BitOperation) -> Result<Value<'a>, Error> {
    let first = arg(args, 0);
    if args.len() > 1 {
        return match (bit_operand(first), bit_operand(arg(args, 1))) {
            (Some(left), Some(right)) => from_bits(operation.apply(left, right)),
            _ => ctx.invalid_argument(),
        };
    }
    if !first.is_array() {
        return ctx.invalid_argument();
    }
    let mut result: Option<u32> = None;
    for member in ctx.elements(first).filter(|member| !member.is_null()) {
        let Some(bits) = bit_operand(member) else { return ctx.invalid_argument() };
        result = Some(result.map_or(bits, |mask| operation.apply(mask, bits)));
    }
    Ok(result.map_or(Value::NULL, |bits| Value::from_i64(i64::from(bits))))
}

fn bit_negate<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match (bit_operand(arg(args, 0)), bounded(arg(args, 1), 32)) {
        (Some(bits), Some(n_bits)) => from_bits(!bits & low_bits(n_bits)),
        _ => ctx.invalid_argument(),
    }
}

fn bit_test<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match (bit_operand(arg(args, 0)), bounded(arg(args, 1), 31)) {
        (Some(bits), Some(position)) => Ok(Value::from_bool(bits >> position & 1 == 1)),
        _ => ctx.invalid_argument(),
    }
}

fn bit_popcount<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match bit_operand(arg(args, 0)) {
        Some(bits) => from_bits(bits.count_ones()),
        None => ctx.invalid_argument(),
    }
}

fn bit_shift_left<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    shift(ctx, args, u32::checked_shl)
}

fn bit_shift_right<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    shift(ctx, args, u32::checked_shr)
}

fn shift<'a>(
    ctx: &Context<'a>,
    args: &[Value<'a>],
    operation: fn(u32, u32) -> Option<u32>,
) -> Result<Value<'a>, Error> {
    match (bit_operand(arg(args, 0)), bounded(arg(args, 1), 32), bounded(arg(args, 2), 32)) {
        (Some(bits), Some(distance), Some(n_bits)) => {
            from_bits(operation(bits, distance).unwrap_or(0) & low_bits(n_bits))
        }
        _ => ctx.invalid_argument(),
    }
}

fn bit_construct<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let list = arg(args, 0);
    if !list.is_array() {
        return ctx.invalid_argument();
    }
    let mut bits = 0;
    for member in ctx.elements(list) {
        match bounded(member, 31) {
            Some(position) => bits |= 1 << position,
            None => return ctx.invalid_argument(),
        }
    }
    from_bits(bits)
}

fn bit_deconstruct<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(bits) = bit_operand(arg(args, 0)) else { return ctx.invalid_argument() };
    ctx.array((0..32).filter(|position| bits >> position & 1 == 1).map(Value::from_i64))
}

fn bit_to_string<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match (bit_operand(arg(args, 0)), bounded(arg(args, 1), 32)) {
        (Some(bits), Some(n_bits)) => {
            let mut text = bumpalo::collections::String::new_in(ctx.arena);
            text.extend((0..n_bits).rev().map(|position| if bits >> position & 1 == 1 { '1' } else { '0' }));
            Ok(Value::from_str(text.into_bump_str()))
        }
        _ => ctx.invalid_argument(),
    }
}

fn bit_from_string<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let Some(text) = arg(args, 0).as_str() else { return ctx.invalid_argument() };
    if text.len() > 32 || !text.bytes().all(|digit| matches!(digit, b'0' | b'1')) {
        return ctx.invalid_argument();
    }
    from_bits(text.bytes().fold(0, |bits, digit| bits << 1 | u32::from(digit == b'1')))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn combinations() {
        check("BIT_AND([1,2,4])", "0");
        check("BIT_AND([7,15,63])", "7");
        check("BIT_AND([255,null,12])", "12");
        check("BIT_AND(127,255)", "127");
        check("BIT_AND([null])", "null");
        check("BIT_OR([1,2,8])", "11");
        check("BIT_OR(255,3)", "255");
        check("BIT_XOR([3,7,63])", "59");
        check("BIT_XOR(255,257)", "510");
        check_warning("BIT_AND(\"x\")", "null", 1542);
        check_warning("BIT_OR([1,-1])", "null", 1542);
        check_warning("BIT_XOR(1.5,1)", "null", 1542);
        check_warning("BIT_XOR(4294967296,1)", "null", 1542);
    }

    #[test]
    fn single_numbers() {
        check("BIT_NEGATE(0,4)", "15");
        check("BIT_NEGATE(3,4)", "12");
        check("BIT_NEGATE(0,32)", "4294967295");
        check("BIT_TEST(5,0)", "true");
        check("BIT_TEST(5,1)", "false");
        check_warning("BIT_TEST(1,32)", "null", 1542);
        check("BIT_POPCOUNT(255)", "8");
        check("BIT_POPCOUNT(0)", "0");
        check_warning("BIT_POPCOUNT(\"x\")", "null", 1542);
    }

    #[test]
    fn shifts() {
        check("BIT_SHIFT_LEFT(7,1,16)", "14");
        check("BIT_SHIFT_LEFT(2,10,16)", "2048");
        check("BIT_SHIFT_LEFT(255,1,8)", "254");
        check("BIT_SHIFT_LEFT(255,32,32)", "0");
        check("BIT_SHIFT_RIGHT(33,1,16)", "16");
        check("BIT_SHIFT_RIGHT(65536,13,16)", "8");
        check_warning("BIT_SHIFT_RIGHT(1,33,8)", "null", 1542);
    }

    #[test]
    fn positions_and_texts() {
        check("BIT_CONSTRUCT([1,2,3])", "14");
        check("BIT_CONSTRUCT([0,31])", "2147483649");
        check_warning("BIT_CONSTRUCT([32])", "null", 1542);
        check("BIT_DECONSTRUCT(14)", "[1,2,3]");
        check("BIT_DECONSTRUCT(0)", "[]");
        check("BIT_TO_STRING(7,4)", "\"0111\"");
        check("BIT_TO_STRING(60,8)", "\"00111100\"");
        check("BIT_TO_STRING(1,0)", "\"\"");
        check("BIT_FROM_STRING(\"0111\")", "7");
        check("BIT_FROM_STRING(\"\")", "0");
        check_warning("BIT_FROM_STRING(\"012\")", "null", 1542);
        check_warning("BIT_FROM_STRING(7)", "null", 1542);
    }
}
