//! Shows the entries that documents have in an index over an array, and what a key range finds.
//!
//! `cargo run -p persea-index --example entries`

use persea_index::{EntryBuffers, Error, IndexDefinition, RangeEnd};
use persea_order::Value;
use persea_vpack::vpack;

/// Longest field key that the store takes.
const LIMIT: usize = 1900;

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() -> Result<(), Error> {
    let wish = vpack!({ "type": "persistent", "fields": ["scores[*]", "name"] });
    let index = IndexDefinition::from_vpack(wish.as_slice())?.with_identity(1);
    let passed = index.bounds(&[], Some(RangeEnd::inclusive(Value::from_i64(50))), None, LIMIT);

    let documents = [
        vpack!({ "name": "Ada", "scores": [90, 72.5, 90] }),
        vpack!({ "name": "Bob", "scores": [12, null, 51] }),
        vpack!({ "name": "Cid", "scores": [] }),
    ];
    let mut buffers = EntryBuffers::new();
    let mut text = String::new();
    for document in &documents {
        println!("{}", document.as_slice());
        index.entries(document.as_slice(), LIMIT, &mut buffers, |key| {
            let score = index.field_value(key, 0, LIMIT, &mut text);
            println!("  {score:?}, at least 50: {}", passed.contains(key));
        })?;
    }
    Ok(())
}
