//! The dictionary of system attribute names that stored objects abbreviate to one byte.

const NAMES: [&str; 5] = ["_key", "_rev", "_id", "_from", "_to"];

/// The dictionary number (1 to 5) of a system attribute name.
#[inline]
pub fn attribute_code(name: &str) -> Option<u8> {
    match name {
        "_key" => Some(1),
        "_rev" => Some(2),
        "_id" => Some(3),
        "_from" => Some(4),
        "_to" => Some(5),
        _ => None,
    }
}

/// The system attribute name behind a dictionary number.
#[inline]
pub fn attribute_name(code: u64) -> Option<&'static str> {
    let index = usize::try_from(code).ok()?.checked_sub(1)?;
    NAMES.get(index).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_are_inverse() {
        for code in 1..=5 {
            let name = attribute_name(code).unwrap();
            assert_eq!(attribute_code(name), Some(code as u8));
        }
        assert_eq!(attribute_name(0), None);
        assert_eq!(attribute_name(6), None);
        assert_eq!(attribute_code("_Key"), None);
    }
}
