//! `BIT_AND`, `BIT_OR` and `BIT_XOR` over a group.

use persea_order::Value;

use crate::numeric::bit_operand;

#[derive(Debug, Clone, Copy)]
pub(crate) enum BitOperation {
    And,
    Or,
    Xor,
}

impl BitOperation {
    pub(crate) fn apply(self, left: u32, right: u32) -> u32 {
        match self {
            Self::And => left & right,
            Self::Or => left | right,
            Self::Xor => left ^ right,
        }
    }
}

#[derive(Debug)]
pub(super) struct Bits {
    operation: BitOperation,
    mask: Option<u32>,
    invalid: bool,
}

impl Bits {
    pub(super) fn new(operation: BitOperation) -> Self {
        Self { operation, mask: None, invalid: false }
    }

    pub(super) fn add(&mut self, value: Value<'_>) {
        if value.is_null() {
            return;
        }
        match bit_operand(value) {
            Some(bits) => self.mask = Some(self.mask.map_or(bits, |mask| self.operation.apply(mask, bits))),
            None => self.invalid = true,
        }
    }

    pub(super) fn finish(&self) -> Value<'static> {
        match self.mask {
            Some(mask) if !self.invalid => Value::from_i64(i64::from(mask)),
            _ => Value::NULL,
        }
    }
}
