//! A value taken apart, and what can be asked of a value without comparing it to another.

use std::fmt;

use persea_vpack::{Builder, Error, Kind, Slice, VPackBuf};

use crate::elements::Elements;
use crate::repr::Value;

/// A [`Value`] taken apart by type.
#[derive(Clone, Copy, Debug)]
pub enum View<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number in the range of `i64`.
    Int(i64),
    /// A whole number above `i64::MAX`.
    UInt(u64),
    /// A finite double.
    Double(f64),
    /// A string.
    Str(&'a str),
    /// An array in VelocyPack form.
    Array(Slice<'a>),
    /// An object in VelocyPack form.
    Object(Slice<'a>),
    /// A lazy array of whole numbers, both ends inclusive, descending when the first is greater.
    Range(i64, i64),
}

/// Number of members of the range from `first` to `last`, saturating at `usize::MAX`.
pub(crate) fn range_len(first: i64, last: i64) -> usize {
    usize::try_from(first.abs_diff(last)).unwrap_or(usize::MAX).saturating_add(1)
}

impl<'a> Value<'a> {
    /// The value of a VelocyPack slice: scalars are copied, strings, arrays and objects borrowed.
    ///
    /// A UTC date becomes its whole number of milliseconds; what AQL has no type for (binary, custom, none, the
    /// two key limits) becomes `null`.
    #[inline]
    pub fn from_slice(slice: Slice<'a>) -> Value<'a> {
        match slice.kind() {
            Kind::Bool => Value::from_bool(slice.as_bool().unwrap_or(false)),
            Kind::Int => slice.as_i64().map_or(Value::NULL, Value::from_i64),
            Kind::UtcDate => slice.as_utc_date().map_or(Value::NULL, Value::from_i64),
            Kind::UInt => slice.as_u64().map_or(Value::NULL, Value::from_u64),
            Kind::Double => slice.as_f64().map_or(Value::NULL, Value::from_f64),
            Kind::String => slice.as_str().map_or(Value::NULL, Value::from_str),
            Kind::Array => Value::array(slice),
            Kind::Object => Value::object(slice),
            // `untagged` removes all tags it can, so what it returns is looked at once.
            Kind::Tagged if slice.untagged().kind() != Kind::Tagged => Value::from_slice(slice.untagged()),
            _ => Value::NULL,
        }
    }

    /// What a condition makes of the value: `null`, `false`, `0` and `""` are false, all else true.
    pub fn is_truthy(&self) -> bool {
        match self.view() {
            View::Null => false,
            View::Bool(value) => value,
            View::Int(value) => value != 0,
            View::Double(value) => value != 0.0,
            View::Str(text) => !text.is_empty(),
            View::UInt(_) | View::Array(_) | View::Object(_) | View::Range(..) => true,
        }
    }

    /// True for `true` and `false`.
    pub fn is_bool(&self) -> bool {
        matches!(self.view(), View::Bool(_))
    }

    /// True for numbers of every representation.
    pub fn is_number(&self) -> bool {
        matches!(self.view(), View::Int(_) | View::UInt(_) | View::Double(_))
    }

    /// True for strings.
    pub fn is_string(&self) -> bool {
        matches!(self.view(), View::Str(_))
    }

    /// True for arrays, ranges included.
    pub fn is_array(&self) -> bool {
        matches!(self.view(), View::Array(_) | View::Range(..))
    }

    /// True for objects.
    pub fn is_object(&self) -> bool {
        matches!(self.view(), View::Object(_))
    }

    /// The type's name as `TYPENAME` gives it; a range is an `array`.
    pub fn type_name(&self) -> &'static str {
        match self.view() {
            View::Null => "null",
            View::Bool(_) => "bool",
            View::Int(_) | View::UInt(_) | View::Double(_) => "number",
            View::Str(_) => "string",
            View::Array(_) | View::Range(..) => "array",
            View::Object(_) => "object",
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.view() {
            View::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The string, if it is one.
    #[inline]
    pub fn as_str(&self) -> Option<&'a str> {
        match self.view() {
            View::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The number as a double, if it is a number; whole numbers beyond 2^53 are rounded.
    pub fn as_f64(&self) -> Option<f64> {
        match self.view() {
            View::Int(value) => Some(value as f64),
            View::UInt(value) => Some(value as f64),
            View::Double(value) => Some(value),
            _ => None,
        }
    }

    /// The number as an `i64`, if it is a number without a fraction in that range.
    pub fn as_i64(&self) -> Option<i64> {
        match self.view() {
            View::Int(value) => Some(value),
            View::Double(value) => crate::number::integral_i64(value),
            _ => None,
        }
    }

    /// The array or object as the slice it borrows; `None` for scalars, strings and ranges.
    pub fn as_slice(&self) -> Option<Slice<'a>> {
        match self.view() {
            View::Array(slice) | View::Object(slice) => Some(slice),
            _ => None,
        }
    }

    /// The attribute `name` of an object; `null` when it has none or the value is no object.
    #[inline]
    pub fn attribute(&self, name: &str) -> Value<'a> {
        match self.view() {
            View::Object(slice) => slice.get(name).map_or(Value::NULL, Value::from_slice),
            _ => Value::NULL,
        }
    }

    /// The member at `position` of an array or range, counted from the end when negative; `null` outside of it
    /// and for other types.
    pub fn element(&self, position: i64) -> Value<'a> {
        let len = match self.view() {
            View::Array(_) | View::Range(..) => self.len(),
            _ => return Value::NULL,
        };
        let from_end = usize::try_from(position.unsigned_abs()).unwrap_or(usize::MAX);
        let index = if position < 0 { len.checked_sub(from_end) } else { Some(from_end) };
        let Some(index) = index.filter(|index| *index < len) else { return Value::NULL };
        match self.view() {
            View::Array(slice) => slice.at(index).map_or(Value::NULL, Value::from_slice),
            View::Range(first, last) if first <= last => Value::from_i64(first.wrapping_add(index as i64)),
            View::Range(first, _) => Value::from_i64(first.wrapping_sub(index as i64)),
            _ => Value::NULL,
        }
    }

    /// Number of members of an array, range or object; 0 for every other type.
    pub fn len(&self) -> usize {
        match self.view() {
            View::Array(slice) | View::Object(slice) => slice.len(),
            View::Range(first, last) => range_len(first, last),
            _ => 0,
        }
    }

    /// True when [`Value::len`] is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The members of an array or range; nothing for every other type.
    #[inline]
    pub fn elements(&self) -> Elements<'a> {
        Elements::of(self.view())
    }

    /// The attributes of an object in stored order; nothing for every other type.
    pub fn attributes(&self) -> impl Iterator<Item = (&'a str, Value<'a>)> + use<'a> {
        let slice = match self.view() {
            View::Object(slice) => Some(slice),
            _ => None,
        };
        slice
            .into_iter()
            .flat_map(|slice| slice.object_iter())
            .map(|(name, value)| (name, Value::from_slice(value)))
    }

    /// Appends the value to `builder`; a range is written out as an array.
    pub fn write_to(&self, builder: &mut Builder) {
        match self.view() {
            View::Null => builder.add_null(),
            View::Bool(value) => builder.add_bool(value),
            View::Int(value) => builder.add_i64(value),
            View::UInt(value) => builder.add_u64(value),
            View::Double(value) => builder.add_f64(value),
            View::Str(text) => builder.add_str(text),
            View::Array(slice) | View::Object(slice) => builder.add_slice(slice),
            View::Range(..) => {
                builder.open_array();
                self.elements().for_each(|member| member.write_to(builder));
                builder.close()
            }
        };
    }

    /// The value as VelocyPack of its own.
    ///
    /// # Errors
    ///
    /// Those of [`Builder::finish`]; none for a value that is itself legal.
    pub fn to_vpack(&self) -> Result<VPackBuf, Error> {
        let mut builder = Builder::new();
        self.write_to(&mut builder);
        builder.finish()
    }
}

impl<'a> From<Slice<'a>> for Value<'a> {
    fn from(slice: Slice<'a>) -> Value<'a> {
        Value::from_slice(slice)
    }
}

impl Default for Value<'_> {
    fn default() -> Self {
        Value::NULL
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.view() {
            View::Null => f.write_str("null"),
            View::Bool(value) => write!(f, "{value}"),
            View::Int(value) => write!(f, "{value}"),
            View::UInt(value) => write!(f, "{value}"),
            View::Double(value) => write!(f, "{value:?}"),
            View::Str(text) => write!(f, "{text:?}"),
            View::Array(slice) | View::Object(slice) => write!(f, "{slice}"),
            View::Range(first, last) => write!(f, "{first}..{last}"),
        }
    }
}
