//! Aggregates: what `COLLECT … AGGREGATE` and `WINDOW … AGGREGATE` compute over a group.
//!
//! A group's state is one [`AggregateState`]: plain numbers for counts, sums, averages, variances and bit
//! masks; heap memory only where values themselves must be kept (`MIN`/`MAX` of strings, `UNIQUE`, `PUSH`).

mod bits;
mod extreme;
mod moments;
mod values;

use bumpalo::Bump;
use persea_order::Value;

use crate::{Environment, Error};
pub(crate) use bits::BitOperation;
use bits::Bits;
use extreme::Extreme;
use moments::{Average, Sum};
pub(crate) use moments::{Moments, number_or_null};
use values::{DistinctValues, PushedValues};

/// Which aggregate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AggregateKind {
    /// `LENGTH`, `COUNT`: rows, nulls included.
    Count,
    /// `MIN`: smallest value other than null.
    Min,
    /// `MAX`: largest value.
    Max,
    /// `SUM`.
    Sum,
    /// `AVERAGE`, `AVG`.
    Average,
    /// `VARIANCE_POPULATION`, `VARIANCE`.
    VariancePopulation,
    /// `VARIANCE_SAMPLE`.
    VarianceSample,
    /// `STDDEV_POPULATION`, `STDDEV`.
    StddevPopulation,
    /// `STDDEV_SAMPLE`.
    StddevSample,
    /// `UNIQUE`: distinct values in order of their first occurrence.
    Unique,
    /// `SORTED_UNIQUE`: distinct values in AQL order.
    SortedUnique,
    /// `COUNT_DISTINCT`, `COUNT_UNIQUE`.
    CountDistinct,
    /// `BIT_AND`.
    BitAnd,
    /// `BIT_OR`.
    BitOr,
    /// `BIT_XOR`.
    BitXor,
    /// `PUSH`: all values in order.
    Push,
}

/// The aggregate of that name (upper-case), if the function can be used as one.
pub fn aggregate(name_upper: &str) -> Option<AggregateKind> {
    Some(match name_upper {
        "LENGTH" | "COUNT" => AggregateKind::Count,
        "MIN" => AggregateKind::Min,
        "MAX" => AggregateKind::Max,
        "SUM" => AggregateKind::Sum,
        "AVERAGE" | "AVG" => AggregateKind::Average,
        "VARIANCE_POPULATION" | "VARIANCE" => AggregateKind::VariancePopulation,
        "VARIANCE_SAMPLE" => AggregateKind::VarianceSample,
        "STDDEV_POPULATION" | "STDDEV" => AggregateKind::StddevPopulation,
        "STDDEV_SAMPLE" => AggregateKind::StddevSample,
        "UNIQUE" => AggregateKind::Unique,
        "SORTED_UNIQUE" => AggregateKind::SortedUnique,
        "COUNT_DISTINCT" | "COUNT_UNIQUE" => AggregateKind::CountDistinct,
        "BIT_AND" => AggregateKind::BitAnd,
        "BIT_OR" => AggregateKind::BitOr,
        "BIT_XOR" => AggregateKind::BitXor,
        "PUSH" => AggregateKind::Push,
        _ => return None,
    })
}

impl AggregateKind {
    /// Whether the result does not depend on the values that come in, only on how many.
    pub fn only_counts(self) -> bool {
        self == Self::Count
    }
}

/// Running state of one aggregate over one group.
///
/// ```
/// use bumpalo::Bump;
/// use persea_functions::{AggregateState, Environment, aggregate};
/// use persea_order::Value;
///
/// let mut average = AggregateState::new(aggregate("AVG").expect("an aggregate"));
/// average.add_column(&[Value::from_i64(3), Value::NULL, Value::from_i64(4)])?;
/// let (arena, env) = (Bump::new(), Environment::new());
/// assert!(persea_order::equal(average.finish(&arena, &env)?, Value::from_f64(3.5)));
/// # Ok::<(), persea_functions::Error>(())
/// ```
#[derive(Debug)]
pub struct AggregateState {
    kind: AggregateKind,
    state: State,
}

#[derive(Debug)]
enum State {
    Count(u64),
    Extreme(Extreme),
    Sum(Sum),
    Average(Average),
    Moments(Moments),
    Distinct(DistinctValues),
    Bits(Bits),
    Push(PushedValues),
}

