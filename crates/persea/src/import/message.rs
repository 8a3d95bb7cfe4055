//! What ArangoDB says of a document that could not be imported.

use persea_vpack::{Builder, Slice};

use crate::error::Error;

/// Bytes of a document that a message shows; what is cut off is told by three dots.
const SHOWN_BYTES_MAX: usize = 255;

/// The message for a document that could not be written. `position` is where it stood in the input.
pub(super) fn not_created(error: &Error, position: u64, document: Slice<'_>) -> String {
    let text = match error.number() {
        1200 => "conflict".to_owned(),
        1210 => "unique constraint violated".to_owned(),
        1233 => "edge attribute missing or invalid".to_owned(),
        _ => error.to_string(),
    };
    let document = shown(document);
    format!(
        "at position {position}: creating document failed with error '{text}', offending document: {document}"
    )
}

/// The JSON text of a value as messages show it: attributes in order of their names, and cut off where it is long.
pub(super) fn shown(value: Slice<'_>) -> String {
    let mut builder = Builder::new();
    add_sorted(value, &mut builder);
    let sorted = builder.as_slice().unwrap_or(value);
    cut_off(persea_json::to_string(sorted))
}

/// A text as messages show it.
pub(super) fn cut_off(mut text: String) -> String {
    if text.len() > SHOWN_BYTES_MAX {
        text.truncate(text.floor_char_boundary(SHOWN_BYTES_MAX));
        text.push_str("...");
    }
    text
}

fn add_sorted(value: Slice<'_>, builder: &mut Builder) {
    if value.is_object() {
        let mut members: Vec<_> = value.object_iter().collect();
        members.sort_by_key(|(name, _)| *name);
        builder.open_object();
        for (name, member) in members {
            builder.key(name);
            add_sorted(member, builder);
        }
        builder.close();
    } else if value.is_array() {
        builder.open_array();
        value.array_iter().for_each(|member| add_sorted(member, builder));
        builder.close();
    } else {
        builder.add_slice(value);
    }
}

#[cfg(test)]
mod tests {
    use persea_vpack::vpack;

    use super::{cut_off, not_created, shown};
    use crate::error::Error;

    #[test]
    fn messages() {
        let document = vpack!({ "b": { "d": 1, "c": [{ "f": 1, "e": 2 }] }, "a": null, "_key": "x" });
        let text = r#"{"_key":"x","a":null,"b":{"c":[{"e":2,"f":1}],"d":1}}"#;
        assert_eq!(shown(document.as_slice()), text);
        let taken = persea_collections::Error::UniqueConstraint {
            index: "primary".into(),
            kind: "primary".into(),
            fields: "_key".into(),
            key: "x".into(),
        };
        assert_eq!(
            not_created(&Error::from(taken), 1, vpack!({ "_key": "x" }).as_slice()),
            "at position 1: creating document failed with error 'unique constraint violated', offending document: {\"_key\":\"x\"}"
        );
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut_off("x".repeat(255)), "x".repeat(255));
        assert_eq!(cut_off("x".repeat(256)), format!("{}...", "x".repeat(255)));
        assert_eq!(cut_off("ü".repeat(200)), format!("{}...", "ü".repeat(127)));
    }
}
