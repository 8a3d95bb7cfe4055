//! The members of one big array, read without holding more than one member.

use std::io::BufRead;

use memchr::memchr2;
use persea_vpack::VPackBuf;

use crate::{Error, Options, Parser, VALUE_BYTES_MAX};

/// Reads the members of the single JSON array that the stream holds.
pub fn array_items<R: BufRead>(reader: R) -> ArrayItems<R> {
    ArrayItems::new(reader, Options::default())
}

/// The members of an array in order; the first error is the last item.
///
/// Positions in errors count from the start of the stream.
#[derive(Debug)]
pub struct ArrayItems<R> {
    reader: R,
    parser: Parser,
    member: Vec<u8>,
    /// Bytes read so far.
    position: usize,
    item_bytes_max: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before `[`.
    Start,
    /// Behind `[`: a member or `]`.
    First,
    /// Behind `,`: a member.
    Member,
    /// Behind `]`: nothing more.
    End,
    /// At the end, or after an error.
    Done,
}

/// Where the scan of a member stands.
#[derive(Debug, Clone, Copy, Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl<R: BufRead> ArrayItems<R> {
    /// Reads members with options of their own; the array itself does not count towards the depth.
    pub fn new(reader: R, options: Options) -> ArrayItems<R> {
        let parser = Parser::new(options);
        let item_bytes_max = VALUE_BYTES_MAX;
        ArrayItems { reader, parser, member: Vec::new(), position: 0, item_bytes_max, state: State::Start }
    }

    /// The same stream with another limit on the length of a member.
    #[must_use]
    pub fn with_item_bytes_max(mut self, item_bytes_max: usize) -> ArrayItems<R> {
        self.item_bytes_max = item_bytes_max;
        self
    }

    fn read_item(&mut self) -> Result<Option<VPackBuf>, Error> {
        match self.state {
            State::Done => return Ok(None),
            State::End => return self.expect_end(),
            State::Start => {
                match self.peek_token()? {
                    Some(b'[') => self.advance(1),
                    _ => return Err(self.syntax("expected '[' at the start of an array")),
                }
                self.state = State::First;
            }
            State::First | State::Member => {}
        }
        match self.peek_token()? {
            Some(b']') if self.state == State::First => {
                self.advance(1);
                return self.expect_end();
            }
            None => return Err(self.syntax("JSON ends in the middle of a value")),
            Some(_) => {}
        }
        let start = self.position;
        let terminator = self.read_member(start)?;
        let value = self.parser.parse(&self.member).map_err(|error| error.moved_by(start))?;
        self.state = if terminator == b',' { State::Member } else { State::End };
        Ok(Some(value))
    }

    /// Copies bytes up to the `,` or `]` that ends the member, consumes that one too and returns it.
    fn read_member(&mut self, start: usize) -> Result<u8, Error> {
        self.member.clear();
        let mut scan = Scan::default();
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                return Err(self.syntax("JSON ends in the middle of a value"));
            }
            let end = scan.run(chunk);
            let length = end.unwrap_or(chunk.len());
            if self.member.len() + length > self.item_bytes_max {
                return Err(Error::TooLong { position: start, bytes_max: self.item_bytes_max });
            }
            self.member.extend_from_slice(chunk.get(..length).unwrap_or(chunk));
            let terminator = end.and_then(|end| chunk.get(end).copied());
            self.advance(length + usize::from(terminator.is_some()));
            if let Some(terminator) = terminator {
                return Ok(terminator);
            }
        }
    }

    fn expect_end(&mut self) -> Result<Option<VPackBuf>, Error> {
        self.state = State::Done;
        match self.peek_token()? {
            None => Ok(None),
            Some(_) => Err(self.syntax("expected the end of the text after the value")),
        }
    }

    /// The next byte that is not white space, not consumed.
    fn peek_token(&mut self) -> Result<Option<u8>, Error> {
        loop {
            let chunk = self.reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let blank = chunk.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
            let token = chunk.get(blank).copied();
            self.advance(blank);
            if token.is_some() {
                return Ok(token);
            }
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.reader.consume(bytes);
        self.position += bytes;
    }

    fn syntax(&self, message: &'static str) -> Error {
        Error::Syntax { position: self.position, message }
    }
}

impl Scan {
    /// Offset of the byte that ends the member, when it is in this chunk.
    fn run(&mut self, chunk: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = chunk.get(at) {
            if self.escaped {
                self.escaped = false;
            } else if self.in_string {
                at += memchr2(b'"', b'\\', chunk.get(at..)?)?;
                match chunk.get(at) {
                    Some(b'\\') => self.escaped = true,
                    _ => self.in_string = false,
                }
            } else {
                match byte {
                    b'"' => self.in_string = true,
                    b'[' | b'{' => self.depth += 1,
                    b']' | b',' if self.depth == 0 => return Some(at),
                    b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
            }
            at += 1;
        }
        None
    }
}

impl<R: BufRead> Iterator for ArrayItems<R> {
    type Item = Result<VPackBuf, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = self.read_item();
        if item.is_err() {
            self.state = State::Done;
        }
        item.transpose()
    }
}