impl AggregateState {
    /// The state of an empty group.
    pub fn new(kind: AggregateKind) -> Self {
        use AggregateKind as Kind;
        let state = match kind {
            Kind::Count => State::Count(0),
            Kind::Min | Kind::Max => State::Extreme(Extreme::default()),
            Kind::Sum => State::Sum(Sum::default()),
            Kind::Average => State::Average(Average::default()),
            Kind::VariancePopulation | Kind::VarianceSample | Kind::StddevPopulation | Kind::StddevSample => {
                State::Moments(Moments::default())
            }
            Kind::Unique | Kind::SortedUnique | Kind::CountDistinct => {
                State::Distinct(DistinctValues::default())
            }
            Kind::BitAnd => State::Bits(Bits::new(BitOperation::And)),
            Kind::BitOr => State::Bits(Bits::new(BitOperation::Or)),
            Kind::BitXor => State::Bits(Bits::new(BitOperation::Xor)),
            Kind::Push => State::Push(PushedValues::default()),
        };
        Self { kind, state }
    }

    /// Which aggregate this is.
    pub fn kind(&self) -> AggregateKind {
        self.kind
    }

    /// Takes in one value.
    ///
    /// # Errors
    ///
    /// [`Error::Build`] if a value that must be kept cannot be laid out.
    pub fn add(&mut self, value: Value<'_>) -> Result<(), Error> {
        match &mut self.state {
            State::Count(count) => *count += 1,
            State::Extreme(extreme) => match self.kind {
                AggregateKind::Min => extreme.add_min(value)?,
                _ => extreme.add_max(value)?,
            },
            State::Sum(sum) => sum.add(value),
            State::Average(average) => average.add(value),
            State::Moments(moments) => moments.add(value),
            State::Distinct(distinct) => distinct.add(value)?,
            State::Bits(bits) => bits.add(value),
            State::Push(pushed) => pushed.add(value)?,
        }
        Ok(())
    }

