//! The suite `numbers` also in the classic shape: method, string, milliseconds for 100 million conversions.

use super::result::Measurement;

/// The name of the suite.
pub const SUITE: &str = "numbers";

const CONVERSIONS: f64 = 1e8;

/// Prints the table. The bench's parameter is the string, its function the method.
pub fn print(results: &[Measurement]) {
    let figures: Vec<&Measurement> =
        results.iter().filter(|figure| figure.suite == SUITE && figure.parameter.is_some()).collect();
    if figures.is_empty() {
        return;
    }
    println!("\n  {:<32} {:<22} {:>20}", "method", "string", "ms per 100 million");
    let mut groups: Vec<&str> = Vec::new();
    for figure in &figures {
        if !groups.contains(&figure.group.as_str()) {
            groups.push(&figure.group);
        }
    }
    for group in groups {
        println!("  {group}");
        for figure in figures.iter().filter(|figure| figure.group == group) {
            let milliseconds = figure.value * CONVERSIONS / 1e6;
            let string = figure.parameter.as_deref().unwrap_or_default();
            println!("  {:<32} {string:<22} {milliseconds:>20.0}", figure.function);
        }
    }
}
