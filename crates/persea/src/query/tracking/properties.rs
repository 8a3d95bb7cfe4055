//! What a database keeps about its queries.

use persea_vpack::{Builder, Slice, VPackBuf};

use crate::error::{Error, Result};

/// The most slow queries that a database may be told to keep.
const SLOW_QUERIES_MAX: u64 = 16_384;

/// What a database keeps about its queries; the defaults are ArangoDB's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrackingProperties {
    /// Whether queries are kept track of at all.
    pub(crate) enabled: bool,
    /// Whether slow queries are remembered after their end.
    pub(crate) track_slow_queries: bool,
    /// Whether bind values are shown.
    pub(crate) track_bind_vars: bool,
    /// How many slow queries are remembered, the newest ones.
    pub(crate) max_slow_queries: usize,
    /// From how many seconds on a query is slow.
    pub(crate) slow_query_threshold: f64,
    /// The same for queries whose rows are streamed.
    pub(crate) slow_streaming_query_threshold: f64,
    /// The longest query text that is shown, in bytes.
    pub(crate) max_query_string_length: usize,
}

impl Default for TrackingProperties {
    fn default() -> TrackingProperties {
        TrackingProperties {
            enabled: true,
            track_slow_queries: true,
            track_bind_vars: true,
            max_slow_queries: 64,
            slow_query_threshold: 10.0,
            slow_streaming_query_threshold: 10.0,
            max_query_string_length: 4_096,
        }
    }
}

impl TrackingProperties {
    /// These properties with the members of `changes` in place of their own; unknown members mean nothing.
    ///
    /// # Errors
    /// 400 for what is no object, 17 for members of the wrong type, 10 for negative numbers.
    pub(crate) fn changed(&self, changes: Slice<'_>) -> Result<TrackingProperties> {
        if !changes.is_object() {
            return Err(Error::with_number(400, "expecting an object with the properties to change"));
        }
        let flag = |name: &str, now: bool| match changes.get(name) {
            None => Ok(now),
            Some(value) => value
                .as_bool()
                .ok_or_else(|| Error::with_number(17, format!("expecting a boolean for '{name}'"))),
        };
        let number = |name: &str, now: f64| match changes.get(name).map(|value| value.as_f64()) {
            None => Ok(now),
            Some(Some(value)) if value >= 0.0 => Ok(value),
            Some(Some(_)) => Err(Error::with_number(10, format!("'{name}' must not be negative"))),
            Some(None) => Err(Error::with_number(17, format!("expecting a number for '{name}'"))),
        };
        Ok(TrackingProperties {
            enabled: flag("enabled", self.enabled)?,
            track_slow_queries: flag("trackSlowQueries", self.track_slow_queries)?,
            track_bind_vars: flag("trackBindVars", self.track_bind_vars)?,
            max_slow_queries: number("maxSlowQueries", self.max_slow_queries as f64)?
                .min(SLOW_QUERIES_MAX as f64) as usize,
            slow_query_threshold: number("slowQueryThreshold", self.slow_query_threshold)?,
            slow_streaming_query_threshold: number(
                "slowStreamingQueryThreshold",
                self.slow_streaming_query_threshold,
            )?,
            max_query_string_length: number("maxQueryStringLength", self.max_query_string_length as f64)?
                as usize,
        })
    }

    /// The properties in ArangoDB's shape.
    pub(crate) fn to_vpack(&self) -> Result<VPackBuf> {
        let mut builder = Builder::new();
        builder.open_object();
        builder.key("enabled").add_bool(self.enabled);
        builder.key("trackSlowQueries").add_bool(self.track_slow_queries);
        builder.key("trackBindVars").add_bool(self.track_bind_vars);
        builder.key("maxSlowQueries").add_u64(self.max_slow_queries as u64);
        builder.key("slowQueryThreshold").add_f64(self.slow_query_threshold);
        builder.key("slowStreamingQueryThreshold").add_f64(self.slow_streaming_query_threshold);
        builder.key("maxQueryStringLength").add_u64(self.max_query_string_length as u64);
        builder.close();
        Ok(builder.finish()?)
    }
}

#[cfg(test)]
mod tests {
    use persea_vpack::vpack;

    use super::TrackingProperties;

    #[test]
    fn changes() {
        let properties = TrackingProperties::default();
        let changed =
            properties.changed(vpack!({ "slowQueryThreshold": 0.5, "enabled": false, "x": 1 }).as_slice());
        let changed = changed.expect("good changes");
        assert_eq!((changed.slow_query_threshold, changed.enabled), (0.5, false));
        assert_eq!(changed.max_slow_queries, 64);
        for (bad, number) in [
            (vpack!([]), 400),
            (vpack!({ "enabled": 1 }), 17),
            (vpack!({ "maxSlowQueries": "many" }), 17),
            (vpack!({ "slowQueryThreshold": (-1) }), 10),
        ] {
            assert_eq!(properties.changed(bad.as_slice()).expect_err("bad changes").number(), number);
        }
    }
}
