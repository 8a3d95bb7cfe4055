//! Rust types to VelocyPack and back.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;

use persea_vpack::{Error, Slice, VPackBuf, from_slice, to_vpack, vpack};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Person<'a> {
    #[serde(rename = "_key")]
    key: &'a str,
    born: Option<i32>,
    tags: Vec<String>,
    place: (f64, f64),
    role: Role,
    more: BTreeMap<u16, bool>,
    #[serde(default)]
    anything: VPackBuf,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Role {
    None,
    Named(String),
    Pair(u8, i64),
    Full { level: u64, letter: char },
}

fn person(role: Role) -> Person<'static> {
    Person {
        key: "ada",
        born: None,
        tags: vec!["math".into()],
        place: (1.0, -2.5),
        role,
        more: BTreeMap::from([(7, true)]),
        anything: vpack!({"a": [1, 2.5, null]}),
    }
}

#[track_caller]
fn check(role: Role, role_json: &str) {
    let person = person(role);
    let value = to_vpack(&person).unwrap();
    Slice::validate(value.bytes()).unwrap();
    assert_eq!(
        value.to_string(),
        format!(
            r#"{{"_key":"ada","born":null,"tags":["math"],"place":[1,-2.5],"role":{role_json},"more":{{"7":true}},"anything":{{"a":[1,2.5,null]}}}}"#
        )
    );
    assert_eq!(from_slice::<Person>(value.as_slice()).unwrap(), person);
    // The same through another format.
    let text = serde_json::to_string(&person).unwrap();
    assert_eq!(serde_json::from_str::<Person>(&text).unwrap(), person);
}

#[test]
fn structs_and_variants() {
    check(Role::None, r#""None""#);
    check(Role::Named("x".into()), r#"{"Named":"x"}"#);
    check(Role::Pair(1, -9), r#"{"Pair":[1,-9]}"#);
    check(
        Role::Full { level: u64::MAX, letter: 'ß' },
        r#"{"Full":{"level":18446744073709551615,"letter":"ß"}}"#,
    );
}

#[test]
fn views_are_borrowed() {
    #[derive(Serialize, Deserialize)]
    struct Request<'a> {
        #[serde(borrow)]
        document: Slice<'a>,
        #[serde(borrow)]
        name: &'a str,
    }
    let value = vpack!({"document": {"x": [1]}, "name": "n"});
    let request: Request = from_slice(value.as_slice()).unwrap();
    assert_eq!(request.document.to_string(), r#"{"x":[1]}"#);
    assert_eq!(request.name, "n");
    assert_eq!(to_vpack(&request).unwrap(), value);
    assert_eq!(serde_json::to_string(&request).unwrap(), r#"{"document":{"x":[1]},"name":"n"}"#);
    assert!(serde_json::from_str::<Request>(r#"{"document":{},"name":"n"}"#).is_err());
}

#[test]
fn shapes_that_do_not_fit() {
    assert!(matches!(from_slice::<u8>(vpack!(300).as_slice()), Err(Error::Convert(_))));
    assert!(matches!(from_slice::<u8>(vpack!("1").as_slice()), Err(Error::Convert(_))));
    assert_eq!(from_slice::<u8>(vpack!(7.0).as_slice()).unwrap(), 7);
    assert!(from_slice::<u8>(vpack!(7.5).as_slice()).is_err());
    assert_eq!(from_slice::<f64>(vpack!(7).as_slice()).unwrap(), 7.0);
    assert_eq!(to_vpack(&u128::from(u64::MAX)).unwrap(), vpack!(u64::MAX));
    assert!(to_vpack(&u128::MAX).is_err());
    assert!(to_vpack(&BTreeMap::from([(vec![1u8], 1)])).is_err());
    assert!(from_slice::<Role>(vpack!({"Named": "a", "Pair": [1, 2]}).as_slice()).is_err());
}
