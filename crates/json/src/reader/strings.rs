//! Strings and attribute names.
//!
//! Most are short and need no change: their end is found in one or two blocks, which are copied as a whole.

use persea_vpack::{Open, append_short};

use super::Reader;
use crate::block::{BLOCK, Block};
use crate::error::Error;

/// A string whose text is found.
struct Text {
    /// Where it ends in the source, before the closing quote.
    end: usize,
    /// Whether it was put together apart from the source.
    is_unescaped: bool,
}

impl Reader<'_, '_> {
    /// A string value; `start` is behind the opening quote.
    #[inline(always)]
    pub(super) fn string(&mut self, start: usize) -> Option<usize> {
        let rest = self.text.get(start..).unwrap_or(&[]);
        if let Some(block) = rest.first_chunk::<BLOCK>()
            && let Some(length) = self.short(block)
        {
            self.out.add_short_text(block, length);
            return Some(start + length + 1);
        }
        if let Some(block) = rest.first_chunk::<{ 2 * BLOCK }>()
            && let Some(length) = self.medium(block)
        {
            self.out.add_short_text(block, length);
            return Some(start + length + 1);
        }
        self.long_string(start)
    }

    #[inline(never)]
    fn long_string(&mut self, start: usize) -> Option<usize> {
        let Text { end, is_unescaped } = self.long(start)?;
        match is_unescaped {
            true => self.out.add_text(self.unescaped),
            false => self.out.add_text(self.text.get(start..end).unwrap_or(&[])),
        }
        Some(end + 1)
    }

    /// An attribute name; `start` is behind the opening quote.
    #[inline(always)]
    pub(super) fn name(&mut self, start: usize, object: &Open) -> Option<usize> {
        let rest = self.text.get(start..).unwrap_or(&[]);
        if let Some(block) = rest.first_chunk::<BLOCK>()
            && let Some(length) = self.short(block)
        {
            self.out.short_key(object, block, length);
            return Some(start + length + 1);
        }
        self.long_name(start, object)
    }

    #[inline(never)]
    fn long_name(&mut self, start: usize, object: &Open) -> Option<usize> {
        let rest = self.text.get(start..).unwrap_or(&[]);
        if let Some(block) = rest.first_chunk::<{ 2 * BLOCK }>()
            && let Some(length) = self.medium(block)
        {
            self.out.short_key(object, block, length);
            return Some(start + length + 1);
        }
        let Text { end, is_unescaped } = self.long(start)?;
        match is_unescaped {
            true => self.out.key(object, self.unescaped),
            false => self.out.key(object, self.text.get(start..end).unwrap_or(&[])),
        }
        Some(end + 1)
    }

    /// Length of the string that starts with the block and ends in it, if it can be taken as it is.
    #[inline(always)]
    fn short(&self, block: &[u8; BLOCK]) -> Option<usize> {
        let loaded = Block::load(block);
        self.plain(block, loaded.special(), loaded.beyond_ascii())
    }

    /// The same for two blocks.
    #[inline(always)]
    fn medium(&self, blocks: &[u8; 2 * BLOCK]) -> Option<usize> {
        let (low, high) = (Block::load(blocks.first_chunk()?), Block::load(blocks.last_chunk()?));
        let special = low.special() | high.special() << BLOCK;
        self.plain(blocks, special, low.beyond_ascii() | high.beyond_ascii() << BLOCK)
    }

    #[inline(always)]
    fn plain(&self, bytes: &[u8], special: u32, beyond_ascii: u32) -> Option<usize> {
        let length = special.trailing_zeros() as usize;
        if *bytes.get(length)? != b'"' {
            return None;
        }
        // Bits below the lowest one that is set.
        let inside = special ^ special.wrapping_sub(1);
        (beyond_ascii & inside == 0 || self.is_utf8).then_some(length)
    }

