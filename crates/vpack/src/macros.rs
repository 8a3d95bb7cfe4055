//! The `vpack!` macro and the trait of the values it takes.

use crate::{Builder, Slice, VPackBuf};

/// Values that can be pushed into a [`Builder`], and so be used inside [`vpack!`](crate::vpack).
///
/// Types with serde's `Serialize` go through [`to_vpack`](crate::to_vpack) instead.
pub trait ToVPack {
    /// Pushes the value as exactly one VelocyPack value.
    fn append_to(&self, builder: &mut Builder);
}

macro_rules! scalars {
    ($($method:ident($target:ty): $($source:ty),+;)+) => {$($(
        impl ToVPack for $source {
            #[inline]
            fn append_to(&self, builder: &mut Builder) {
                builder.$method(<$target>::from(*self));
            }
        }
    )+)+};
}

scalars! {
    add_bool(bool): bool;
    add_i64(i64): i8, i16, i32, i64;
    add_u64(u64): u8, u16, u32, u64;
    add_f64(f64): f32, f64;
}

impl ToVPack for usize {
    fn append_to(&self, builder: &mut Builder) {
        builder.add_u64(*self as u64);
    }
}

impl ToVPack for isize {
    fn append_to(&self, builder: &mut Builder) {
        builder.add_i64(*self as i64);
    }
}

impl ToVPack for str {
    fn append_to(&self, builder: &mut Builder) {
        builder.add_str(self);
    }
}

impl ToVPack for String {
    fn append_to(&self, builder: &mut Builder) {
        builder.add_str(self);
    }
}

impl ToVPack for std::borrow::Cow<'_, str> {
    fn append_to(&self, builder: &mut Builder) {
        builder.add_str(self);
    }
}

impl ToVPack for () {
    fn append_to(&self, builder: &mut Builder) {
        builder.add_null();
    }
}

impl ToVPack for Slice<'_> {
    fn append_to(&self, builder: &mut Builder) {
        builder.add_slice(*self);
    }
}

impl ToVPack for VPackBuf {
    fn append_to(&self, builder: &mut Builder) {
        builder.add_slice(self.as_slice());
    }
}

impl<T: ToVPack + ?Sized> ToVPack for &T {
    fn append_to(&self, builder: &mut Builder) {
        (**self).append_to(builder);
    }
}

impl<T: ToVPack + ?Sized> ToVPack for Box<T> {
    fn append_to(&self, builder: &mut Builder) {
        (**self).append_to(builder);
    }
}

impl<T: ToVPack + ?Sized> ToVPack for std::sync::Arc<T> {
    fn append_to(&self, builder: &mut Builder) {
        (**self).append_to(builder);
    }
}

impl<T: ToVPack> ToVPack for Option<T> {
    fn append_to(&self, builder: &mut Builder) {
        match self {
            Some(value) => value.append_to(builder),
            None => {
                builder.add_null();
            }
        }
    }
}

impl<T: ToVPack> ToVPack for [T] {
    fn append_to(&self, builder: &mut Builder) {
        builder.open_array();
        self.iter().for_each(|member| member.append_to(builder));
        builder.close();
    }
}

impl<T: ToVPack, const N: usize> ToVPack for [T; N] {
    fn append_to(&self, builder: &mut Builder) {
        self.as_slice().append_to(builder);
    }
}

impl<T: ToVPack> ToVPack for Vec<T> {
    fn append_to(&self, builder: &mut Builder) {
        self.as_slice().append_to(builder);
    }
}

impl<K: AsRef<str>, V: ToVPack> ToVPack for std::collections::BTreeMap<K, V> {
    fn append_to(&self, builder: &mut Builder) {
        builder.open_object();
        for (name, value) in self {
            value.append_to(builder.key(name.as_ref()));
        }
        builder.close();
    }
}

/// Builds a [`VPackBuf`](crate::VPackBuf) from JSON-like notation.
///
/// Members are literals, nested `[…]` and `{…}`, `null`, or expressions of any type that is [`ToVPack`]. Keys are
/// string literals, or expressions in parentheses.
///
/// ```
/// use persea_vpack::vpack;
///
/// let name = "Ada";
/// let value = vpack!({ "name": name, "born": 1815, "tags": ["math", null, 1.5], ("x".to_string()): {} });
/// assert_eq!(value.to_string(), r#"{"name":"Ada","born":1815,"tags":["math",null,1.5],"x":{}}"#);
/// ```
///
/// # Panics
/// Never: too deep a nesting of embedded values gives `null`.
#[macro_export]
macro_rules! vpack {
    ($($tokens:tt)+) => {{
        let mut builder = $crate::Builder::new();
        $crate::vpack_value!(builder, $($tokens)+);
        builder.finish().unwrap_or_default()
    }};
}

