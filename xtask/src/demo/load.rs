//! Imports the sample data and creates the indexes.

use std::fmt::Write as _;
use std::fs;
use std::time::Instant;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::client::Client;
use crate::process::workspace_root;

const LINES_PER_REQUEST: usize = 1_000;

/// Airports as documents, flights as edges between them, and two indexes on the airports.
pub fn sample_data(client: &Client) -> anyhow::Result<()> {
    client.post("/_api/collection", &json!({ "name": "airports" }))?;
    client.post("/_api/collection", &json!({ "name": "flights", "type": 3 }))?;
    import(client, "airports", "airports.csv", |fields| match fields {
        [iata, name, city, state, country, latitude, longitude] => Some(json!({
            "_key": iata, "name": name, "city": city, "state": state, "country": country,
            "latitude": number(latitude), "longitude": number(longitude),
        })),
        _ => None,
    })?;
    import(client, "flights", "flights-airport.csv", |fields| match fields {
        [origin, destination, count] => Some(json!({
            "_from": format!("airports/{origin}"), "_to": format!("airports/{destination}"), "count": number(count),
        })),
        _ => None,
    })?;
    for field in ["state", "city"] {
        let started = Instant::now();
        client
            .post("/_api/index?collection=airports", &json!({ "type": "persistent", "fields": [field] }))?;
        println!("   index on airports.{field} in {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(())
}

fn import(
    client: &Client,
    collection: &str,
    file: &str,
    document: impl Fn(&[String]) -> Option<Value>,
) -> anyhow::Result<()> {
    let path = workspace_root().join("sample-data").join(file);
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let bar = ProgressBar::new(lines.len() as u64)
        .with_style(ProgressStyle::with_template("   {msg:<10} {bar:30} {pos}/{len}")?)
        .with_message(collection.to_owned());
    let started = Instant::now();
    let mut created = 0;
    for chunk in lines.chunks(LINES_PER_REQUEST) {
        let mut body = String::new();
        for line in chunk {
            let fields = csv_fields(line);
            let value =
                document(&fields).with_context(|| format!("{file}: a line of the wrong shape: {line}"))?;
            writeln!(body, "{value}")?;
        }
        let answer =
            client.post_text(&format!("/_api/import?collection={collection}&type=documents"), &body)?;
        anyhow::ensure!(answer["errors"] == 0, "import of {file} reports errors: {answer}");
        created += answer["created"].as_u64().unwrap_or_default();
        bar.inc(chunk.len() as u64);
    }
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    println!("   imported {created} {collection} in {:.1} ms", seconds * 1e3);
    Ok(())
}

fn number(text: &str) -> Value {
    text.parse::<i64>()
        .map(Value::from)
        .or_else(|_| text.parse::<f64>().map(Value::from))
        .unwrap_or(Value::Null)
}

/// Splits one line of CSV; a field may stand in double quotes, a doubled quote inside is one quote.
fn csv_fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                append(&mut fields, '"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => append(&mut fields, other),
        }
    }
    fields
}

fn append(fields: &mut [String], character: char) {
    if let Some(last) = fields.last_mut() {
        last.push(character);
    }
}

#[cfg(test)]
mod tests {
    use super::csv_fields;

    #[test]
    fn csv_lines() {
        assert_eq!(csv_fields("a,b,,c"), ["a", "b", "", "c"]);
        assert_eq!(csv_fields("\"x, y\",\"say \"\"hi\"\"\""), ["x, y", "say \"hi\""]);
    }
}
