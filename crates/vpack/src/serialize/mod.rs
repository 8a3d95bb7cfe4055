//! Rust values to VelocyPack through serde.

mod map_key;

use serde::ser::{self, Serialize};

use crate::raw::RAW_NAME;
use crate::{Builder, Error, Slice, VPackBuf};
use map_key::KeySerializer;

/// Encodes a value of any serializable type, the way JSON would: maps and structs become objects, sequences and
/// tuples arrays, variants strings or objects of one attribute.
///
/// # Errors
/// [`Error::Convert`] for map keys that are no text or number, for integers beyond 64 bits and for failures of the
/// type itself; [`Error::TooDeep`].
pub fn to_vpack<T: Serialize + ?Sized>(value: &T) -> Result<VPackBuf, Error> {
    let mut builder = Builder::new();
    append(value, &mut builder)?;
    builder.finish()
}

/// Pushes a value of any serializable type as one value.
///
/// # Errors
/// Those of [`to_vpack`]; the builder then holds part of the value and must be cleared.
pub fn append<T: Serialize + ?Sized>(value: &T, builder: &mut Builder) -> Result<(), Error> {
    value.serialize(Serializer { builder: &mut *builder })?;
    builder.error().map_or(Ok(()), |error| Err(error.clone()))
}

impl ser::Error for Error {
    fn custom<T: std::fmt::Display>(message: T) -> Error {
        Error::Convert(message.to_string())
    }
}

struct Serializer<'b> {
    builder: &'b mut Builder,
}

/// An open array or object; `levels` are closed at its end.
struct Open<'b> {
    builder: &'b mut Builder,
    levels: usize,
}

impl<'b> Serializer<'b> {
    fn array(self) -> Open<'b> {
        self.builder.open_array();
        Open { builder: self.builder, levels: 1 }
    }

    fn object(self) -> Open<'b> {
        self.builder.open_object();
        Open { builder: self.builder, levels: 1 }
    }

    fn variant(self, name: &str) -> Serializer<'b> {
        self.builder.open_object().key(name);
        self
    }
}

impl Open<'_> {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Serializer { builder: self.builder })
    }

    fn close(self) {
        (0..self.levels).for_each(|_| {
            self.builder.close();
        });
    }
}

macro_rules! numbers {
    ($($name:ident($source:ty) => $method:ident($target:ty);)+) => {$(
        fn $name(self, value: $source) -> Result<(), Error> {
            self.builder.$method(<$target>::from(value));
            Ok(())
        }
    )+};
}

impl<'b> ser::Serializer for Serializer<'b> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Open<'b>;
    type SerializeTuple = Open<'b>;
    type SerializeTupleStruct = Open<'b>;
    type SerializeTupleVariant = Open<'b>;
    type SerializeMap = Open<'b>;
    type SerializeStruct = Open<'b>;
    type SerializeStructVariant = Open<'b>;

    numbers! {
        serialize_bool(bool) => add_bool(bool);
        serialize_i8(i8) => add_i64(i64);
        serialize_i16(i16) => add_i64(i64);
        serialize_i32(i32) => add_i64(i64);
        serialize_i64(i64) => add_i64(i64);
        serialize_u8(u8) => add_u64(u64);
        serialize_u16(u16) => add_u64(u64);
        serialize_u32(u32) => add_u64(u64);
        serialize_u64(u64) => add_u64(u64);
        serialize_f32(f32) => add_f64(f64);
        serialize_f64(f64) => add_f64(f64);
    }

    fn serialize_i128(self, value: i128) -> Result<(), Error> {
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => self.serialize_i64(value),
            (_, Ok(value)) => self.serialize_u64(value),
            _ => Err(Error::Convert(format!("integer {value} does not fit into 64 bits"))),
        }
    }

    fn serialize_u128(self, value: u128) -> Result<(), Error> {
        match u64::try_from(value) {
            Ok(value) => self.serialize_u64(value),
            Err(_) => Err(Error::Convert(format!("integer {value} does not fit into 64 bits"))),
        }
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.builder.add_str(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.builder.add_binary(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.builder.add_null();
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        if name == RAW_NAME {
            return value.serialize(crate::raw::RawSerializer(|bytes: &[u8]| {
                self.builder.add_slice(Slice::trusted(bytes));
            }));
        }
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let Serializer { builder } = self.variant(variant);
        value.serialize(Serializer { builder: &mut *builder })?;
        builder.close();
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'b>, Error> {
        Ok(self.array())
    }

    fn serialize_tuple(self, _: usize) -> Result<Open<'b>, Error> {
        Ok(self.array())
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'b>, Error> {
        Ok(self.array())
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'b>, Error> {
        Ok(Open { levels: 2, ..self.variant(variant).array() })
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Open<'b>, Error> {
        Ok(self.object())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'b>, Error> {
        Ok(self.object())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Open<'b>, Error> {
        Ok(Open { levels: 2, ..self.variant(variant).object() })
    }
}

macro_rules! sequences {
    ($($name:ident::$method:ident,)+) => {$(
        impl ser::$name for Open<'_> {
            type Ok = ();
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.push(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        }
    )+};
}

sequences! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

macro_rules! structs {
    ($($name:ident,)+) => {$(
        impl ser::$name for Open<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
                self.builder.key(key);
                self.push(value)
            }

            fn end(self) -> Result<(), Error> {
                self.close();
                Ok(())
            }
        }
    )+};
}

structs! { SerializeStruct, SerializeStructVariant, }

impl ser::SerializeMap for Open<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        key.serialize(KeySerializer { builder: self.builder })
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.push(value)
    }

    fn end(self) -> Result<(), Error> {
        self.close();
        Ok(())
    }
}
