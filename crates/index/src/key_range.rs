//! From comparisons to a range of entry keys.

use persea_order::{Value, prefix_successor, sort_key};

use crate::definition::IndexDefinition;
use crate::entry::{CUT_HASH_BYTES, cut_key};

/// One end of a range over an index field.
#[derive(Clone, Copy, Debug)]
pub struct RangeEnd<'a> {
    /// The value compared with.
    pub value: Value<'a>,
    /// Whether the value itself is inside.
    pub inclusive: bool,
}

impl<'a> RangeEnd<'a> {
    /// An end that is inside the range.
    pub fn inclusive(value: Value<'a>) -> RangeEnd<'a> {
        RangeEnd { value, inclusive: true }
    }

    /// An end that is outside of the range.
    pub fn exclusive(value: Value<'a>) -> RangeEnd<'a> {
        RangeEnd { value, inclusive: false }
    }
}

impl<'a> From<(Value<'a>, bool)> for RangeEnd<'a> {
    fn from((value, inclusive): (Value<'a>, bool)) -> RangeEnd<'a> {
        RangeEnd { value, inclusive }
    }
}

/// A half-open range of entry keys, valid for scans in both directions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRange {
    /// First key inside.
    pub start: Vec<u8>,
    /// First key outside; `None` when the range has no upper end.
    pub end: Option<Vec<u8>>,
    /// The range may hold entries that do not match, because keys that long are cut: the reader has to check the
    /// documents' values.
    pub recheck: bool,
}

impl KeyRange {
    /// True when no key can be inside.
    pub fn is_empty(&self) -> bool {
        self.end.as_ref().is_some_and(|end| *end <= self.start)
    }

    /// True when `key` is inside.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.start.as_slice() <= key && self.end.as_ref().is_none_or(|end| key < end.as_slice())
    }

    /// Makes this range the one of keys that start with `prefix` and whose next value lies between the ends; reuses
    /// the buffers.
    fn set(
        &mut self,
        eq: &[Value<'_>],
        lower: Option<RangeEnd<'_>>,
        upper: Option<RangeEnd<'_>>,
        limit: usize,
    ) {
        self.start.clear();
        eq.iter().for_each(|value| sort_key(*value, &mut self.start));
        let mut end = self.end.take().unwrap_or_default();
        end.clear();
        end.extend_from_slice(&self.start);
        if let Some(lower) = lower {
            sort_key(lower.value, &mut self.start);
        }
        let mut end_is_prefix = true;
        if let Some(upper) = upper {
            sort_key(upper.value, &mut end);
            end_is_prefix = upper.inclusive;
        }
        // Cut keys agree with whole ones up to here only; an end that is longer takes in all that start like it.
        let exact = limit.saturating_sub(CUT_HASH_BYTES);
        let start_is_cut = self.start.len() > exact;
        let end_is_cut = end.len() > exact;
        self.recheck = start_is_cut || end_is_cut;
        self.start.truncate(exact);
        end.truncate(exact);
        if lower.is_some_and(|lower| !lower.inclusive) && !start_is_cut {
            prefix_successor(&mut self.start);
        }
        let bounded = !(end_is_prefix || end_is_cut) || prefix_successor(&mut end);
        self.end = bounded.then_some(end);
    }
}

impl IndexDefinition {
    /// The range of entries whose first fields equal `eq` and whose next field lies between `lower` and `upper`.
    ///
    /// `limit` is the length that field keys were cut to. No values at all give the whole index.
    ///
    /// ```
    /// use persea_index::{IndexDefinition, RangeEnd};
    /// use persea_order::{Value, sort_key};
    /// use persea_vpack::vpack;
    ///
    /// let wish = vpack!({ "type": "persistent", "fields": ["city", "age"] });
    /// let index = IndexDefinition::from_vpack(wish.as_slice()).unwrap();
    /// let adults = index.bounds(
    ///     &[Value::from_str("Oslo")],
    ///     Some(RangeEnd::inclusive(Value::from_i64(18))),
    ///     Some(RangeEnd::exclusive(Value::from_i64(65))),
    ///     1000,
    /// );
    /// let key = |city, age| {
    ///     let mut key = Vec::new();
    ///     sort_key(Value::from_str(city), &mut key);
    ///     sort_key(Value::from_f64(age), &mut key);
    ///     key
    /// };
    /// assert!(adults.contains(&key("Oslo", 18.0)) && adults.contains(&key("Oslo", 64.9)));
    /// assert!(!adults.contains(&key("Oslo", 65.0)) && !adults.contains(&key("Bergen", 30.0)));
    /// ```
    pub fn bounds(
        &self,
        eq: &[Value<'_>],
        lower: Option<RangeEnd<'_>>,
        upper: Option<RangeEnd<'_>>,
        limit: usize,
    ) -> KeyRange {
        let mut range = KeyRange::default();
        self.bounds_into(eq, lower, upper, limit, &mut range);
        range
    }

    /// As [`IndexDefinition::bounds`], reusing the buffers of `range`.
    pub fn bounds_into(
        &self,
        eq: &[Value<'_>],
        lower: Option<RangeEnd<'_>>,
        upper: Option<RangeEnd<'_>>,
        limit: usize,
        range: &mut KeyRange,
    ) {
        range.set(eq, lower, upper, limit);
    }

    /// Writes the field key of `values`, one for each field, over `key`: what a unique index is asked for to find
    /// the one document that has them. True when the key was cut, so that the reader has to check the document.
    pub fn point_key(&self, values: &[Value<'_>], limit: usize, key: &mut Vec<u8>) -> bool {
        key.clear();
        values.iter().for_each(|value| sort_key(*value, key));
        cut_key(key, limit);
        key.len() >= limit
    }
}
