//! Hashes and revisions: `HASH`, `MINHASH`, `MINHASH_COUNT`, `MINHASH_ERROR`, `DECODE_REV`, `CHECK_DOCUMENT`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use persea_order::{Value, hash as hash_of};
use persea_vpack::Slice;

use crate::context::arg;
use crate::date::iso8601;
use crate::numeric::{integer, strict_number};
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "CHECK_DOCUMENT",
        (1, 1),
        "CHECK_DOCUMENT(document)",
        "Whether an object has no attribute twice.",
        check_document,
    ),
    Function::new(
        "DECODE_REV",
        (1, 1),
        "DECODE_REV(revision)",
        "Time and count in a document revision.",
        decode_rev,
    ),
    Function::new("HASH", (1, 1), "HASH(value)", "A number that is the same for equal values.", hash),
    Function::new("MINHASH", (2, 2), "MINHASH(values, n)", "Signature of a set of values.", minhash),
    Function::new(
        "MINHASH_COUNT",
        (1, 1),
        "MINHASH_COUNT(error)",
        "Hashes needed for an error rate.",
        minhash_count,
    ),
    Function::new(
        "MINHASH_ERROR",
        (1, 1),
        "MINHASH_ERROR(n)",
        "Error rate of a number of hashes.",
        minhash_error,
    ),
];

fn hash<'a>(_: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    // Few enough bits for clients whose numbers are doubles.
    const BITS: u64 = 0x0007_ffff_ffff_ffff;
    Ok(Value::from_u64(hash_of(arg(args, 0)) & BITS))
}

fn minhash<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let wanted = usize::try_from(integer(arg(args, 1))).unwrap_or(0);
    let Some(members) = ctx.members(arg(args, 0))? else { return ctx.invalid_argument() };
    if wanted < 1 || !arg(args, 1).is_number() {
        return ctx.invalid_argument();
    }
    let mut hashes = ctx.vec();
    hashes.extend(members.into_iter().map(|member| mixed(hash_of(member))));
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(wanted);
    let mut builder = ctx.builder();
    builder.open_array();
    hashes.iter().for_each(|hash| builder.add_str(&STANDARD_NO_PAD.encode(hash.to_le_bytes())));
    builder.close();
    builder.finish()
}

/// Spreads a hash over all bits, so that the smallest ones are a fair sample.
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

fn minhash_count<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match strict_number(arg(args, 0)).filter(|error| (0.0..1.0).contains(error)) {
        Some(0.0) => Ok(Value::from_i64(0)),
        Some(error) => Ok(Value::from_f64((1.0 / (error * error)).ceil())),
        None => ctx.invalid_argument(),
    }
}

fn minhash_error<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    match strict_number(arg(args, 0)).filter(|count| *count >= 1.0) {
        Some(count) => Ok(Value::from_f64(1.0 / count.sqrt())),
        None => ctx.invalid_argument(),
    }
}

fn decode_rev<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    const COUNT_BITS: u32 = 20;
    let Some(revision) = arg(args, 0).as_str().and_then(revision_number) else {
        return ctx.invalid_argument();
    };
    let milliseconds = i64::try_from(revision >> COUNT_BITS).unwrap_or(i64::MAX);
    let Some(date) = iso8601(ctx, milliseconds) else { return ctx.invalid_argument() };
    let mut builder = ctx.builder();
    builder.open_object();
    builder.entry("date", date);
    builder.entry("count", Value::from_u64(revision & ((1 << COUNT_BITS) - 1)));
    builder.close();
    builder.finish()
}

/// The number behind a revision: six bits a sign, the most significant first.
fn revision_number(text: &str) -> Option<u64> {
    if text.is_empty() || text.len() > 11 {
        return None;
    }
    text.bytes().try_fold(0_u64, |number, sign| {
        let digit = match sign {
            b'-' => 0,
            b'_' => 1,
            b'A'..=b'Z' => sign - b'A' + 2,
            b'a'..=b'z' => sign - b'a' + 28,
            b'0'..=b'9' => sign - b'0' + 54,
            _ => return None,
        };
        Some(number << 6 | u64::from(digit))
    })
}

fn check_document<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let value = arg(args, 0);
    let is_sound = value.is_object() && value.as_slice().is_some_and(|slice| has_unique_names(ctx, slice));
    Ok(Value::from_bool(is_sound))
}

/// Whether no object inside has two attributes of one name.
fn has_unique_names<'a>(ctx: &Context<'a>, root: Slice<'a>) -> bool {
    let mut open = ctx.vec();
    open.push(root);
    while let Some(slice) = open.pop() {
        if slice.is_object() {
            let mut names = ctx.vec();
            for (name, value) in slice.object_iter() {
                names.push(name);
                open.push(value);
            }
            names.sort_unstable();
            if names.windows(2).any(|pair| matches!(pair, [left, right] if left == right)) {
                return false;
            }
        } else if slice.is_array() {
            open.extend(slice.array_iter());
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning, outcome};

    fn value(call: &str) -> String {
        outcome(call).result.unwrap()
    }

    #[test]
    fn hashes() {
        assert_eq!(value("HASH({\"a\":1,\"b\":2})"), value("HASH({\"b\":2,\"a\":1.0})"));
        assert_ne!(value("HASH(1)"), value("HASH(\"1\")"));
        assert_eq!(value("HASH([1,2,3])"), value("HASH(1..3)"));
    }

    #[test]
    fn min_hashes() {
        assert_eq!(value("MINHASH([1,2,3],2)"), value("MINHASH([3,2,1,1],2)"));
        check_warning("MINHASH(1,2)", "null", 1542);
        check_warning("MINHASH([1],0)", "null", 1542);
        check("MINHASH_COUNT(0.05)", "400");
        check("MINHASH_ERROR(400)", "0.05");
        check_warning("MINHASH_COUNT(1)", "null", 1542);
        check_warning("MINHASH_ERROR(0)", "null", 1542);
    }

    #[test]
    fn revisions() {
        check("DECODE_REV(\"_YU0HOEG---\")", "{\"date\":\"2019-03-11T16:15:05.314Z\",\"count\":0}");
        check_warning("DECODE_REV(\"a b\")", "null", 1542);
        check_warning("DECODE_REV(5)", "null", 1542);
    }

    #[test]
    fn documents() {
        check("CHECK_DOCUMENT({\"a\":1,\"b\":[{\"a\":2}]})", "true");
        check("CHECK_DOCUMENT([])", "false");
        check("CHECK_DOCUMENT(null)", "false");
    }
}
