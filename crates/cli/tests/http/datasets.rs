//! Whole data sets through HTTP, with answers compared to the same computed here from the same file.
//!
//! Reads `cities.json` and `movies.json` from the folder that `PERSEA_TEST_DATA` names, or from `../shared/data`
//! beside the checkout. Without them it runs on generated data of the same shape.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::Client;
use crate::server::Server;

fn folder() -> PathBuf {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("PERSEA_TEST_DATA").map_or_else(beside, PathBuf::from)
}

fn load(file: &str, generated: impl Fn() -> Vec<Value>) -> Vec<Value> {
    match std::fs::read(folder().join(file)) {
        Ok(text) => serde_json::from_slice(&text).expect("a JSON array"),
        Err(_) => generated(),
    }
}

fn generated_cities() -> Vec<Value> {
    let countries = ["AD", "DE", "FR", "NO", "US"];
    let city = |n: usize| {
        json!({
            "name": format!("Città {}", n * 7919 % 30_011), "lat": format!("{}.5", n % 90), "lng": format!("-{}.25", n % 180),
            "country": countries[n * n % 5], "admin1": format!("{:02}", n % 17), "admin2": "",
        })
    };
    (0..60_000).map(city).collect()
}

fn generated_movies() -> Vec<Value> {
    let movie = |n: usize| {
        let title = if n.is_multiple_of(50) { json!(1_900 + n) } else { json!(format!("Film {n}")) };
        let rating = if n.is_multiple_of(7) { Value::Null } else { json!((n * 37 % 100) as f64 / 10.0) };
        let gross = if n.is_multiple_of(11) { json!("Unknown") } else { json!(n * 1_000) };
        json!({
            "Title": title, "IMDB Rating": rating, "Worldwide Gross": gross,
            "Major Genre": (["Drama", "Comedy", "Action"])[n % 3], "Director": if n.is_multiple_of(3) { Value::Null } else { json!(format!("Director {}", n % 40)) },
        })
    };
    (0..3_000).map(movie).collect()
}

fn import(client: &Client, collection: &str, documents: &[Value]) {
    client.create_collection(collection);
    let body = serde_json::to_vec(documents).expect("JSON");
    let answer = client.send("POST", &format!("/_api/import?collection={collection}&type=list"), &[], &body);
    let answer = answer.expect(201);
    assert_eq!((&answer.body["created"], &answer.body["errors"]), (&json!(documents.len()), &json!(0)));
}

fn text<'a>(document: &'a Value, name: &str) -> &'a str {
    document[name].as_str().unwrap_or_default()
}

