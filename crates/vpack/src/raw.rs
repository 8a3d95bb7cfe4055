//! VelocyPack values inside of types that serde converts.
//!
//! Between this crate's own serializer and deserializer, values pass as their bytes, in a newtype of a reserved
//! name. Other human-readable formats see ordinary maps, sequences and scalars; binary formats see a byte string.

use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{self, Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::{Builder, DEPTH_MAX, Error, Kind, Slice, VPackBuf};

/// Names the newtype whose content is the bytes of a value.
pub(crate) const RAW_NAME: &str = "$persea_vpack::raw";

impl Serialize for Slice<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(RAW_NAME, &Raw { value: *self, depth_left: DEPTH_MAX })
    }
}

impl Serialize for VPackBuf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

struct Raw<'a> {
    value: Slice<'a>,
    depth_left: usize,
}

impl Serialize for Raw<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Raw { value, depth_left } = *self;
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(value.bytes());
        }
        match value.kind() {
            Kind::Bool => serializer.serialize_bool(value.is_true()),
            Kind::Int | Kind::UInt => match (value.as_i64(), value.as_u64()) {
                (Some(number), _) => serializer.serialize_i64(number),
                (None, Some(number)) => serializer.serialize_u64(number),
                (None, None) => serializer.serialize_unit(),
            },
            Kind::Double => serializer.serialize_f64(value.as_f64().unwrap_or(f64::NAN)),
            Kind::UtcDate => serializer.serialize_i64(value.as_utc_date().unwrap_or(0)),
            Kind::String => serializer.serialize_str(value.as_str().unwrap_or("")),
            Kind::Array | Kind::Object if depth_left == 0 => Err(ser::Error::custom(Error::TooDeep)),
            Kind::Array => {
                let mut sequence = serializer.serialize_seq(Some(value.len()))?;
                for member in value.array_iter() {
                    sequence.serialize_element(&Raw { value: member, depth_left: depth_left - 1 })?;
                }
                sequence.end()
            }
            Kind::Object => {
                let mut map = serializer.serialize_map(Some(value.len()))?;
                for (name, member) in value.object_iter() {
                    map.serialize_entry(name, &Raw { value: member, depth_left: depth_left - 1 })?;
                }
                map.end()
            }
            Kind::Tagged if value.untagged().kind() != Kind::Tagged => {
                Raw { value: value.untagged(), depth_left }.serialize(serializer)
            }
            _ => serializer.serialize_unit(),
        }
    }
}

/// Receives the bytes of a [`Raw`], which shows them to formats that are not for humans.
pub(crate) struct RawSerializer<F>(pub(crate) F);

macro_rules! not_raw {
    ($($name:ident($($argument:ty),*) -> $answer:ty;)+) => {$(
        fn $name(self, $(_: $argument),*) -> Result<$answer, Error> {
            Err(not_raw())
        }
    )+};
}

fn not_raw() -> Error {
    Error::Convert(format!("the name {RAW_NAME} is reserved for VelocyPack values"))
}

impl<F: FnOnce(&[u8])> Serializer for RawSerializer<F> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = ser::Impossible<(), Error>;
    type SerializeTuple = ser::Impossible<(), Error>;
    type SerializeTupleStruct = ser::Impossible<(), Error>;
    type SerializeTupleVariant = ser::Impossible<(), Error>;
    type SerializeMap = ser::Impossible<(), Error>;
    type SerializeStruct = ser::Impossible<(), Error>;
    type SerializeStructVariant = ser::Impossible<(), Error>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        (self.0)(bytes);
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), Error> {
        Err(not_raw())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, _: &T) -> Result<(), Error> {
        Err(not_raw())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        Err(not_raw())
    }

    not_raw! {
        serialize_bool(bool) -> ();
        serialize_i8(i8) -> ();
        serialize_i16(i16) -> ();
        serialize_i32(i32) -> ();
        serialize_i64(i64) -> ();
        serialize_u8(u8) -> ();
        serialize_u16(u16) -> ();
        serialize_u32(u32) -> ();
        serialize_u64(u64) -> ();
        serialize_f32(f32) -> ();
        serialize_f64(f64) -> ();
        serialize_char(char) -> ();
        serialize_str(&str) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(&'static str) -> ();
        serialize_unit_variant(&'static str, u32, &'static str) -> ();
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}

impl<'de> Deserialize<'de> for VPackBuf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<VPackBuf, D::Error> {
        deserializer.deserialize_newtype_struct(RAW_NAME, BufVisitor)
    }
}

/// Only values read from VelocyPack itself can be borrowed.
impl<'de: 'a, 'a> Deserialize<'de> for Slice<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Slice<'a>, D::Error> {
        deserializer.deserialize_newtype_struct(RAW_NAME, SliceVisitor)
    }
}

struct SliceVisitor;

impl<'de> Visitor<'de> for SliceVisitor {
    type Value = Slice<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value borrowed from VelocyPack")
    }

    fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<Slice<'de>, E> {
        Ok(Slice::trusted(bytes))
    }
}

struct BufVisitor;

impl<'de> Visitor<'de> for BufVisitor {
    type Value = VPackBuf;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    /// This crate's own deserializer.
    fn visit_borrowed_bytes<E: de::Error>(self, bytes: &'de [u8]) -> Result<VPackBuf, E> {
        Ok(VPackBuf::from(Slice::trusted(bytes)))
    }

    /// Every other deserializer.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<VPackBuf, D::Error> {
        if deserializer.is_human_readable() {
            let mut builder = Builder::new();
            Structural { builder: &mut builder }.deserialize(deserializer)?;
            return builder.finish().map_err(de::Error::custom);
        }
        deserializer.deserialize_byte_buf(BytesVisitor)
    }
}

struct BytesVisitor;

impl Visitor<'_> for BytesVisitor {
    type Value = VPackBuf;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the bytes of a VelocyPack value")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<VPackBuf, E> {
        self.visit_byte_buf(bytes.to_vec())
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<VPackBuf, E> {
        VPackBuf::from_bytes(bytes).map_err(E::custom)
    }
}

/// Pushes what a self-describing format holds.
struct Structural<'b> {
    builder: &'b mut Builder,
}

impl<'de> DeserializeSeed<'de> for Structural<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Structural<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any value")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<(), E> {
        self.builder.add_bool(value);
        Ok(())
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<(), E> {
        self.builder.add_i64(value);
        Ok(())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<(), E> {
        self.builder.add_u64(value);
        Ok(())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<(), E> {
        self.builder.add_f64(value);
        Ok(())
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<(), E> {
        self.builder.add_str(value);
        Ok(())
    }

    fn visit_bytes<E: de::Error>(self, value: &[u8]) -> Result<(), E> {
        self.builder.add_binary(value);
        Ok(())
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.builder.add_null();
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.builder.open_array();
        check(self.builder)?;
        while members.next_element_seed(Structural { builder: self.builder })?.is_some() {}
        self.builder.close();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        self.builder.open_object();
        check(self.builder)?;
        while entries.next_key_seed(Name { builder: self.builder })?.is_some() {
            entries.next_value_seed(Structural { builder: self.builder })?;
        }
        self.builder.close();
        Ok(())
    }
}

/// Ends the recursion once the builder refuses to nest deeper.
fn check<E: de::Error>(builder: &Builder) -> Result<(), E> {
    builder.error().map_or(Ok(()), |error| Err(E::custom(error)))
}

/// Pushes the name of an attribute.
struct Name<'b> {
    builder: &'b mut Builder,
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an attribute name")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<(), E> {
        self.builder.key(name);
        Ok(())
    }
}
