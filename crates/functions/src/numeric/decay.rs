//! `DECAY_GAUSS`, `DECAY_EXP`, `DECAY_LINEAR`: scores that fall with the distance from an origin.

use persea_order::Value;

use super::strict_number;
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "DECAY_EXP",
        (5, 5),
        "DECAY_EXP(value, origin, scale, offset, decay)",
        "Score that falls exponentially with distance.",
        decay_exp,
    ),
    Function::new(
        "DECAY_GAUSS",
        (5, 5),
        "DECAY_GAUSS(value, origin, scale, offset, decay)",
        "Score that falls on a bell curve with distance.",
        decay_gauss,
    ),
    Function::new(
        "DECAY_LINEAR",
        (5, 5),
        "DECAY_LINEAR(value, origin, scale, offset, decay)",
        "Score that falls linearly with distance.",
        decay_linear,
    ),
];

fn decay_gauss<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    score(ctx, args, |distance, scale, decay| {
        let variance = -(scale * scale) / (2.0 * decay.ln());
        (-(distance * distance) / (2.0 * variance)).exp()
    })
}

fn decay_exp<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    score(ctx, args, |distance, scale, decay| (decay.ln() / scale * distance).exp())
}

fn decay_linear<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    score(ctx, args, |distance, scale, decay| {
        let reach = scale / (1.0 - decay);
        ((reach - distance) / reach).max(0.0)
    })
}

/// Applies a curve (distance, scale, decay) to one number or to each number of a list.
fn score<'a>(
    ctx: &Context<'a>,
    args: &[Value<'a>],
    curve: fn(f64, f64, f64) -> f64,
) -> Result<Value<'a>, Error> {
    let numbers = [1, 2, 3, 4].map(|position| strict_number(arg(args, position)));
    let [Some(origin), Some(scale), Some(offset), Some(decay)] = numbers else {
        return ctx.invalid_argument();
    };
    if scale <= 0.0 || offset < 0.0 || decay <= 0.0 || decay >= 1.0 {
        return ctx.invalid_argument();
    }
    let score_of = |value: f64| {
        let distance = ((value - origin).abs() - offset).max(0.0);
        Value::from_f64(curve(distance, scale, decay))
    };
    let value = arg(args, 0);
    let Some(members) = ctx.members(value)? else {
        return match strict_number(value) {
            Some(number) => Ok(score_of(number)),
            None => ctx.invalid_argument(),
        };
    };
    let mut scores = ctx.vec();
    for member in members {
        match strict_number(member) {
            Some(number) => scores.push(score_of(number)),
            None => return ctx.invalid_argument(),
        }
    }
    ctx.array(scores)
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_near, check_warning};

    #[test]
    fn scores() {
        check("DECAY_GAUSS(12,10,5,2,0.5)", "1");
        check_near("DECAY_GAUSS([20,41],40,5,5,0.5)", &[0.0019531250000000017, 1.0]);
        check("DECAY_EXP(12,10,5,2,0.3)", "1");
        check_near("DECAY_EXP([2],0,10,0,0.2)", &[0.7247796636776955]);
        check_near("DECAY_LINEAR(5..7,0,10,0,0.2)", &[0.6, 0.52, 0.44]);
        check_near("DECAY_LINEAR([100],0,10,0,0.2)", &[0.0]);
        check_warning("DECAY_EXP(\"1\",0,10,0,0.2)", "null", 1542);
        check_warning("DECAY_EXP([1,null],0,10,0,0.2)", "null", 1542);
        check_warning("DECAY_EXP(1,0,0,0,0.2)", "null", 1542);
        check_warning("DECAY_EXP(1,0,10,-1,0.2)", "null", 1542);
        check_warning("DECAY_EXP(1,0,10,0,1)", "null", 1542);
    }
}
