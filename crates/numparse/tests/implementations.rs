//! The same tests over the named functions and over the implementation for each instruction set of this CPU.

mod common;

use common::{check_all, check_trusted, trusted_ways, ways};

#[test]
fn one_to_four_digits_exhaustively() {
    let (trusted, ways) = (trusted_ways(), ways());
    for width in 1..=4 {
        for number in 0..10u64.pow(width as u32) {
            let text = format!("{number:0width$}");
            check_trusted(&trusted, text.as_bytes(), number);
            check_all(&ways, text.as_bytes());
            check_all(&ways, format!("-{text}").as_bytes());
        }
    }
}

#[test]
fn every_length() {
    let (trusted, ways) = (trusted_ways(), ways());
    check_trusted(&trusted, b"", 0);
    for digits in
        ["12345678901234567890", "10000000000000000000", "00000000000000000001", "99999999999999999999"]
    {
        for length in 1..=digits.len() {
            let text = &digits.as_bytes()[..length];
            check_all(&ways, text);
            if let Ok(expected) = digits[..length].parse() {
                check_trusted(&trusted, text, expected);
            }
        }
    }
}

#[test]
fn each_digit_at_each_position() {
    let (trusted, ways) = (trusted_ways(), ways());
    for length in 1..=20 {
        for position in 0..length {
            for digit in b'1'..=b'9' {
                let mut text = vec![b'0'; length];
                text[position] = digit;
                check_all(&ways, &text);
                if let Ok(expected) = String::from_utf8_lossy(&text).parse() {
                    check_trusted(&trusted, &text, expected);
                }
            }
        }
    }
}

#[test]
fn every_byte_at_every_position() {
    let (trusted, ways) = (trusted_ways(), ways());
    for length in 0..=22 {
        for position in 0..length {
            for byte in 0..=u8::MAX {
                let mut text = b"1234567890123456789012"[..length].to_vec();
                text[position] = byte;
                check_all(&ways, &text);
                for (_, way) in &trusted {
                    // Some number, without a panic.
                    way(&text);
                }
            }
        }
    }
}

#[test]
fn edges_of_the_types() {
    let ways = ways();
    let limits: [i128; 6] = [
        i64::MAX.into(),
        u64::MAX.into(),
        i32::MAX.into(),
        u32::MAX.into(),
        i64::MIN.into(),
        i32::MIN.into(),
    ];
    for limit in limits {
        for number in [limit - 1i128, limit, limit + 1, limit * 10, limit * 10 + 9] {
            for zeros in 0..30 {
                let text = format!("{}{}", "0".repeat(zeros), number.unsigned_abs());
                for sign in ["", "-", "+"] {
                    check_all(&ways, format!("{sign}{text}").as_bytes());
                    check_all(&ways, format!("{sign}{text},").as_bytes());
                }
            }
        }
    }
    for text in ["", "+", "-", "+-1", "-+1", "--1", "++1", " 1", "1 ", "0x1", "1_000", "\u{661}", "-0", "+0"]
    {
        check_all(&ways, text.as_bytes());
    }
    let trusted = trusted_ways();
    check_trusted(&trusted, b"18446744073709551615", u64::MAX);
    for length in 1..=19 {
        let nines = "9".repeat(length);
        check_trusted(&trusted, nines.as_bytes(), nines.parse().unwrap());
        check_all(&ways, nines.as_bytes());
    }
}

#[test]
fn too_long_text_is_harmless() {
    for (_, way) in trusted_ways() {
        for length in 20..100 {
            way(&vec![b'9'; length]);
            way(&vec![0xff; length]);
        }
    }
}

/// What lies around the text must not matter, wherever the text lies.
#[test]
fn neighbours_do_not_matter() {
    let (trusted, ways) = (trusted_ways(), ways());
    for around in [0u8, b'9', b'-', 0x80, 0xff] {
        for offset in 0..48 {
            for length in 1..=20 {
                let mut buffer = [around; 128];
                let digits = &b"17263544536271809182"[..length];
                buffer[offset..offset + length].copy_from_slice(digits);
                let text = &buffer[offset..offset + length];
                let expected = std::str::from_utf8(digits).unwrap().parse().unwrap();
                check_trusted(&trusted, text, expected);
                check_all(&ways, text);
                check_all(&ways, &buffer[offset..]);
            }
        }
    }
}
