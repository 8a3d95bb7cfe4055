//! `uuid`: random UUIDs in their usual text form.

pub(super) fn generate(key: &mut String) {
    let mut buffer = uuid::Uuid::encode_buffer();
    key.push_str(uuid::Uuid::new_v4().hyphenated().encode_lower(&mut buffer));
}
