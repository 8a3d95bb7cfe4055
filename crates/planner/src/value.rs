//! Constants: making and reading small VelocyPack values.

use std::sync::Arc;

use persea_order::Value;
use persea_vpack::{Builder, Slice, VPackBuf};

use crate::plan::Expr;

fn build(fill: impl FnOnce(&mut Builder) -> &mut Builder) -> Arc<VPackBuf> {
    let mut builder = Builder::new();
    fill(&mut builder);
    Arc::new(builder.finish().unwrap_or_default())
}

/// The constant null.
pub(crate) fn null() -> Expr {
    Expr::Const(build(|builder| builder.add_null()))
}

/// A constant truth value.
pub(crate) fn bool(value: bool) -> Expr {
    Expr::Const(build(|builder| builder.add_bool(value)))
}

/// A constant whole number.
pub(crate) fn int(value: i64) -> Expr {
    Expr::Const(build(|builder| builder.add_i64(value)))
}

/// A constant floating point number.
pub(crate) fn double(value: f64) -> Expr {
    Expr::Const(build(|builder| builder.add_f64(value)))
}

/// A constant string.
pub(crate) fn string(value: &str) -> Expr {
    Expr::Const(build(|builder| builder.add_str(value)))
}

/// A copy of any value.
pub(crate) fn copy(value: Slice<'_>) -> Arc<VPackBuf> {
    Arc::new(VPackBuf::from(value))
}

/// An array of constants.
pub(crate) fn array<'a>(members: impl Iterator<Item = Slice<'a>>) -> Arc<VPackBuf> {
    build(|builder| {
        builder.open_array();
        for member in members {
            builder.add_slice(member);
        }
        builder.close()
    })
}

/// An object of constants.
pub(crate) fn object<'a>(members: impl Iterator<Item = (&'a str, Slice<'a>)>) -> Arc<VPackBuf> {
    build(|builder| {
        builder.open_object();
        for (name, member) in members {
            builder.key(name);
            builder.add_slice(member);
        }
        builder.close()
    })
}

/// The value of a constant, for comparisons.
pub(crate) fn view(constant: &VPackBuf) -> Value<'_> {
    Value::from_slice(constant.as_slice())
}

/// Whether a constant is truthy.
pub(crate) fn is_truthy(constant: &VPackBuf) -> bool {
    view(constant).is_truthy()
}
