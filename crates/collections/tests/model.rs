//! Random document operations against a map: same outcomes, same contents, indexes that agree with documents.

use std::collections::BTreeMap;

use persea_collections::{CollectionOptions, Databases, Direction, IndexBounds, OverwriteMode, WriteOptions};
use persea_order::Value;
use persea_vpack::{VPackBuf, vpack};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[path = "../../../tests/support/seeds.rs"]
mod seeds;

#[derive(Debug, Clone)]
enum Step {
    Insert { key: u8, unique: Option<u8>, tags: Vec<u8>, overwrite: bool },
    Update { key: u8, unique: Option<u8> },
    Replace { key: u8, unique: Option<u8>, tags: Vec<u8> },
    Remove { key: u8 },
    Truncate,
    Commit,
    Abort,
    Savepoint,
    Rollback,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = 0..12_u8;
    let unique = proptest::option::weighted(0.8, 0..16_u8);
    let tags = proptest::collection::vec(0..5_u8, 0..4);
    let step = prop_oneof![
        8 => (key.clone(), unique.clone(), tags.clone(), any::<bool>())
            .prop_map(|(key, unique, tags, overwrite)| Step::Insert { key, unique, tags, overwrite }),
        6 => (key.clone(), unique.clone()).prop_map(|(key, unique)| Step::Update { key, unique }),
        4 => (key.clone(), unique, tags)
            .prop_map(|(key, unique, tags)| Step::Replace { key, unique, tags }),
        4 => key.prop_map(|key| Step::Remove { key }),
        1 => Just(Step::Truncate),
        3 => Just(Step::Commit),
        2 => Just(Step::Abort),
        2 => Just(Step::Savepoint),
        2 => Just(Step::Rollback),
    ];
    proptest::collection::vec(step, 1..60)
}

/// Unique value (null when none) and tags.
type Model = BTreeMap<u8, (Option<u8>, Vec<u8>)>;

fn is_taken(model: &Model, key: u8, unique: Option<u8>) -> bool {
    unique.is_some() && model.iter().any(|(other, (value, _))| *other != key && *value == unique)
}

