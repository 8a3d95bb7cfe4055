//! All ways to convert, and a model to compare them with.
#![allow(dead_code, reason = "each test file uses a part of this")]

use persea_numparse::{Implementation, ParseError, implementations, parse_prefix_u64, parse_u64, trusted};

pub type Trusted = Box<dyn Fn(&[u8]) -> u64>;
pub type Checked = Box<dyn Fn(&[u8]) -> Result<u64, ParseError>>;
pub type Prefix = Box<dyn Fn(&[u8]) -> Result<(u64, usize), ParseError>>;

/// The named functions, and each implementation that the CPU can run.
pub fn trusted_ways() -> Vec<(&'static str, Trusted)> {
    let mut ways: Vec<(&'static str, Trusted)> = vec![
        ("naive", Box::new(trusted::naive)),
        ("bitshift", Box::new(trusted::bitshift)),
        ("unrolled", Box::new(trusted::unrolled)),
        ("swar", Box::new(trusted::swar)),
        ("simd", Box::new(trusted::simd)),
        ("parse_u64", Box::new(trusted::parse_u64)),
    ];
    ways.extend(
        implementations().map(|one| (name(one), Box::new(|text: &[u8]| one.trusted(text)) as Trusted)),
    );
    ways
}

pub fn checked_ways() -> Vec<(&'static str, Checked)> {
    let mut ways: Vec<(&'static str, Checked)> = vec![("parse_u64", Box::new(parse_u64))];
    ways.extend(
        implementations().map(|one| (name(one), Box::new(|text: &[u8]| one.parse_u64(text)) as Checked)),
    );
    ways
}

pub fn prefix_ways() -> Vec<(&'static str, Prefix)> {
    let mut ways: Vec<(&'static str, Prefix)> = vec![("parse_prefix_u64", Box::new(parse_prefix_u64))];
    ways.extend(
        implementations()
            .map(|one| (name(one), Box::new(|text: &[u8]| one.parse_prefix_u64(text)) as Prefix)),
    );
    ways
}

fn name(implementation: &Implementation) -> &'static str {
    implementation.instruction_set().name()
}

/// What a prefix conversion to a type with this range must say.
pub fn model_prefix(text: &[u8], least: i128, greatest: i128) -> Result<(i128, usize), ParseError> {
    let (sign, start) = match text.first() {
        Some(b'-') if least < 0 => (-1, 1),
        Some(b'+') => (1, 1),
        _ => (1, 0),
    };
    let mut number = 0i128;
    let mut at = start;
    while let Some(digit @ b'0'..=b'9') = text.get(at) {
        number = number * 10 + sign * i128::from(digit - b'0');
        if number < least || number > greatest {
            return Err(ParseError::Overflow { at });
        }
        at += 1;
    }
    match at {
        _ if at > start => Ok((number, at)),
        _ if at == text.len() => Err(ParseError::Empty),
        _ => Err(ParseError::InvalidDigit { at }),
    }
}

/// What a conversion of the whole text must say.
pub fn model(text: &[u8], least: i128, greatest: i128) -> Result<i128, ParseError> {
    match model_prefix(text, least, greatest)? {
        (number, used) if used == text.len() => Ok(number),
        (_, at) => Err(ParseError::InvalidDigit { at }),
    }
}

/// Compares every checked way for every type with the model.
#[track_caller]
pub fn check_all(ways: &Ways, text: &[u8]) {
    use persea_numparse as ours;
    let shown = || String::from_utf8_lossy(text).into_owned();
    let expected = model(text, 0, u64::MAX.into()).map(|number| number as u64);
    for (name, way) in &ways.checked {
        assert_eq!(way(text), expected, "{name} of {:?}", shown());
    }
    let expected = model_prefix(text, 0, u64::MAX.into()).map(|(number, used)| (number as u64, used));
    for (name, way) in &ways.prefix {
        assert_eq!(way(text), expected, "{name} of the start of {:?}", shown());
    }
    macro_rules! check_type {
        ($($number:ty, $whole:path, $prefix:path;)*) => {$({
            let (least, greatest) = (<$number>::MIN.into(), <$number>::MAX.into());
            let expected = model(text, least, greatest).map(|number| number as $number);
            assert_eq!($whole(text), expected, "{} of {:?}", stringify!($number), shown());
            let expected = model_prefix(text, least, greatest).map(|(number, used)| (number as $number, used));
            assert_eq!($prefix(text), expected, "{} at the start of {:?}", stringify!($number), shown());
        })*};
    }
    check_type! {
        i64, ours::parse_i64, ours::parse_prefix_i64;
        u32, ours::parse_u32, ours::parse_prefix_u32;
        i32, ours::parse_i32, ours::parse_prefix_i32;
    }
}

/// All checked ways, made once.
pub struct Ways {
    checked: Vec<(&'static str, Checked)>,
    prefix: Vec<(&'static str, Prefix)>,
}

pub fn ways() -> Ways {
    Ways { checked: checked_ways(), prefix: prefix_ways() }
}

/// Compares every trusted way with the expected number.
#[track_caller]
pub fn check_trusted(ways: &[(&'static str, Trusted)], text: &[u8], expected: u64) {
    for (name, way) in ways {
        assert_eq!(way(text), expected, "{name} of {:?}", String::from_utf8_lossy(text));
    }
}
