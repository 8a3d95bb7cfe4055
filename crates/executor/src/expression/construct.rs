//! Values that are built: ranges, arrays, objects, and the results of functions.

use persea_functions::Function;
use persea_order::{Value, View, to_number};

use super::evaluate::{Evaluator, Frame};
use super::operand::{Operand, Rows};
use super::{Compiled, Key};
use crate::Error;

/// Most members of a range that may be laid out in memory.
pub(crate) const RANGE_MEMBERS_MAX: u64 = 10_000_000;

/// Refuses a range that is too long to be laid out.
pub(crate) fn check_range(value: Value<'_>) -> Result<(), Error> {
    match value.view() {
        View::Range(first, last) if first.abs_diff(last) >= RANGE_MEMBERS_MAX => Err(Error::NumberOutOfRange),
        _ => Ok(()),
    }
}

/// A bound of a range: cast to a number, cut to a whole one.
fn bound(value: Value<'_>) -> i64 {
    match to_number(value).view() {
        View::Int(number) => number,
        View::UInt(_) => i64::MAX,
        // The cast cuts toward zero and ends at the limits of the type.
        View::Double(number) => number as i64,
        _ => 0,
    }
}

impl<'s, 'q> Evaluator<'s, 'q> {
    pub(super) fn range(
        &self,
        from: &Compiled<'q>,
        to: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let from = self.operand(from, frame, rows)?;
        let to = self.operand(to, frame, rows)?;
        for position in 0..rows.len() {
            let bounds = (bound(from.get(position)), bound(to.get(position)));
            out.push(Value::range(self.arena().alloc(bounds)));
        }
        Ok(())
    }

    fn operands<'f>(
        &self,
        exprs: &[Compiled<'q>],
        frame: &Frame<'f, 's>,
        rows: Rows<'_>,
    ) -> Result<Vec<Operand<'f, 's>>, Error>
    where
        's: 'f,
    {
        exprs.iter().map(|expr| self.operand(expr, frame, rows)).collect()
    }

    pub(super) fn array(
        &self,
        members: &[Compiled<'q>],
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let members = self.operands(members, frame, rows)?;
        let mut builder = self.functions.builder();
        for position in 0..rows.len() {
            builder.open_array();
            for member in &members {
                let member = member.get(position);
                check_range(member)?;
                builder.add(member);
            }
            builder.close();
            out.push(builder.finish_value()?);
        }
        Ok(())
    }

    pub(super) fn object(
        &self,
        members: &[(Key<'q>, Compiled<'q>)],
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let mut parts = Vec::with_capacity(members.len());
        for (key, value) in members {
            let key = match key {
                Key::Name(name) => Operand::One(Value::from_str(name)),
                Key::Computed(key) => self.operand(key, frame, rows)?,
            };
            parts.push((key, self.operand(value, frame, rows)?));
        }
        let mut builder = self.functions.builder();
        for position in 0..rows.len() {
            builder.open_object();
            for (key, value) in &parts {
                let value = value.get(position);
                check_range(value)?;
                builder.entry(self.functions.text(key.get(position)), value);
            }
            builder.close();
            out.push(builder.finish_value()?);
        }
        Ok(())
    }

    pub(super) fn call(
        &self,
        function: &'static Function,
        args: &[Compiled<'q>],
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let args = self.operands(args, frame, rows)?;
        let mut values: Vec<Value<'s>> = vec![Value::NULL; args.len()];
        for position in 0..rows.len() {
            for (value, arg) in values.iter_mut().zip(&args) {
                *value = arg.get(position);
            }
            out.push(function.evaluate(&self.functions, &values)?);
        }
        Ok(())
    }
}
