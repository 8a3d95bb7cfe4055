//! `COSINE_SIMILARITY`, `L1_DISTANCE`, `L2_DISTANCE`: of two vectors, or of each row of a matrix and a vector.

use bumpalo::collections::Vec as BumpVec;
use persea_order::Value;

use super::strict_number;
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "COSINE_SIMILARITY",
        (2, 2),
        "COSINE_SIMILARITY(x, y)",
        "Cosine of the angle between vectors.",
        cosine_similarity,
    ),
    Function::new("L1_DISTANCE", (2, 2), "L1_DISTANCE(x, y)", "Manhattan distance of vectors.", l1_distance),
    Function::new("L2_DISTANCE", (2, 2), "L2_DISTANCE(x, y)", "Euclidean distance of vectors.", l2_distance),
];

fn cosine_similarity<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    pairwise(ctx, args, |left, right| {
        let (mut product, mut left_squares, mut right_squares) = (0.0, 0.0, 0.0);
        for (x, y) in left.iter().zip(right) {
            product += x * y;
            left_squares += x * x;
            right_squares += y * y;
        }
        let length = f64::sqrt(left_squares) * f64::sqrt(right_squares);
        (length != 0.0).then(|| (product / length).clamp(-1.0, 1.0))
    })
}

fn l1_distance<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    pairwise(ctx, args, |left, right| Some(left.iter().zip(right).map(|(x, y)| (x - y).abs()).sum()))
}

fn l2_distance<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    pairwise(ctx, args, |left, right| {
        let squares: f64 = left.iter().zip(right).map(|(x, y)| (x - y) * (x - y)).sum();
        Some(squares.sqrt())
    })
}

type Metric = fn(&[f64], &[f64]) -> Option<f64>;

fn pairwise<'a>(ctx: &Context<'a>, args: &[Value<'a>], metric: Metric) -> Result<Value<'a>, Error> {
    let (left, right) = (arg(args, 0), arg(args, 1));
    let (matrix, vector) = match (is_matrix(left), is_matrix(right)) {
        (true, true) => return ctx.invalid_argument(),
        (true, false) => (left, right),
        (false, true) => (right, left),
        (false, false) => {
            let (Some(left), Some(right)) = (numbers_of(ctx, left)?, numbers_of(ctx, right)?) else {
                return ctx.invalid_argument();
            };
            return match apply(metric, &left, &right) {
                Some(result) => Ok(Value::from_f64(result)),
                None => ctx.invalid_argument(),
            };
        }
    };
    let Some(vector) = numbers_of(ctx, vector)? else { return ctx.invalid_argument() };
    let mut results = ctx.vec();
    for row in matrix.elements() {
        let result = numbers_of(ctx, row)?.and_then(|row| apply(metric, &row, &vector));
        match result {
            Some(result) => results.push(Value::from_f64(result)),
            None => return ctx.invalid_argument(),
        }
    }
    ctx.array(results)
}

fn apply(metric: Metric, left: &[f64], right: &[f64]) -> Option<f64> {
    if left.len() != right.len() {
        return None;
    }
    metric(left, right)
}

fn is_matrix(value: Value<'_>) -> bool {
    value.is_array() && value.element(0).is_array()
}

/// The numbers of a list, or `None` if it is not a list of numbers.
fn numbers_of<'a>(ctx: &Context<'a>, value: Value<'a>) -> Result<Option<BumpVec<'a, f64>>, Error> {
    let Some(members) = ctx.members(value)? else { return Ok(None) };
    let mut numbers = BumpVec::with_capacity_in(members.len(), ctx.arena);
    for member in members {
        match strict_number(member) {
            Some(number) => numbers.push(number),
            None => return Ok(None),
        }
    }
    Ok(Some(numbers))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_near, check_warning};

    #[test]
    fn pairs() {
        check("COSINE_SIMILARITY([0,2],[3,0])", "0");
        check("COSINE_SIMILARITY([-2,0],[4,0])", "-1");
        check("L1_DISTANCE([-1,-1],[3,1])", "6");
        check("L1_DISTANCE([2.5],[4])", "1.5");
        check("L2_DISTANCE([1,1],[4,5])", "5");
    }

    #[test]
    fn matrices() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        check_near("COSINE_SIMILARITY([[1,0],[0,1],[1,1]],[1,1])", &[half, half, 1.0]);
        check("L1_DISTANCE([1,1],[[1,2],[-1,-2]])", "[1,5]");
        check("L2_DISTANCE([[0,0],[3,4]],[0,0])", "[0,5]");
    }

    #[test]
    fn wrong_arguments() {
        check_warning("COSINE_SIMILARITY([0,0],[1,0])", "null", 1542);
        check_warning("COSINE_SIMILARITY([1],[1,2])", "null", 1542);
        check_warning("L1_DISTANCE([1,\"2\"],[1,2])", "null", 1542);
        check_warning("L2_DISTANCE(1,[1])", "null", 1542);
        check_warning("L2_DISTANCE([[1]],[[1]])", "null", 1542);
    }
}
