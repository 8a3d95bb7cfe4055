//! Legal values, damaged in a few places: validation lets through what the reference allows, and nothing else.
#![no_main]

mod reference;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use persea_vpack::{Builder, Slice};

#[derive(Debug, Arbitrary)]
enum Part<'a> {
    Null,
    Small(i8),
    Number(i64),
    Double(f64),
    Text(&'a str),
    Binary(&'a [u8]),
    Array(Vec<Part<'a>>),
    /// As many equal members.
    Equal(u8),
    Object(Vec<(u8, Part<'a>)>),
    /// More bytes than a one-byte offset can reach.
    Wide(u16),
}

#[derive(Debug, Arbitrary)]
enum Damage {
    Set {
        at: u16,
        byte: u8,
    },
    Add {
        at: u16,
        difference: i8,
    },
    Flip {
        at: u16,
        bit: u8,
    },
    Swap {
        at: u16,
        with: u16,
    },
    Remove {
        at: u16,
    },
    Insert {
        at: u16,
        byte: u8,
    },
    /// To the first byte and the length, so that what follows is read in another way.
    Head {
        byte: u8,
        difference: i8,
    },
    Copy {
        from: u16,
        to: u16,
        length: u8,
    },
}

#[derive(Debug, Arbitrary)]
struct Plan<'a> {
    translate: bool,
    part: Part<'a>,
    damages: Vec<Damage>,
}

fn push(part: &Part<'_>, builder: &mut Builder) {
    match part {
        Part::Null => builder.add_null(),
        Part::Small(number) => builder.add_i64(i64::from(*number)),
        Part::Number(number) => builder.add_i64(*number),
        Part::Double(number) => builder.add_f64(*number),
        Part::Text(text) => builder.add_str(text),
        Part::Binary(bytes) => builder.add_binary(bytes),
        Part::Array(parts) => {
            builder.open_array();
            parts.iter().for_each(|part| push(part, builder));
            builder.close()
        }
        Part::Equal(count) => {
            builder.open_array();
            (0..*count).for_each(|number| {
                builder.add_i64(i64::from(number % 10));
            });
            builder.close()
        }
        Part::Object(parts) => {
            builder.open_object();
            for (name, part) in parts {
                push(
                    part,
                    builder
                        .key(["a", "b", "_key", "_from", "longer name", "c", "", "ä"][usize::from(name % 8)]),
                );
            }
            builder.close()
        }
        Part::Wide(length) => builder.add_str(&"x".repeat(usize::from(length % 1_000))),
    };
}

fn apply(damage: &Damage, bytes: &mut Vec<u8>) {
    let length = bytes.len();
    if length == 0 {
        return;
    }
    let place = |at: u16| usize::from(at) % length;
    match *damage {
        Damage::Set { at, byte } => bytes[place(at)] = byte,
        Damage::Add { at, difference } => bytes[place(at)] = bytes[place(at)].wrapping_add_signed(difference),
        Damage::Flip { at, bit } => bytes[place(at)] ^= 1 << (bit % 8),
        Damage::Swap { at, with } => bytes.swap(place(at), place(with)),
        Damage::Remove { at } => {
            bytes.remove(place(at));
        }
        Damage::Insert { at, byte } => bytes.insert(place(at), byte),
        Damage::Head { byte, difference } => {
            bytes[0] = byte;
            if let Some(size) = bytes.get_mut(1) {
                *size = size.wrapping_add_signed(difference);
            }
        }
        Damage::Copy { from, to, length } => {
            let (from, to) = (place(from), place(to));
            let count = usize::from(length).min(bytes.len() - from.max(to));
            bytes.copy_within(from..from + count, to);
        }
    }
}

fuzz_target!(|plan: Plan<'_>| {
    let mut builder = Builder::new().with_attribute_translation(plan.translate);
    push(&plan.part, &mut builder);
    let Ok(value) = builder.finish() else { return };
    let mut bytes = value.into_bytes();
    assert!(reference::is_legal(&bytes), "built");
    plan.damages.iter().take(6).for_each(|damage| apply(damage, &mut bytes));
    let found = Slice::validate(&bytes);
    assert_eq!(found.is_ok(), reference::is_legal(&bytes), "{found:?}");
});