fn document(key: u8, unique: Option<u8>, tags: &[u8]) -> VPackBuf {
    vpack!({ "_key": format!("k{key}"), "u": unique, "tags": (tags) })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: seeds::n_cases(128), failure_persistence: None, rng_seed: RngSeed::Fixed(seeds::of_cases()), ..ProptestConfig::default() })]

    #[test]
    fn operations_agree_with_a_map(steps in steps()) {
        let databases = Databases::in_memory().unwrap();
        let database = databases.system().unwrap();
        let collection = database.create_collection(CollectionOptions::new("c")).unwrap();
        let unique = vpack!({ "type": "persistent", "fields": ["u"], "unique": true, "sparse": true });
        let (by_unique, _) = collection.create_index(unique.as_slice()).unwrap();
        let tagged = vpack!({ "type": "persistent", "fields": ["tags[*]", "u"], "storedValues": ["_key"] });
        let (by_tag, _) = collection.create_index(tagged.as_slice()).unwrap();

        let mut committed = Model::new();
        let mut model = Model::new();
        let mut saved = None;
        let mut transaction = database.begin().unwrap();
        for step in steps {
            match step {
                Step::Insert { key, unique, tags, overwrite } => {
                    let overwrite_mode =
                        if overwrite { OverwriteMode::Replace } else { OverwriteMode::Conflict };
                    let options = WriteOptions { overwrite_mode, ..WriteOptions::default() };
                    let outcome =
                        transaction.insert(&collection, document(key, unique, &tags).as_slice(), &options);
                    let may = (overwrite || !model.contains_key(&key)) && !is_taken(&model, key, unique);
                    prop_assert_eq!(outcome.map_err(|error| error.error_num()).map(|_| ()),
                        if may { Ok(()) } else { Err(1210) });
                    if may {
                        model.insert(key, (unique, tags));
                    }
                }
                Step::Update { key, unique } => {
                    let patch = vpack!({ "u": unique });
                    let outcome = transaction.update(
                        &collection, &format!("k{key}"), patch.as_slice(), &WriteOptions::default());
                    let expected = if !model.contains_key(&key) { Err(1202) }
                        else if is_taken(&model, key, unique) { Err(1210) } else { Ok(()) };
                    prop_assert_eq!(outcome.map_err(|error| error.error_num()).map(|_| ()), expected);
                    if let (Ok(()), Some(entry)) = (expected, model.get_mut(&key)) {
                        entry.0 = unique;
                    }
                }
                Step::Replace { key, unique, tags } => {
                    let outcome = transaction.replace(&collection, &format!("k{key}"),
                        document(key, unique, &tags).as_slice(), &WriteOptions::default());
                    let expected = if !model.contains_key(&key) { Err(1202) }
                        else if is_taken(&model, key, unique) { Err(1210) } else { Ok(()) };
                    prop_assert_eq!(outcome.map_err(|error| error.error_num()).map(|_| ()), expected);
                    if expected.is_ok() {
                        model.insert(key, (unique, tags));
                    }
                }
                Step::Remove { key } => {
                    let outcome =
                        transaction.remove(&collection, &format!("k{key}"), &WriteOptions::default());
                    prop_assert_eq!(outcome.is_ok(), model.remove(&key).is_some());
                }
                Step::Truncate => {
                    prop_assert_eq!(transaction.truncate(&collection).unwrap() as usize, model.len());
                    model.clear();
                }
                Step::Commit => {
                    transaction.commit().unwrap();
                    transaction = database.begin().unwrap();
                    committed.clone_from(&model);
                    saved = None;
                    prop_assert!(collection.verify().unwrap().is_clean());
                }
                Step::Abort => {
                    transaction.abort();
                    transaction = database.begin().unwrap();
                    model.clone_from(&committed);
                    saved = None;
                }
                Step::Savepoint => saved = Some((transaction.savepoint(), model.clone())),
                Step::Rollback => {
                    if let Some((savepoint, state)) = &saved {
                        transaction.rollback_to(savepoint).unwrap();
                        model.clone_from(state);
                    }
                }
            }
            // What the transaction sees is what the model holds, through every access path.
            let view = transaction.view().unwrap();
            prop_assert_eq!(view.count(&collection).unwrap() as usize, model.len());
            let report = view.verify(&collection, &mut |_| {}).unwrap();
            prop_assert!(report.is_clean(), "{:?}", report);
            prop_assert_eq!(report.n_documents as usize, model.len());
            for (key, (unique, _)) in &model {
                let (_, found) = view.by_key(&collection, &format!("k{key}")).unwrap().unwrap();
                prop_assert_eq!(found.get("u").unwrap().as_i64(), unique.map(i64::from));
                if let Some(unique) = unique {
                    let value = [Value::from_i64(i64::from(*unique))];
                    let bounds = IndexBounds::equal(&value);
                    let entries: Vec<_> = view
                        .index_scan(&collection, &by_unique, &bounds, Direction::Forward).unwrap()
                        .map(Result::unwrap).collect();
                    prop_assert_eq!(entries.len(), 1);
                }
            }
            for tag in 0..5_u8 {
                let value = [Value::from_i64(i64::from(tag))];
                let bounds = IndexBounds::equal(&value);
                let mut found: Vec<String> = view
                    .index_scan(&collection, &by_tag, &bounds, Direction::Reverse).unwrap()
                    .map(|entry| entry.unwrap().stored.at(0).unwrap().as_str().unwrap().to_owned())
                    .collect();
                found.sort();
                let mut expected: Vec<String> = model.iter().filter(|(_, (_, tags))| tags.contains(&tag))
                    .map(|(key, _)| format!("k{key}")).collect();
                expected.sort();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