    /// Takes in a column of values: the kind is looked at once for all of them.
    ///
    /// # Errors
    ///
    /// As [`AggregateState::add`].
    pub fn add_column(&mut self, values: &[Value<'_>]) -> Result<(), Error> {
        match &mut self.state {
            State::Count(count) => *count += values.len() as u64,
            State::Extreme(extreme) if self.kind == AggregateKind::Min => {
                values.iter().try_for_each(|value| extreme.add_min(*value))?;
            }
            State::Extreme(extreme) => values.iter().try_for_each(|value| extreme.add_max(*value))?,
            State::Sum(sum) => values.iter().for_each(|value| sum.add(*value)),
            State::Average(average) => values.iter().for_each(|value| average.add(*value)),
            State::Moments(moments) => values.iter().for_each(|value| moments.add(*value)),
            State::Distinct(distinct) => values.iter().try_for_each(|value| distinct.add(*value))?,
            State::Bits(bits) => values.iter().for_each(|value| bits.add(*value)),
            State::Push(pushed) => values.iter().try_for_each(|value| pushed.add(*value))?,
        }
        Ok(())
    }

    /// Counts rows without looking at values; for `LENGTH()` and `COUNT()` without argument.
    pub fn add_rows(&mut self, n_rows: u64) {
        if let State::Count(count) = &mut self.state {
            *count += n_rows;
        }
    }

    /// The result, in the arena. The state stays as it is and can take in more.
    ///
    /// # Errors
    ///
    /// [`Error::Build`] if the result cannot be laid out.
    pub fn finish<'a>(&self, arena: &'a Bump, env: &'a Environment) -> Result<Value<'a>, Error> {
        use AggregateKind as Kind;
        Ok(match &self.state {
            State::Count(count) => Value::from_u64(*count),
            State::Extreme(extreme) => extreme.finish(arena),
            State::Sum(sum) => sum.finish(),
            State::Average(average) => average.finish(),
            State::Moments(moments) => match self.kind {
                Kind::VariancePopulation => moments.variance_population(),
                Kind::VarianceSample => moments.variance_sample(),
                Kind::StddevPopulation => moments.stddev_population(),
                _ => moments.stddev_sample(),
            },
            State::Distinct(distinct) => match self.kind {
                Kind::CountDistinct => Value::from_u64(distinct.len() as u64),
                Kind::SortedUnique => distinct.finish_sorted(arena, env)?,
                _ => distinct.finish(arena, env)?,
            },
            State::Bits(bits) => bits.finish(),
            State::Push(pushed) => pushed.finish(arena, env)?,
        })
    }

    /// Back to an empty group, keeping buffers.
    pub fn reset(&mut self) {
        match &mut self.state {
            State::Distinct(distinct) => distinct.clear(),
            State::Push(pushed) => pushed.clear(),
            _ => *self = Self::new(self.kind),
        }
    }

    /// Heap memory this state holds, in bytes, for the query's memory limit.
    pub fn heap_bytes(&self) -> usize {
        match &self.state {
            State::Extreme(extreme) => extreme.heap_bytes(),
            State::Distinct(distinct) => distinct.heap_bytes(),
            State::Push(pushed) => pushed.heap_bytes(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::json_of;

    fn check(name: &str, members: &str, expected: &str) {
        let arena = Bump::new();
        let env = Environment::new();
        let list = persea_json::parse(members.as_bytes()).unwrap();
        let values: Vec<Value> = Value::from_slice(list.as_slice()).elements().collect();
        let kind = aggregate(name).unwrap();
        let mut one_by_one = AggregateState::new(kind);
        for value in &values {
            one_by_one.add(*value).unwrap();
        }
        let mut column = AggregateState::new(kind);
        column.add_column(&values).unwrap();
        column.reset();
        column.add_column(&values).unwrap();
        for state in [one_by_one, column] {
            assert_eq!(json_of(state.finish(&arena, &env).unwrap()), expected, "{name} over {members}");
        }
    }

    #[test]
    fn counts() {
        check("LENGTH", "[]", "0");
        check("COUNT", "[null,1,\"x\"]", "3");
        check("COUNT_DISTINCT", "[]", "0");
        check("COUNT_DISTINCT", "[1,1.0,\"1\",null,null,[1],[1]]", "4");
    }

    #[test]
    fn extremes() {
        check("MIN", "[]", "null");
        check("MIN", "[null,null]", "null");
        check("MIN", "[null,7,3.5,null,4]", "3.5");
        check("MIN", "[\"b\",\"a\",[]]", "\"a\"");
        check("MAX", "[]", "null");
        check("MAX", "[null,7,3,9]", "9");
        check("MAX", "[1,\"a\",[0],null]", "[0]");
        check("MAX", "[\"pear\",\"plum\",\"fig\"]", "\"plum\"");
        check("MAX", "[18446744073709551615,1]", "18446744073709551615");
    }

    #[test]
    fn sums() {
        check("SUM", "[]", "null");
        check("SUM", "[null,null]", "0");
        check("SUM", "[1,2.5,null]", "3.5");
        check("SUM", "[1,\"2\",3]", "null");
        check("AVERAGE", "[]", "null");
        check("AVG", "[null]", "null");
        check("AVG", "[4,null,5]", "4.5");
        check("AVG", "[4,true]", "null");
    }

    #[test]
    fn spreads() {
        check("VARIANCE", "[2,4,4,4,5,5,7,9]", "4");
        check("STDDEV", "[2,4,4,4,5,5,7,9]", "2");
        check("VARIANCE_SAMPLE", "[1,null,3]", "2");
        check("VARIANCE_SAMPLE", "[1]", "null");
        check("STDDEV_SAMPLE", "[]", "null");
        check("STDDEV_POPULATION", "[5]", "0");
        check("VARIANCE", "[1,\"x\"]", "null");
    }

    #[test]
    fn collections_of_values() {
        check("UNIQUE", "[]", "[]");
        check(
            "UNIQUE",
            "[3,null,1,3.0,null,\"a\",{\"b\":1,\"c\":2},{\"c\":2,\"b\":1}]",
            "[3,null,1,\"a\",{\"b\":1,\"c\":2}]",
        );
        check("SORTED_UNIQUE", "[3,null,1,3]", "[null,1,3]");
        check("PUSH", "[]", "[]");
        check("PUSH", "[3,null,[1],3]", "[3,null,[1],3]");
    }

    #[test]
    fn bit_masks() {
        check("BIT_AND", "[]", "null");
        check("BIT_AND", "[7,null,13]", "5");
        check("BIT_OR", "[1,4]", "5");
        check("BIT_XOR", "[5,4]", "1");
        check("BIT_OR", "[1,-1]", "null");
        check("BIT_OR", "[1,4294967296]", "null");
        check("BIT_OR", "[1,\"x\"]", "null");
    }
}
