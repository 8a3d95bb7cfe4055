//! Endpoints as arangod writes them: `tcp://HOST:PORT`, with `http://` and `http+tcp://` meaning the same.

use std::net::{SocketAddr, ToSocketAddrs};

const PORT_DEFAULT: u16 = 8529;

/// Reads an endpoint and resolves its host.
///
/// # Errors
/// For other schemes, unknown hosts and malformed addresses.
pub fn parse(text: &str) -> Result<SocketAddr, String> {
    let address = ["tcp://", "http://", "http+tcp://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let address = match address {
        Some(address) => address,
        None if text.contains("://") => {
            return Err(format!("'{text}': only tcp:// endpoints are supported"));
        }
        None => text,
    };
    let address = address.trim_end_matches('/');
    let has_port =
        address.rsplit_once(':').is_some_and(|(host, _)| !host.contains(':') || host.ends_with(']'));
    let full = if has_port { address.to_owned() } else { format!("{address}:{PORT_DEFAULT}") };
    let mut resolved = full.to_socket_addrs().map_err(|error| format!("'{text}': {error}"))?;
    resolved.next().ok_or_else(|| format!("'{text}': the host has no address"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn endpoints() {
        for (text, expected) in [
            ("tcp://127.0.0.1:8530", "127.0.0.1:8530"),
            ("http://127.0.0.1", "127.0.0.1:8529"),
            ("http+tcp://127.0.0.1:1/", "127.0.0.1:1"),
            ("tcp://[::1]:8529", "[::1]:8529"),
            ("tcp://[::1]", "[::1]:8529"),
        ] {
            assert_eq!(parse(text).map(|address| address.to_string()), Ok(expected.to_owned()), "{text}");
        }
        assert!(parse("ssl://127.0.0.1:1").is_err());
        assert!(parse("tcp://127.0.0.1:notaport").is_err());
    }
}
