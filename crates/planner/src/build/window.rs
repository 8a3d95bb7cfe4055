//! WINDOW: constant bounds, aggregates over neighbouring rows.

use std::sync::Arc;

use persea_aql::ast;
use persea_vpack::VPackBuf;

use super::Builder;
use crate::error::Error;
use crate::plan::{Aggregate, Expr, NodeKind, SortKey, SortNode, WindowBounds, WindowNode};

impl Builder<'_> {
    pub(super) fn window(&mut self, statement: &ast::Window) -> Result<(), Error> {
        if !self.modified.is_empty() {
            return Err(Error::WindowAfterModification);
        }
        let range = statement.range.as_ref().map(|range| self.operand(range)).transpose()?;
        let preceding = self.bound(statement.preceding.as_ref())?;
        let following = self.bound(statement.following.as_ref())?;
        let bounds = match range {
            None => row_bounds(preceding.as_deref(), following.as_deref())?,
            Some(_) => range_bounds(preceding.as_deref(), following.as_deref())?,
        };
        self.hidden = statement.aggregates.iter().map(|aggregate| aggregate.variable.text.clone()).collect();
        let inputs: Vec<_> = statement
            .aggregates
            .iter()
            .map(|aggregate| self.aggregate_input(&aggregate.value))
            .collect::<Result<_, _>>()?;
        self.hidden.clear();
        if let Some(var) = range {
            let keys = vec![SortKey { var, ascending: true }];
            self.push(NodeKind::Sort(SortNode { keys, limit: None, stable: false }))?;
        }
        let mut aggregates = Vec::with_capacity(inputs.len());
        for (aggregate, (function, input)) in statement.aggregates.iter().zip(inputs) {
            aggregates.push(Aggregate { out: self.declare(&aggregate.variable.text)?, function, input });
        }
        self.push(NodeKind::Window(WindowNode { range, bounds, aggregates }))
    }

    fn bound(&mut self, source: Option<&ast::Expr>) -> Result<Option<Arc<VPackBuf>>, Error> {
        let Some(source) = source else { return Ok(None) };
        match self.expression(source)? {
            Expr::Const(constant) => Ok(Some(constant)),
            _ => Err(Error::Structure("WINDOW bounds must be constant".into())),
        }
    }
}

fn row_bounds(preceding: Option<&VPackBuf>, following: Option<&VPackBuf>) -> Result<WindowBounds, Error> {
    Ok(WindowBounds::Rows { preceding: row_bound(preceding)?, following: row_bound(following)? })
}

fn row_bound(bound: Option<&VPackBuf>) -> Result<Option<u64>, Error> {
    let Some(bound) = bound else { return Ok(Some(0)) };
    let slice = bound.as_slice();
    if matches!(slice.as_str(), Some("unbounded" | "inf")) {
        return Ok(None);
    }
    let whole = slice.as_u64().or_else(|| {
        slice.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0).map(|number| number as u64)
    });
    whole.filter(|_| slice.is_number()).map(Some).ok_or_else(|| {
        Error::BadParameter(
            "WINDOW row spec is invalid; bounds must be positive integers or \"unbounded\"".into(),
        )
    })
}

fn range_bounds(preceding: Option<&VPackBuf>, following: Option<&VPackBuf>) -> Result<WindowBounds, Error> {
    let text =
        |bound: Option<&VPackBuf>| bound.and_then(|bound| bound.as_slice().as_str().map(Arc::<str>::from));
    let number = |bound: Option<&VPackBuf>| match bound {
        None => Some(0.0),
        Some(bound) if bound.as_slice().is_number() => bound.as_slice().as_f64(),
        Some(_) => None,
    };
    if let (Some(preceding), Some(following)) = (number(preceding), number(following)) {
        return Ok(WindowBounds::Range { preceding, following });
    }
    let zero: Arc<str> = Arc::from("P0D");
    let durations = match (preceding, following) {
        (Some(_), None) => (text(preceding), Some(zero)),
        (None, Some(_)) => (Some(zero), text(following)),
        _ => (text(preceding), text(following)),
    };
    match durations {
        (Some(preceding), Some(following)) if is_duration(&preceding) && is_duration(&following) => {
            Ok(WindowBounds::Duration { preceding, following })
        }
        _ => Err(Error::BadParameter(
            "WINDOW range spec is invalid; bounds should be of the same type - either both numeric values, \
             or both ISO 8601 durations"
                .into(),
        )),
    }
}

/// Whether a text has the form of an ISO 8601 duration, such as `P1DT2H` or `PT0.5S`.
fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (date, time) = match rest.split_once('T') {
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    let parts = |text: &str, units: &str| -> Option<usize> {
        let mut units = units.chars();
        let mut count = 0;
        let mut digits = String::new();
        for character in text.chars() {
            if character.is_ascii_digit() || character == '.' || character == ',' {
                digits.push(character);
                continue;
            }
            let fraction = digits.split(['.', ',']).nth(1).map(str::len);
            let fraction_allowed =
                character == 'S' && fraction.is_none_or(|length| (1..=3).contains(&length));
            if digits.is_empty() || (fraction.is_some() && !fraction_allowed) {
                return None;
            }
            units.find(|unit| *unit == character)?;
            digits.clear();
            count += 1;
        }
        digits.is_empty().then_some(count)
    };
    match (parts(date, "YMWD"), time.map(|time| parts(time, "HMS"))) {
        (Some(date), None) => date > 0,
        (Some(_), Some(Some(time))) => time > 0,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_duration;

    #[test]
    fn durations_are_told_from_other_texts() {
        for good in ["PT30M", "P1D", "P1Y2M3W4DT5H6M7S", "PT0.125S", "P0D"] {
            assert!(is_duration(good), "{good}");
        }
        for bad in ["", "P", "PT", "1D", "P1", "P1.5D", "P1DT", "PT0.1234S", "P1D2Y"] {
            assert!(!is_duration(bad), "{bad}");
        }
    }
}
