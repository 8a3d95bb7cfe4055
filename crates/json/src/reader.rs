//! The grammar of JSON: one pass over the text, each value written as soon as it is read.
//!
//! Every function gets the offset of the token that it is about and returns the offset behind it; `None` means that
//! the text is at fault, which is remembered.

mod shapes;
mod strings;

use persea_vpack::{Appender, Open};

use crate::block::{BLOCK, Block};
use crate::error::{BEHIND_VALUE, ENDS_INSIDE, Error};
use crate::number::{self, Number};
pub(crate) use shapes::{Kind, Shapes};

/// Reads one value.
pub(crate) struct Reader<'t, 'o> {
    text: &'t [u8],
    out: Appender<'o>,
    /// Where strings with escapes are put together.
    unescaped: &'o mut Vec<u8>,
    shapes: &'o mut Shapes,
    depth_max: usize,
    /// Whether all of the text is known to be UTF-8; not asked before there is a byte beyond ASCII.
    is_utf8: bool,
    fault: Option<Error>,
}

impl<'t, 'o> Reader<'t, 'o> {
    pub(crate) fn new(
        text: &'t [u8],
        out: Appender<'o>,
        unescaped: &'o mut Vec<u8>,
        shapes: &'o mut Shapes,
        depth_max: usize,
    ) -> Reader<'t, 'o> {
        Reader { text, out, unescaped, shapes, depth_max, is_utf8: false, fault: None }
    }

    /// Reads the value that makes up the text.
    pub(crate) fn read(mut self) -> Result<(), Error> {
        let (at, byte) = self.token(0);
        let end = if at == self.text.len() {
            self.fail(Error::Syntax { position: at, message: "JSON text is empty" })
        } else {
            self.value(at, byte, 0, Kind::default()).and_then(|end| match self.token(end) {
                (at, _) if at == self.text.len() => Some(at),
                (at, _) => self.fail(Error::Syntax { position: at, message: BEHIND_VALUE }),
            })
        };
        match (end, self.fault) {
            (Some(_), _) => Ok(()),
            (None, fault) => Err(Error::in_text(fault, self.text)),
        }
    }

    /// The value whose first byte is this one.
    #[inline(always)]
    fn value(&mut self, at: usize, byte: u8, depth: usize, kind: Kind) -> Option<usize> {
        match byte {
            b'"' => self.string(at + 1),
            b'{' => self.object(at, depth, kind),
            b'[' => self.array(at, depth, kind),
            b'-' | b'0'..=b'9' => self.number(at),
            b't' if self.spells(at, *b"true") => {
                self.out.add_bool(true);
                Some(at + 4)
            }
            b'f' if self.spells(at + 1, *b"alse") => {
                self.out.add_bool(false);
                Some(at + 5)
            }
            b'n' if self.spells(at, *b"null") => {
                self.out.add_null();
                Some(at + 4)
            }
            b't' | b'f' | b'n' => self.unexpected(at, "expected null, true or false"),
            _ => self.unexpected(at, "expected a JSON value"),
        }
    }

    #[inline(always)]
    fn array(&mut self, at: usize, depth: usize, kind: Kind) -> Option<usize> {
        if depth >= self.depth_max {
            return self.too_deep(at);
        }
        match self.text.get(at + 1) {
            Some(b'-' | b'0'..=b'9') => self.number_array(at + 1, depth, kind),
            _ => self.any_array(at, depth, kind),
        }
    }

    /// An array whose first member is the number at `at`; quick as long as the others are numbers too.
    #[inline(never)]
    fn number_array(&mut self, at: usize, depth: usize, kind: Kind) -> Option<usize> {
        let array = self.out.open_array(depth);
        let mut at = at;
        loop {
            self.out.member(&array);
            at = self.number(at)?;
            match self.text.get(at..).and_then(|rest| rest.first_chunk()) {
                Some([b',', b'-' | b'0'..=b'9']) => at += 1,
                Some([b']', _]) => {
                    self.out.close_array(array);
                    return Some(at + 1);
                }
                Some([b',', _]) => match self.token(at + 1) {
                    (next, b'-' | b'0'..=b'9') => at = next,
                    (next, byte) => return self.members(next, byte, array, depth, kind),
                },
                _ => return self.behind_number(at, array, depth, kind),
            }
        }
    }

    #[inline(never)]
    fn any_array(&mut self, at: usize, depth: usize, kind: Kind) -> Option<usize> {
        let (at, byte) = self.token(at + 1);
        if let b'-' | b'0'..=b'9' = byte {
            return self.number_array(at, depth, kind);
        }
        let array = self.out.open_array(depth);
        if byte == b']' {
            self.out.close_array(array);
            return Some(at + 1);
        }
        self.members(at, byte, array, depth, kind)
    }

    /// What follows a number in an array, if that is neither a comma nor the end at once.
    #[inline(never)]
    fn behind_number(&mut self, at: usize, array: Open, depth: usize, kind: Kind) -> Option<usize> {
        match self.token(at) {
            (at, b',') => {
                let (at, byte) = self.token(at + 1);
                self.members(at, byte, array, depth, kind)
            }
            (at, b']') => {
                self.out.close_array(array);
                Some(at + 1)
            }
            (at, _) => self.unexpected(at, "expected ',' or ']'"),
        }
    }

