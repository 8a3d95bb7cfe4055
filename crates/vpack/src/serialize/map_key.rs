//! Keys of maps, which have to become attribute names.

use serde::ser::{self, Serialize};

use crate::{Builder, Error};

/// Takes what can be spelled as an attribute name.
pub(super) struct KeySerializer<'b> {
    pub(super) builder: &'b mut Builder,
}

impl KeySerializer<'_> {
    fn display(self, key: impl std::fmt::Display) -> Result<(), Error> {
        self.builder.key(&key.to_string());
        Ok(())
    }

    fn refuse<T>(self) -> Result<T, Error> {
        Err(Error::Convert("map key is neither text nor a number".to_owned()))
    }
}

macro_rules! display_keys {
    ($($name:ident($source:ty);)+) => {$(
        fn $name(self, key: $source) -> Result<(), Error> {
            self.display(key)
        }
    )+};
}

impl ser::Serializer for KeySerializer<'_> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = ser::Impossible<(), Error>;
    type SerializeTuple = ser::Impossible<(), Error>;
    type SerializeTupleStruct = ser::Impossible<(), Error>;
    type SerializeTupleVariant = ser::Impossible<(), Error>;
    type SerializeMap = ser::Impossible<(), Error>;
    type SerializeStruct = ser::Impossible<(), Error>;
    type SerializeStructVariant = ser::Impossible<(), Error>;

    display_keys! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_char(char);
    }

    fn serialize_str(self, key: &str) -> Result<(), Error> {
        self.builder.key(key);
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, key: &T) -> Result<(), Error> {
        key.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, key: &T) -> Result<(), Error> {
        key.serialize(self)
    }

    fn serialize_f32(self, _: f32) -> Result<(), Error> {
        self.refuse()
    }

    fn serialize_f64(self, _: f64) -> Result<(), Error> {
        self.refuse()
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<(), Error> {
        self.refuse()
    }

    fn serialize_none(self) -> Result<(), Error> {
        self.refuse()
    }

    fn serialize_unit(self) -> Result<(), Error> {
        self.refuse()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        self.refuse()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<(), Error> {
        self.refuse()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        self.refuse()
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
        self.refuse()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Error> {
        self.refuse()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        self.refuse()
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        self.refuse()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        self.refuse()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        self.refuse()
    }
}
