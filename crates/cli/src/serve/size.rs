//! Sizes with suffixes as arangod writes them: `k`, `mb` are powers of 1000, `kib`, `mib` powers of 1024.

/// Reads a number of bytes.
///
/// # Errors
/// When it is no number with one of the suffixes, or too large.
pub fn parse(text: &str) -> Result<usize, String> {
    let lower = text.trim().to_ascii_lowercase();
    let digits = lower.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let factor: usize = match &lower[digits.len()..] {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        other => return Err(format!("'{text}': unknown suffix '{other}'")),
    };
    let number: usize = digits.trim_end().parse().map_err(|_| format!("'{text}' is no number of bytes"))?;
    number.checked_mul(factor).ok_or_else(|| format!("'{text}' is too large"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn sizes() {
        assert_eq!(parse("0"), Ok(0));
        assert_eq!(parse("512mb"), Ok(512_000_000));
        assert_eq!(parse("1GiB"), Ok(1 << 30));
        assert!(parse("1 parsec").is_err());
        assert!(parse("mb").is_err());
        assert!(parse("99999999999999999999").is_err());
    }
}