    /// The members of an array from the one that starts at `at` on, up to its end.
    fn members(&mut self, at: usize, byte: u8, array: Open, depth: usize, kind: Kind) -> Option<usize> {
        let (mut at, mut byte) = (at, byte);
        loop {
            self.out.member(&array);
            let end = self.value(at, byte, depth + 1, kind)?;
            (at, byte) = self.token(end);
            match byte {
                b',' => (at, byte) = self.token(at + 1),
                b']' => {
                    self.out.close_array(array);
                    return Some(at + 1);
                }
                _ => return self.unexpected(at, "expected ',' or ']'"),
            }
        }
    }

    fn object(&mut self, at: usize, depth: usize, kind: Kind) -> Option<usize> {
        if depth >= self.depth_max {
            return self.too_deep(at);
        }
        let object = self.out.open_object(depth);
        let (mut at, mut byte) = self.token(at + 1);
        if byte != b'"' {
            if byte != b'}' {
                return self.unexpected(at, "expected an attribute name in quotes or '}'");
            }
            self.out.close_object(object).ok()?;
            return Some(at + 1);
        }
        let mut index = 0;
        loop {
            let inner = match self.foretold_name(at, &object, kind, index) {
                Some((end, inner)) => {
                    (at, byte) = self.token(end);
                    inner
                }
                None => {
                    let start = at;
                    let end = self.name(at + 1, &object)?;
                    (at, byte) = self.token(end);
                    if byte != b':' {
                        return self.unexpected(at, "expected ':' after an attribute name");
                    }
                    let inner = self.shapes.learn(kind, index, self.text.get(start..at + 1).unwrap_or(&[]));
                    (at, byte) = self.token(at + 1);
                    inner
                }
            };
            index += 1;
            let end = self.value(at, byte, depth + 1, inner)?;
            if let Some(b",\"") = self.text.get(end..).and_then(|rest| rest.first_chunk()) {
                at = end + 1;
                continue;
            }
            (at, byte) = self.token(end);
            match byte {
                b',' => {
                    (at, byte) = self.token(at + 1);
                    if byte != b'"' {
                        return self.unexpected(at, "expected an attribute name in quotes");
                    }
                }
                b'}' => {
                    return match self.out.close_object(object) {
                        Ok(()) => Some(at + 1),
                        Err(error) => self.fail(Error::refused(error, self.text)),
                    };
                }
                _ => return self.unexpected(at, "expected ',' or '}'"),
            }
        }
    }

    /// The name that was foretold, if it is there, with quotes and colon and without blanks in between.
    #[inline(always)]
    fn foretold_name(&mut self, at: usize, object: &Open, kind: Kind, index: usize) -> Option<(usize, Kind)> {
        let name = self.shapes.name(kind, index)?;
        let rest = self.text.get(at..)?;
        let is_there = match rest.first_chunk() {
            Some(block) => name.starts(block),
            None => name.starts_short(rest),
        };
        if !is_there {
            return None;
        }
        let (block, length) = name.block();
        self.out.known_key(object, block, length, name.prefix());
        Some((at + name.raw_length(), name.kind))
    }

    /// One number; inlined where it is used, as calls would be a good part of its time.
    #[inline(always)]
    fn number(&mut self, at: usize) -> Option<usize> {
        match number::usual(self.text, at) {
            Some((Number::Integer { negative, magnitude }, end)) => {
                self.out.add_integer(negative, magnitude);
                Some(end)
            }
            Some((Number::Double(number), end)) => {
                self.out.add_finite_f64(number);
                Some(end)
            }
            None => self.unusual_number(at),
        }
    }

    #[inline(never)]
    fn unusual_number(&mut self, at: usize) -> Option<usize> {
        let (number, end) = match number::any_number(self.text, at) {
            Ok(found) => found,
            Err(position) => return self.unexpected(position, "malformed number"),
        };
        match number {
            Number::Integer { negative, magnitude } => self.out.add_integer(negative, magnitude),
            Number::Double(number) => self.out.add_f64(number),
        }
        Some(end)
    }

    /// Whether these four bytes are at `at`.
    #[inline(always)]
    fn spells(&self, at: usize, word: [u8; 4]) -> bool {
        self.text.get(at..).and_then(|rest| rest.first_chunk::<4>()) == Some(&word)
    }

    /// Offset and first byte of the next token from `at` on; at the end the byte is zero, which starts no token.
    #[inline(always)]
    fn token(&self, at: usize) -> (usize, u8) {
        match self.text.get(at) {
            Some(&byte) if byte > b' ' => (at, byte),
            _ => self.token_behind_blanks(at),
        }
    }

    #[inline]
    fn token_behind_blanks(&self, at: usize) -> (usize, u8) {
        let mut at = at;
        while let Some(block) = self.text.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
            let skipped = (!Block::load(block).blank()).trailing_zeros() as usize;
            at += skipped;
            if skipped < BLOCK {
                break;
            }
        }
        while let Some(&byte) = self.text.get(at) {
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return (at, byte);
            }
            at += 1;
        }
        (self.text.len(), 0)
    }

    #[cold]
    #[inline(never)]
    fn too_deep(&mut self, at: usize) -> Option<usize> {
        self.fail(Error::TooDeep { position: at, depth_max: self.depth_max })
    }

    #[cold]
    #[inline(never)]
    fn unexpected(&mut self, at: usize, message: &'static str) -> Option<usize> {
        let message = if at < self.text.len() { message } else { ENDS_INSIDE };
        self.fail(Error::Syntax { position: at, message })
    }

    #[cold]
    fn fail(&mut self, error: Error) -> Option<usize> {
        self.fault.get_or_insert(error);
        None
    }
}
