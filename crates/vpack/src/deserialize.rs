//! VelocyPack to Rust values through serde, borrowing strings from the bytes.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, Deserialize, DeserializeSeed, EnumAccess, MapAccess, SeqAccess, Visitor};

use crate::raw::RAW_NAME;
use crate::{ArrayIter, DEPTH_MAX, Error, Kind, ObjectIter, Slice};

/// Decodes a value into any deserializable type; strings and [`Slice`]s may borrow from the bytes.
///
/// Doubles without a fraction are accepted where integers are wanted.
///
/// # Errors
/// [`Error::Convert`] when the value does not have the shape of the type, [`Error::TooDeep`].
pub fn from_slice<'de, T: Deserialize<'de>>(value: Slice<'de>) -> Result<T, Error> {
    T::deserialize(Deserializer { value, depth_left: DEPTH_MAX })
}

impl de::Error for Error {
    fn custom<T: std::fmt::Display>(message: T) -> Error {
        Error::Convert(message.to_string())
    }
}

#[derive(Clone, Copy)]
struct Deserializer<'de> {
    value: Slice<'de>,
    depth_left: usize,
}

impl<'de> Deserializer<'de> {
    fn deeper(self) -> Result<usize, Error> {
        self.depth_left.checked_sub(1).ok_or(Error::TooDeep)
    }

    fn members(self) -> Result<Members<'de>, Error> {
        Ok(Members { iter: self.value.array_iter(), depth_left: self.deeper()? })
    }

    fn entries(self) -> Result<Entries<'de>, Error> {
        Ok(Entries { iter: self.value.object_iter(), value: Slice::NULL, depth_left: self.deeper()? })
    }

    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match (self.value.as_u64(), self.value.as_i64()) {
            (Some(number), _) => visitor.visit_u64(number),
            (None, Some(number)) => visitor.visit_i64(number),
            (None, None) => de::Deserializer::deserialize_any(self, visitor),
        }
    }
}

macro_rules! integers {
    ($($name:ident)+) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.integer(visitor)
        }
    )+};
}

impl<'de> de::Deserializer<'de> for Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = self.value;
        match value.kind() {
            Kind::Null | Kind::None => visitor.visit_unit(),
            Kind::Bool => visitor.visit_bool(value.is_true()),
            Kind::Int | Kind::UInt => match (value.as_u64(), value.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, number) => visitor.visit_i64(number.unwrap_or(0)),
            },
            Kind::Double => visitor.visit_f64(value.as_f64().unwrap_or(f64::NAN)),
            Kind::UtcDate => visitor.visit_i64(value.as_utc_date().unwrap_or(0)),
            Kind::String => match value.as_str() {
                Some(text) => visitor.visit_borrowed_str(text),
                None => Err(Error::Convert("string is not UTF-8".to_owned())),
            },
            Kind::Binary => visitor.visit_borrowed_bytes(value.as_binary().unwrap_or(&[])),
            Kind::Array => visitor.visit_seq(self.members()?),
            Kind::Object => visitor.visit_map(self.entries()?),
            Kind::Tagged => {
                Deserializer { value: value.untagged(), depth_left: self.deeper()? }.deserialize_any(visitor)
            }
            other => Err(Error::Convert(format!("a value of kind {other:?} has no counterpart"))),
        }
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_i128 deserialize_u128
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value.is_null() || self.value.is_none() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name == RAW_NAME {
            return visitor.visit_borrowed_bytes(self.value.bytes());
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if let Some(name) = self.value.as_str() {
            return visitor.visit_enum(BorrowedStrDeserializer::<Error>::new(name));
        }
        let mut entries = self.value.object_iter();
        match (entries.next(), entries.next()) {
            (Some((name, value)), None) => visitor
                .visit_enum(Variant { name, content: Deserializer { value, depth_left: self.deeper()? } }),
            _ => Err(Error::Convert("expected a variant: a string or an object of one attribute".to_owned())),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        bool f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

struct Members<'de> {
    iter: ArrayIter<'de>,
    depth_left: usize,
}

impl<'de> SeqAccess<'de> for Members<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let depth_left = self.depth_left;
        self.iter.next().map(|value| seed.deserialize(Deserializer { value, depth_left })).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        self.iter.size_hint().1
    }
}

struct Entries<'de> {
    iter: ObjectIter<'de>,
    value: Slice<'de>,
    depth_left: usize,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.iter.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(NameDeserializer { name }).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Deserializer { value: self.value, depth_left: self.depth_left })
    }

    fn size_hint(&self) -> Option<usize> {
        self.iter.size_hint().1
    }
}

/// An attribute name, which maps with integers or booleans as keys want to have parsed.
struct NameDeserializer<'de> {
    name: &'de str,
}

macro_rules! parsed_names {
    ($($name:ident => $visit:ident,)+) => {$(
        fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.name.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => visitor.visit_borrowed_str(self.name),
            }
        }
    )+};
}

impl<'de> de::Deserializer<'de> for NameDeserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.name)
    }

    parsed_names! {
        deserialize_bool => visit_bool,
        deserialize_i8 => visit_i8,
        deserialize_i16 => visit_i16,
        deserialize_i32 => visit_i32,
        deserialize_i64 => visit_i64,
        deserialize_i128 => visit_i128,
        deserialize_u8 => visit_u8,
        deserialize_u16 => visit_u16,
        deserialize_u32 => visit_u32,
        deserialize_u64 => visit_u64,
        deserialize_u128 => visit_u128,
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let name_deserializer: BorrowedStrDeserializer<'de, Error> = BorrowedStrDeserializer::new(self.name);
        name_deserializer.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

struct Variant<'de> {
    name: &'de str,
    content: Deserializer<'de>,
}

impl<'de> EnumAccess<'de> for Variant<'de> {
    type Error = Error;
    type Variant = Deserializer<'de>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Deserializer<'de>), Error> {
        let name: BorrowedStrDeserializer<'de, Error> = BorrowedStrDeserializer::new(self.name);
        Ok((seed.deserialize(name)?, self.content))
    }
}

impl<'de> de::VariantAccess<'de> for Deserializer<'de> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Deserialize::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        de::Deserializer::deserialize_seq(self, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        de::Deserializer::deserialize_map(self, visitor)
    }
}
