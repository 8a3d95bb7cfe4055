//! Time zones: between UTC and the wall clock.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use persea_order::Value;

use super::Usable;
use crate::{Context, Error};

/// The zones a query has used, so that each is looked up once.
#[derive(Default)]
pub(crate) struct ZoneCache {
    zones: Vec<(Box<str>, TimeZone)>,
}

impl ZoneCache {
    const ZONES_MAX: usize = 8;

    fn get(&mut self, name: &str) -> Option<TimeZone> {
        if let Some((_, zone)) = self.zones.iter().find(|(known, _)| **known == *name) {
            return Some(zone.clone());
        }
        let zone = database().get(name).ok()?;
        self.zones.truncate(Self::ZONES_MAX - 1);
        self.zones.insert(0, (name.into(), zone.clone()));
        Some(zone)
    }
}

/// The zone rules this program was built with, so that all installations agree.
pub(super) fn database() -> &'static TimeZoneDatabase {
    static DATABASE: std::sync::OnceLock<TimeZoneDatabase> = std::sync::OnceLock::new();
    DATABASE.get_or_init(TimeZoneDatabase::bundled)
}

/// A zone, or UTC.
#[derive(Clone)]
pub(super) struct Zone(Option<TimeZone>);

impl Zone {
    pub(super) const UTC: Self = Self(None);

    /// The wall clock's milliseconds at an instant.
    pub(super) fn to_local(&self, instant: i64) -> i64 {
        instant + self.offset_millis(instant)
    }

    fn offset_millis(&self, instant: i64) -> i64 {
        match (&self.0, timestamp(instant)) {
            (Some(zone), Some(timestamp)) => i64::from(zone.to_offset(timestamp).seconds()) * 1_000,
            _ => 0,
        }
    }

    /// The instant at which the wall clock shows a time: the earlier one if it does so twice, the moment of the
    /// jump if it is skipped.
    pub(super) fn to_utc(&self, local: i64) -> i64 {
        let (Some(zone), Some(shown)) = (&self.0, wall_clock(local)) else { return local };
        let millis = |offset: jiff::tz::Offset| i64::from(offset.seconds()) * 1_000;
        match zone.to_ambiguous_timestamp(shown).offset() {
            AmbiguousOffset::Unambiguous { offset } => local - millis(offset),
            AmbiguousOffset::Fold { before, .. } => local - millis(before),
            AmbiguousOffset::Gap { before, .. } => {
                // With the offset that held before, the skipped time lies at or after the jump.
                let after_jump = local - millis(before);
                let jump = timestamp(after_jump + 1).and_then(|after| zone.preceding(after).next());
                jump.map_or(after_jump, |jump| jump.timestamp().as_millisecond())
            }
        }
    }

    pub(super) fn time_zone(&self) -> Option<&TimeZone> {
        self.0.as_ref()
    }
}

/// The last day of the year 9999 is beyond the library's calendar; no zone changes then.
pub(super) fn timestamp(instant: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(instant.min(Timestamp::MAX.as_second() * 1_000)).ok()
}

fn wall_clock(local: i64) -> Option<DateTime> {
    Some(TimeZone::UTC.to_datetime(timestamp(local)?))
}

/// The zone in an optional argument; UTC if it is left out.
pub(super) fn zone_argument<'a>(ctx: &Context<'a>, value: Option<Value<'a>>) -> Usable<'a, Zone> {
    let Some(value) = value else { return Ok(Ok(Zone::UTC)) };
    let Some(name) = value.as_str() else { return ctx.invalid_argument().map(Err) };
    match ctx.env.zones.borrow_mut().get(name) {
        Some(zone) => Ok(Ok(Zone(Some(zone)))),
        None => Err(Error::BadParameter(format!("{name} not found in timezone database"))),
    }
}
