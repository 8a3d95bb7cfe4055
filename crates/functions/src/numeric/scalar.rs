//! Functions of one or two numbers. Arguments are cast without a warning; a result that is not finite is null.

use persea_order::{Value, View};
use rand::Rng;

use super::number;
use crate::context::arg;
use crate::{Context, Error};

macro_rules! unary {
    ($($name:ident = $compute:expr;)*) => {
        $(pub(crate) fn $name<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
            let compute: fn(f64) -> f64 = $compute;
            Ok(Value::from_f64(compute(number(arg(args, 0)))))
        })*
    };
}

unary! {
    acos = f64::acos;
    asin = f64::asin;
    atan = f64::atan;
    ceil = f64::ceil;
    cos = f64::cos;
    degrees = |radians| radians * (180.0 / std::f64::consts::PI);
    exp = f64::exp;
    exp2 = f64::exp2;
    floor = f64::floor;
    log = f64::ln;
    log10 = f64::log10;
    log2 = f64::log2;
    radians = |degrees| degrees * (std::f64::consts::PI / 180.0);
    // Halves go up, also below zero.
    round = |value| (value + 0.5).floor();
    sin = f64::sin;
    sqrt = f64::sqrt;
    tan = f64::tan;
}

pub(crate) fn abs<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let value = arg(args, 0);
    Ok(match value.view() {
        View::Int(number) => Value::from_u64(number.unsigned_abs()),
        _ => Value::from_f64(number(value).abs()),
    })
}

pub(crate) fn atan2<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_f64(number(arg(args, 0)).atan2(number(arg(args, 1)))))
}

pub(crate) fn pow<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_f64(number(arg(args, 0)).powf(number(arg(args, 1)))))
}

pub(crate) fn pi<'a>(_: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_f64(std::f64::consts::PI))
}

pub(crate) fn rand<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    // The interval is open at both ends.
    let number: f64 = ctx.env.with_rng(|rng| rng.sample(rand::distr::Open01));
    Ok(Value::from_f64(number))
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn rounding() {
        check("ABS(-8)", "8");
        check("ABS(\"-8.5\")", "8.5");
        check("ABS(null)", "0");
        check("CEIL(7.01)", "8");
        check("CEIL(-7.9)", "-7");
        check("FLOOR(7.99)", "7");
        check("FLOOR(-7.1)", "-8");
        check("ROUND(7.49)", "7");
        check("ROUND(7.5)", "8");
        check("ROUND(-7.5)", "-7");
        check("ROUND(-7.51)", "-8");
        check("ROUND([\"7.5\"])", "8");
    }

    #[test]
    fn powers_and_logarithms() {
        check("POW(3,4)", "81");
        check("POW(4,-1)", "0.25");
        check("POW(9,0)", "1");
        check("POW(81,0.25)", "3");
        check("POW(-1,0.5)", "null");
        check("POW(10,400)", "null");
        check("EXP(1)", "2.718281828459045");
        check("EXP2(10)", "1024");
        check("LOG(1)", "0");
        check("LOG(0)", "null");
        check("LOG(-3)", "null");
        check("LOG2(256)", "8");
        check("LOG10(1000)", "3");
        check("SQRT(16)", "4");
        check("SQRT(-16)", "null");
    }

    #[test]
    fn angles() {
        check("PI()", "3.141592653589793");
        check("DEGREES(3.141592653589793)", "180");
        check("RADIANS(90)", "1.5707963267948966");
        check("SIN(0)", "0");
        check("COS(0)", "1");
        check("COS(1)", "0.5403023058681398");
        check("TAN(0)", "0");
        check("ACOS(-1)", "3.141592653589793");
        check("ACOS(1.5)", "null");
        check("ASIN(1)", "1.5707963267948966");
        check("ASIN(\"x\")", "0");
        check("ATAN(-1)", "-0.7853981633974483");
        check("ATAN2(0,0)", "0");
        check("ATAN2(1,0)", "1.5707963267948966");
    }
}
