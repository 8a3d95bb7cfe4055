//! `LIKE`: `%` stands for any run of characters, `_` for one character, `\` escapes these and itself.

/// Whether the whole text matches the pattern. Case-insensitive matching folds Unicode letters.
///
/// ```
/// use persea_functions::like;
/// assert!(like("a%d", "avocado and", false));
/// assert!(!like("persea", "Persea", false));
/// assert!(like("per_ea", "PERSEA", true));
/// ```
pub fn like(pattern: &str, text: &str, case_insensitive: bool) -> bool {
    if !case_insensitive && let Some(result) = like_simple(pattern.as_bytes(), text) {
        return result;
    }
    like_general(pattern, text, case_insensitive)
}

/// The shapes without `_` and escapes whose only `%` are at the ends: equality, prefix, suffix, substring.
fn like_simple(pattern: &[u8], text: &str) -> Option<bool> {
    let (open_start, rest) = match pattern.strip_prefix(b"%") {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let (open_end, literal) = match rest.strip_suffix(b"%") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    if literal.iter().any(|byte| matches!(byte, b'%' | b'_' | b'\\')) {
        return None;
    }
    let text = text.as_bytes();
    Some(match (open_start, open_end) {
        (false, false) => text == literal,
        (false, true) => text.starts_with(literal),
        (true, false) => text.ends_with(literal),
        (true, true) => memchr::memmem::find(text, literal).is_some(),
    })
}

enum Token {
    AnyRun,
    AnyOne,
    Literal(char),
}

/// The token at a byte position of the pattern and the position after it.
fn token_at(pattern: &str, position: usize) -> Option<(Token, usize)> {
    let mut chars = pattern.get(position..)?.chars();
    let first = chars.next()?;
    let after_first = position + first.len_utf8();
    Some(match first {
        '%' => (Token::AnyRun, after_first),
        '_' => (Token::AnyOne, after_first),
        '\\' => match chars.next() {
            Some(escaped @ ('%' | '_' | '\\')) => (Token::Literal(escaped), after_first + 1),
            _ => (Token::Literal('\\'), after_first),
        },
        other => (Token::Literal(other), after_first),
    })
}

fn same_char(left: char, right: char, case_insensitive: bool) -> bool {
    left == right || (case_insensitive && left.to_lowercase().eq(right.to_lowercase()))
}

/// Backtracks to the last `%` only, which is enough: an earlier one can never help once a later one is reached.
fn like_general(pattern: &str, text: &str, case_insensitive: bool) -> bool {
    let mut pattern_at = 0;
    let mut text_at = 0;
    // Where to resume: the pattern after the last run, and the text that run has swallowed so far.
    let mut resume: Option<(usize, usize)> = None;
    loop {
        let next_char = text.get(text_at..).and_then(|rest| rest.chars().next());
        match (token_at(pattern, pattern_at), next_char) {
            (Some((Token::AnyRun, after)), _) => {
                pattern_at = after;
                resume = Some((after, text_at));
                continue;
            }
            (Some((Token::AnyOne, after)), Some(character)) => {
                pattern_at = after;
                text_at += character.len_utf8();
                continue;
            }
            (Some((Token::Literal(wanted), after)), Some(character))
                if same_char(wanted, character, case_insensitive) =>
            {
                pattern_at = after;
                text_at += character.len_utf8();
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        let Some((after_run, swallowed)) = resume else { return false };
        let Some(skipped) = text.get(swallowed..).and_then(|rest| rest.chars().next()) else { return false };
        pattern_at = after_run;
        text_at = swallowed + skipped.len_utf8();
        resume = Some((after_run, text_at));
    }
}

#[cfg(test)]
mod tests {
    use super::like;

    fn check(text: &str, pattern: &str, expected: bool) {
        assert_eq!(like(pattern, text, false), expected, "{text:?} LIKE {pattern:?}");
    }

    #[test]
    fn whole_text_must_match() {
        check("boat", "bo_t", true);
        check("bought", "bo_t", false);
        check("bought", "bo%t", true);
        check("one two three", "two", false);
        check("one two three", "%two%", true);
        check("one two three", "one%three%", true);
        check("", "", true);
        check("", "%", true);
        check("", "_", false);
        check("x", "", false);
        check("a\nb", "a%b", true);
        check("a\nb", "a_b", true);
    }

    #[test]
    fn characters_are_code_points() {
        check("🥑", "_", true);
        check("größe", "gr__e", true);
        check("größe", "gr___e", false);
    }

    #[test]
    fn escapes() {
        check("a%c", "a\\%", false);
        check("a%", "a\\%", true);
        check("%%", "\\%\\%", true);
        check("_", "\\_", true);
        check("fghij", "_ghi%", true);
        check("fghij", "\\_ghi%", false);
        check("\\abc", "\\\\%", true);
        check("a\\b", "a\\b", true);
        check("a\\", "a\\", true);
    }

    #[test]
    fn expression_signs_are_plain() {
        check("( [ ] ) % * . + -", "%. +%", true);
        check("x^y$z", "%^%$z", true);
    }

    #[test]
    fn several_runs() {
        check("abcabcabd", "%abc%abd", true);
        check("abcabcabd", "%abc%abc", false);
        check("aaaaaaaaaaaaaaaaaaaaaaaab", "%a%a%a%a%a%a%c", false);
        check("mississippi", "m%iss%_pi", true);
    }

    #[test]
    fn case_is_folded_on_demand() {
        assert!(!like("oNe%tHrEe", "OnE two ThReE", false));
        assert!(like("oNe%tHrEe", "OnE two ThReE", true));
        assert!(like("ÄÖÜ", "äöü", true));
        assert!(like("%ÖL%", "das öl", true));
    }
}