/// Pushes JSON-like notation into a [`Builder`](crate::Builder) at hand; the inside of [`vpack!`](crate::vpack).
///
/// ```
/// use persea_vpack::{vpack_value, Builder};
///
/// let mut builder = Builder::new();
/// builder.open_array();
/// for row in 0..2 {
///     vpack_value!(builder, { "row": row });
/// }
/// builder.close();
/// assert_eq!(builder.finish()?.to_string(), r#"[{"row":0},{"row":1}]"#);
/// # Ok::<(), persea_vpack::Error>(())
/// ```
#[macro_export]
macro_rules! vpack_value {
    ($builder:expr, null) => {{ $builder.add_null(); }};
    ($builder:expr, [ $($members:tt)* ]) => {{
        $builder.open_array();
        $crate::vpack_array!($builder, $($members)*);
        $builder.close();
    }};
    ($builder:expr, { $($members:tt)* }) => {{
        $builder.open_object();
        $crate::vpack_object!($builder, $($members)*);
        $builder.close();
    }};
    ($builder:expr, $value:expr) => {{ $crate::ToVPack::append_to(&$value, &mut $builder); }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! vpack_array {
    ($builder:expr $(,)?) => {};
    ($builder:expr, null $(, $($rest:tt)*)?) => {
        $builder.add_null();
        $crate::vpack_array!($builder, $($($rest)*)?);
    };
    ($builder:expr, [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::vpack_value!($builder, [ $($inner)* ]);
        $crate::vpack_array!($builder, $($($rest)*)?);
    };
    ($builder:expr, { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::vpack_value!($builder, { $($inner)* });
        $crate::vpack_array!($builder, $($($rest)*)?);
    };
    ($builder:expr, $value:expr $(, $($rest:tt)*)?) => {
        $crate::ToVPack::append_to(&$value, &mut $builder);
        $crate::vpack_array!($builder, $($($rest)*)?);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! vpack_object {
    ($builder:expr $(,)?) => {};
    ($builder:expr, ($name:expr) : $($rest:tt)*) => {
        $builder.key(::std::convert::AsRef::<str>::as_ref(&$name));
        $crate::vpack_member!($builder, $($rest)*);
    };
    ($builder:expr, $name:literal : $($rest:tt)*) => {
        $builder.key($name);
        $crate::vpack_member!($builder, $($rest)*);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! vpack_member {
    ($builder:expr, null $(, $($rest:tt)*)?) => {
        $builder.add_null();
        $crate::vpack_object!($builder, $($($rest)*)?);
    };
    ($builder:expr, [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::vpack_value!($builder, [ $($inner)* ]);
        $crate::vpack_object!($builder, $($($rest)*)?);
    };
    ($builder:expr, { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::vpack_value!($builder, { $($inner)* });
        $crate::vpack_object!($builder, $($($rest)*)?);
    };
    ($builder:expr, $value:expr $(, $($rest:tt)*)?) => {
        $crate::ToVPack::append_to(&$value, &mut $builder);
        $crate::vpack_object!($builder, $($($rest)*)?);
    };
}

#[cfg(test)]
mod tests {
    #[test]
    fn notation() {
        let list = vec![1u8, 2];
        let some = Some("x");
        let none: Option<i64> = None;
        assert_eq!(crate::vpack!([1, list, some, none, 2 + 3,]).to_string(), r#"[1,[1,2],"x",null,5]"#);
        assert_eq!(crate::vpack!({}).to_string(), "{}");
        assert_eq!(crate::vpack!([]).to_string(), "[]");
        assert_eq!(crate::vpack!([[], {}, [null]]).to_string(), "[[],{},[null]]");
        assert_eq!(crate::vpack!(-7).to_string(), "-7");
        assert_eq!(crate::vpack!(null).to_string(), "null");
        let nested = crate::vpack!({"a": {"b": [true, {"c": null}]}});
        assert_eq!(
            crate::vpack!({"n": nested, "s": nested.as_slice()}).to_string(),
            r#"{"n":{"a":{"b":[true,{"c":null}]}},"s":{"a":{"b":[true,{"c":null}]}}}"#
        );
    }
}
