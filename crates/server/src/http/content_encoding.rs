//! Compressed request bodies.

use std::io::Read;

use bytes::Bytes;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use hyper::StatusCode;

use super::request::Request;
use crate::error::ApiError;

/// The request with its body unpacked, as `Content-Encoding` says: `gzip` or `deflate`.
///
/// # Errors
/// 415 for other encodings, 413 when more than `limit` bytes come out, 400 when the body is damaged.
pub fn unpacked(mut request: Request, limit: usize) -> Result<Request, ApiError> {
    let encoding = request.header("content-encoding").map(|encoding| encoding.trim().to_ascii_lowercase());
    request.body = match encoding.as_deref() {
        None | Some("" | "identity") => return Ok(request),
        Some("gzip" | "x-gzip") => read(MultiGzDecoder::new(&*request.body), limit)?,
        Some("deflate") => read(ZlibDecoder::new(&*request.body), limit)?,
        Some(other) => {
            let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
            let message = format!("the content encoding '{other}' is not supported");
            return Err(ApiError::new(status, status.as_u16(), message));
        }
    };
    Ok(request)
}

fn read(decoder: impl Read, limit: usize) -> Result<Bytes, ApiError> {
    let mut body = Vec::new();
    // One byte more than allowed tells a body that is too large from one that just fits.
    decoder
        .take(limit as u64 + 1)
        .read_to_end(&mut body)
        .map_err(|error| ApiError::bad_request(format!("the request body cannot be unpacked: {error}")))?;
    if body.len() > limit {
        let status = StatusCode::PAYLOAD_TOO_LARGE;
        let message = format!("the unpacked request body is larger than {limit} bytes");
        return Err(ApiError::new(status, status.as_u16(), message));
    }
    Ok(body.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::{ZlibDecoder, read};

    #[test]
    fn a_small_body_cannot_become_a_huge_one() {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![b' '; 1_000_000]).expect("it is packed");
        let packed = encoder.finish().expect("it is packed");
        assert!(packed.len() < 2_000);
        assert!(read(ZlibDecoder::new(&*packed), 999_999).is_err());
        assert_eq!(read(ZlibDecoder::new(&*packed), 1_000_000).expect("it fits").len(), 1_000_000);
        assert!(read(ZlibDecoder::new(&packed[..500]), 1_000_000).is_err());
    }
}