    /// A string of any length and content.
    fn long(&mut self, start: usize) -> Option<Text> {
        let mut end = self.plain_end(start)?;
        if self.text.get(end) == Some(&b'"') {
            return Some(Text { end, is_unescaped: false });
        }
        self.unescaped.clear();
        let mut plain = start;
        loop {
            self.copy(plain, end);
            match self.text.get(end) {
                Some(b'"') => return Some(Text { end, is_unescaped: true }),
                Some(b'\\') => plain = self.escape(end)?,
                Some(_) => {
                    let message = "control character in a string must be escaped";
                    self.fail(Error::Syntax { position: end, message })?;
                }
                None => {
                    let message = "string without closing quote";
                    self.fail(Error::Syntax { position: start.saturating_sub(1), message })?;
                }
            }
            end = self.plain_end(plain)?;
        }
    }

    /// Copies plain text apart.
    #[inline]
    fn copy(&mut self, start: usize, end: usize) {
        match self.text.get(start..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
            Some(block) if end - start <= BLOCK => append_short(self.unescaped, block, end - start),
            _ => self.unescaped.extend_from_slice(self.text.get(start..end).unwrap_or(&[])),
        }
    }

    /// Where plain text in a string ends: at a quote, a backslash, a control character or the end of the text.
    #[inline]
    fn plain_end(&mut self, start: usize) -> Option<usize> {
        let mut at = start;
        let mut beyond_ascii = 0;
        let end = loop {
            let Some(block) = self.text.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) else {
                let rest = self.text.get(at..).unwrap_or(&[]);
                let length = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\');
                let plain = rest.get(..length.unwrap_or(rest.len())).unwrap_or(&[]);
                beyond_ascii |= u32::from(!plain.is_ascii());
                break at + plain.len();
            };
            let block = Block::load(block);
            let special = block.special();
            if special != 0 {
                beyond_ascii |= block.beyond_ascii() & (special ^ special.wrapping_sub(1));
                break at + special.trailing_zeros() as usize;
            }
            beyond_ascii |= block.beyond_ascii();
            at += BLOCK;
        };
        if beyond_ascii != 0 && !self.is_utf8 {
            // What was passed before is ASCII, but `start` need not be where a character starts.
            if simdutf8::basic::from_utf8(self.text).is_err() {
                return None;
            }
            self.is_utf8 = true;
        }
        Some(end)
    }

    /// Decodes the escape sequence at `at` and returns the offset behind it.
    #[inline]
    fn escape(&mut self, at: usize) -> Option<usize> {
        let byte = match self.text.get(at + 1) {
            Some(&byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'u') => return self.unicode(at),
            _ => {
                self.unexpected(at + 1, "unknown escape sequence in a string")?;
                return None;
            }
        };
        self.unescaped.push(byte);
        Some(at + 2)
    }

    /// Decodes `\uXXXX`, or two of them that make up one character.
    fn unicode(&mut self, at: usize) -> Option<usize> {
        let (code, end) = match self.unit(at)? {
            high @ 0xd800..=0xdbff if self.text.get(at + 6..at + 8) == Some(b"\\u") => {
                match self.unit(at + 6)? {
                    low @ 0xdc00..=0xdfff => (0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00), at + 12),
                    _ => (high, at + 6),
                }
            }
            unit => (unit, at + 6),
        };
        match char::from_u32(code) {
            Some(character) => {
                self.unescaped.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                Some(end)
            }
            None => self.unexpected(at, "\\u escape that is no character"),
        }
    }

    /// The number behind `\u` at `at`.
    fn unit(&mut self, at: usize) -> Option<u32> {
        let digits = self.text.get(at + 2..at + 6).unwrap_or(&[]);
        let mut unit = 0;
        for &digit in digits {
            match char::from(digit).to_digit(16) {
                Some(digit) => unit = unit << 4 | digit,
                None => {
                    self.unexpected(at, "\\u must be followed by four hexadecimal digits")?;
                }
            }
        }
        if digits.len() < 4 {
            self.unexpected(self.text.len(), "\\u must be followed by four hexadecimal digits")?;
        }
        Some(unit)
    }
}