#[test]
fn cities() {
    let cities = load("cities.json", generated_cities);
    let server = Server::start();
    let client = server.client();
    import(&client, "cities", &cities);
    assert_eq!(client.query("RETURN LENGTH(cities)"), [cities.len()]);

    let mut by_country: BTreeMap<&str, usize> = BTreeMap::new();
    for city in &cities {
        *by_country.entry(text(city, "country")).or_default() += 1;
    }
    let expected: Vec<Value> = by_country.iter().map(|(country, count)| json!([country, count])).collect();
    let grouped =
        "FOR c IN cities COLLECT country = c.country WITH COUNT INTO n SORT country RETURN [country, n]";
    assert_eq!(client.query(grouped), expected);

    let picked =
        by_country.iter().max_by_key(|(_, count)| **count).map(|(country, _)| *country).expect("a country");
    let filter = format!("FOR c IN cities FILTER c.country == '{picked}' AND c.admin1 >= '05' RETURN c.name");
    let mut expected: Vec<&str> = cities
        .iter()
        .filter(|city| text(city, "country") == picked && text(city, "admin1") >= "05")
        .map(|city| text(city, "name"))
        .collect();
    expected.sort_unstable();
    let names = |query: &str| {
        let mut names: Vec<String> =
            client.query(query).iter().map(|name| name.as_str().unwrap_or_default().to_owned()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names(&filter), expected, "without an index");
    client
        .post(
            "/_api/index?collection=cities",
            &json!({ "type": "persistent", "fields": ["country", "admin1"] }),
        )
        .expect(201);
    assert_eq!(names(&filter), expected, "with an index");

    let north = "FOR c IN cities FILTER TO_NUMBER(c.lat) > 60 COLLECT WITH COUNT INTO n RETURN n";
    let expected =
        cities.iter().filter(|city| text(city, "lat").parse::<f64>().is_ok_and(|lat| lat > 60.0)).count();
    assert_eq!(client.query(north), [expected]);

    let mut twins: BTreeMap<&str, usize> = BTreeMap::new();
    for city in cities.iter().filter(|city| text(city, "country") == picked) {
        *twins.entry(text(city, "name")).or_default() += 1;
    }
    let expected: usize = twins.values().map(|count| count * count).sum();
    let join = format!(
        "FOR a IN cities FILTER a.country == '{picked}' FOR b IN cities FILTER b.country == '{picked}' AND b.name == a.name COLLECT WITH COUNT INTO n RETURN n"
    );
    assert_eq!(client.query(&join), [expected], "an equality join");
}

#[test]
fn movies() {
    let movies = load("movies.json", generated_movies);
    let server = Server::start();
    let client = server.client();
    import(&client, "movies", &movies);
    let count = |filter: &str| {
        client.query(&format!("FOR m IN movies FILTER {filter} COLLECT WITH COUNT INTO n RETURN n"))
    };
    let expect =
        |holds: &dyn Fn(&Value) -> bool| vec![json!(movies.iter().filter(|movie| holds(movie)).count())];
    let rating = |movie: &Value| movie["IMDB Rating"].as_f64();
    assert_eq!(count("IS_NUMBER(m.Title)"), expect(&|movie| movie["Title"].is_number()));
    assert_eq!(count("m.`IMDB Rating` == null"), expect(&|movie| movie["IMDB Rating"].is_null()));
    assert_eq!(
        count("m.`IMDB Rating` < 5"),
        expect(&|movie| rating(movie).is_none_or(|rating| rating < 5.0)),
        "null comes before every number"
    );
    assert_eq!(
        count("m.`IMDB Rating` >= 8 AND m.`Major Genre` == 'Drama'"),
        expect(&|movie| {
            rating(movie).is_some_and(|rating| rating >= 8.0) && movie["Major Genre"] == "Drama"
        })
    );
    assert_eq!(
        count("m.`Worldwide Gross` > 100000000"),
        expect(&|movie| movie["Worldwide Gross"].as_f64().is_some_and(|gross| gross > 1e8)
            || movie["Worldwide Gross"].is_string()),
        "every string comes after every number"
    );
    let mut sums: BTreeMap<Option<String>, (usize, f64)> = BTreeMap::new();
    for movie in &movies {
        let entry = sums.entry(movie["Major Genre"].as_str().map(str::to_owned)).or_default();
        entry.0 += 1;
        entry.1 = entry.1.max(rating(movie).unwrap_or(0.0));
    }
    let rows = client.query("FOR m IN movies COLLECT genre = m.`Major Genre` AGGREGATE n = COUNT(1), best = MAX(m.`IMDB Rating`) RETURN [genre, n, best]");
    assert_eq!(rows.len(), sums.len());
    for row in rows {
        let (count, best) = sums[&row[0].as_str().map(str::to_owned)];
        assert_eq!((row[1].as_u64(), row[2].as_f64().unwrap_or(0.0)), (Some(count as u64), best), "{row}");
    }
    client
        .post("/_api/index?collection=movies", &json!({ "type": "persistent", "fields": ["IMDB Rating"] }))
        .expect(201);
    let best = client.query("FOR m IN movies SORT m.`IMDB Rating` DESC LIMIT 20 RETURN m.`IMDB Rating`");
    let mut expected: Vec<f64> = movies.iter().filter_map(rating).collect();
    expected.sort_unstable_by(|a, b| b.total_cmp(a));
    expected.truncate(20);
    assert_eq!(best.iter().filter_map(Value::as_f64).collect::<Vec<_>>(), expected);
}
