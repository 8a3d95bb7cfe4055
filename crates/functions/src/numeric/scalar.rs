//! Functions of one or two numbers. Arguments are cast without a warning; a result that is not finite is null.

use persea_order::{Value, View};
use rand::Rng;

use super::number;
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("ABS", (1, 1), "ABS(value)", "Distance of a number from zero.", abs),
    Function::new("ACOS", (1, 1), "ACOS(value)", "Arc cosine.", acos),
    Function::new("ASIN", (1, 1), "ASIN(value)", "Arc sine.", asin),
    Function::new("ATAN", (1, 1), "ATAN(value)", "Arc tangent.", atan),
    Function::new("ATAN2", (2, 2), "ATAN2(y, x)", "Angle of a point.", atan2),
    Function::new("CEIL", (1, 1), "CEIL(value)", "The integer not below the number.", ceil),
    Function::new("COS", (1, 1), "COS(value)", "Cosine.", cos),
    Function::new("DEGREES", (1, 1), "DEGREES(value)", "Radians in degrees.", degrees),
    Function::new("EXP", (1, 1), "EXP(value)", "Power of Euler's number.", exp),
    Function::new("EXP2", (1, 1), "EXP2(value)", "Power of two.", exp2),
    Function::new("FLOOR", (1, 1), "FLOOR(value)", "The integer not above the number.", floor),
    Function::new("LOG", (1, 1), "LOG(value)", "Natural logarithm.", log),
    Function::new("LOG10", (1, 1), "LOG10(value)", "Logarithm to base 10.", log10),
    Function::new("LOG2", (1, 1), "LOG2(value)", "Logarithm to base 2.", log2),
    Function::new("PI", (0, 0), "PI()", "Circumference over diameter.", pi),
    Function::new("POW", (2, 2), "POW(base, exponent)", "Power.", pow),
    Function::new("RADIANS", (1, 1), "RADIANS(value)", "Degrees in radians.", radians),
    Function::new("RAND", (0, 0), "RAND()", "A random number between 0 and 1.", rand).volatile(),
    Function::new("RANDOM", (0, 0), "RANDOM()", "A random number between 0 and 1.", rand).volatile(),
    Function::new("ROUND", (1, 1), "ROUND(value)", "The nearest integer, halves up.", round),
    Function::new("SIN", (1, 1), "SIN(value)", "Sine.", sin),
    Function::new("SQRT", (1, 1), "SQRT(value)", "Square root.", sqrt),
    Function::new("TAN", (1, 1), "TAN(value)", "Tangent.", tan),
];

macro_rules! unary {
    ($($name:ident = $compute:expr;)*) => {
        $(fn $name<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
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

fn abs<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let value = arg(args, 0);
    Ok(match value.view() {
        View::Int(number) => Value::from_u64(number.unsigned_abs()),
        _ => Value::from_f64(number(value).abs()),
    })
}

fn atan2<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_f64(number(arg(args, 0)).atan2(number(arg(args, 1)))))
}

fn pow<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_f64(number(arg(args, 0)).powf(number(arg(args, 1)))))
}

fn pi<'a>(_: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(Value::from_f64(std::f64::consts::PI))
}

fn rand<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
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
