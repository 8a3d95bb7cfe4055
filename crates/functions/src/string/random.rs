//! `UUID` and `RANDOM_TOKEN`.

use std::fmt::Write;

use persea_order::Value;
use rand::Rng;
use rand::distr::Alphanumeric;

use crate::context::arg;
use crate::numeric::integer;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("RANDOM_TOKEN", (1, 1), "RANDOM_TOKEN(length)", "Random letters and digits.", random_token)
        .volatile(),
    Function::new("UUID", (0, 0), "UUID()", "A random identifier.", uuid).volatile(),
];

fn uuid<'a>(ctx: &Context<'a>, _: &[Value<'a>]) -> Result<Value<'a>, Error> {
    const VERSION_4: u128 = 0x4000 << 64;
    const VERSION_MASK: u128 = 0xf000 << 64;
    const VARIANT: u128 = 0b10 << 62;
    const VARIANT_MASK: u128 = 0b11 << 62;
    let random: u128 = ctx.env.with_rng(|rng| rng.random());
    let id = random & !VERSION_MASK & !VARIANT_MASK | VERSION_4 | VARIANT;
    let mut text = ctx.string_buffer();
    for (position, shift) in (0..16).rev().enumerate() {
        if matches!(position, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        // Writing to a string in memory does not fail.
        let _ = write!(text, "{:02x}", (id >> (shift * 8)) as u8);
    }
    Ok(Value::from_str(text.into_bump_str()))
}

fn random_token<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    const LENGTH_MAX: usize = 65_536;
    let length = usize::try_from(integer(arg(args, 0))).ok().filter(|length| *length <= LENGTH_MAX);
    let Some(length) = length else { return Err(Error::ArgumentType(ctx.function())) };
    let mut text = bumpalo::collections::String::with_capacity_in(length, ctx.arena);
    ctx.env.with_rng(|rng| text.extend((0..length).map(|_| char::from(rng.sample(Alphanumeric)))));
    Ok(Value::from_str(text.into_bump_str()))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_error, with_environment};
    use crate::{Environment, like};

    fn text(call: &str) -> String {
        with_environment(&Environment::new().with_database("_system"), call)
            .result
            .unwrap()
            .trim_matches('"')
            .to_owned()
    }

    #[test]
    fn uuid_is_of_version_4() {
        let (first, second) = (text("UUID()"), text("UUID()"));
        assert!(like("________-____-4___-____-____________", &first, false), "{first}");
        assert!("89ab".contains(&first[19..20]), "{first}");
        assert_ne!(first, second);
    }

    #[test]
    fn tokens() {
        let token = text("RANDOM_TOKEN(12)");
        assert!(token.len() == 12 && token.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{token}");
        check("RANDOM_TOKEN(0)", "\"\"");
        check_error("RANDOM_TOKEN(-1)", 1542);
        check_error("RANDOM_TOKEN(65537)", 1542);
    }

    #[test]
    fn a_seed_repeats_a_run() {
        let run = || {
            with_environment(&Environment::new().with_database("_system").with_seed(7), "RAND()")
                .result
                .unwrap()
        };
        assert_eq!(run(), run());
    }
}
