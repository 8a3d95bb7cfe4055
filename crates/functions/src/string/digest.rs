//! Digests and checksums of strings: `MD5`, `SHA1`, `SHA256`, `SHA512`, `CRC32`, `FNV64`.

use std::fmt::Write;

use md5::{Digest, Md5};
use persea_order::Value;
use sha1::Sha1;
use sha2::{Sha256, Sha512};

use super::encode::hex;
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("CRC32", (1, 1), "CRC32(text)", "CRC-32C checksum in hexadecimal.", crc32),
    Function::new("FNV64", (1, 1), "FNV64(text)", "FNV-1a hash in hexadecimal.", fnv64),
    Function::new("MD5", (1, 1), "MD5(text)", "MD5 digest in hexadecimal.", md5),
    Function::new("SHA1", (1, 1), "SHA1(text)", "SHA-1 digest in hexadecimal.", sha1),
    Function::new("SHA256", (1, 1), "SHA256(text)", "SHA-256 digest in hexadecimal.", sha256),
    Function::new("SHA512", (1, 1), "SHA512(text)", "SHA-512 digest in hexadecimal.", sha512),
];

fn md5<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(hex(ctx, &Md5::digest(ctx.text(arg(args, 0)))))
}

fn sha1<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(hex(ctx, &Sha1::digest(ctx.text(arg(args, 0)))))
}

fn sha256<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(hex(ctx, &Sha256::digest(ctx.text(arg(args, 0)))))
}

fn sha512<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    Ok(hex(ctx, &Sha512::digest(ctx.text(arg(args, 0)))))
}

fn crc32<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    upper_hex(ctx, u64::from(crc32c(ctx.text(arg(args, 0)).as_bytes())))
}

fn fnv64<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    upper_hex(ctx, fnv1a(ctx.text(arg(args, 0)).as_bytes()))
}

/// Upper-case digits without leading zeros.
fn upper_hex<'a>(ctx: &Context<'a>, number: u64) -> Result<Value<'a>, Error> {
    let mut text = ctx.string_buffer();
    // Writing to a string in memory does not fail.
    let _ = write!(text, "{number:X}");
    Ok(Value::from_str(text.into_bump_str()))
}

/// CRC-32C (Castagnoli), reflected, a byte at a time.
fn crc32c(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            let mut remainder = byte as u32;
            let mut bit = 0;
            while bit < 8 {
                remainder = if remainder & 1 == 1 { remainder >> 1 ^ 0x82F6_3B78 } else { remainder >> 1 };
                bit += 1;
            }
            table[byte] = remainder;
            byte += 1;
        }
        table
    };
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        TABLE.get(usize::from(sum as u8 ^ byte)).copied().unwrap_or_default() ^ sum >> 8
    })
}

/// FNV-1a in 64 bits.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::check;

    #[test]
    fn digests() {
        check("MD5(\"\")", "\"d41d8cd98f00b204e9800998ecf8427e\"");
        check("MD5(\"foobar\")", "\"3858f62230ac3c915f300c664312c63f\"");
        check("SHA1(\"foobar\")", "\"8843d7f92416211de9ebb963ff4ce28125932878\"");
        check("SHA256(\"foobar\")", "\"c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2\"");
        check(
            "SHA512(\"foobar\")",
            "\"0a50261ebd1a390fed2bf326f2673c145582a6342d523204973d0219337f81616a8069b012587cf5635f6925f1b56c360230c19b273500ee013e030601bf2425\"",
        );
    }

    #[test]
    fn checksums() {
        check("CRC32(\"foobar\")", "\"D5F5C7F\"");
        check("CRC32(\"123456789\")", "\"E3069283\"");
        check("CRC32(\"\")", "\"0\"");
        check("FNV64(\"foobar\")", "\"85944171F73967E8\"");
        check("FNV64(null)", "\"CBF29CE484222325\"");
    }
}
