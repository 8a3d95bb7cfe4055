//! The page: one part a machine, in it one section a suite with its table and charts.

use std::fmt::Write as _;

use super::series::{self, Group, day, short};
use super::{chart, table};
use crate::bench::result::Run;

/// The page of a history, oldest run first. Everything is inside: style, pictures, numbers.
pub fn page(runs: &[Run]) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Persea benchmarks</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        include_str!("style.css")
    );
    html.push_str(&header(runs));
    for (number, machine) in machines(runs).iter().enumerate() {
        html.push_str(&machine_part(number, machine));
    }
    html.push_str("</body>\n</html>\n");
    html
}

/// Text for HTML.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn header(runs: &[Run]) -> String {
    let count = runs.len();
    let (first, last) = match runs {
        [first, .., last] => (day(&first.date), day(&last.date)),
        [only] => (day(&only.date), day(&only.date)),
        [] => ("never", "never"),
    };
    let plural = if count == 1 { "run" } else { "runs" };
    format!(
        "<header>\n<h1>Persea benchmarks</h1>\n<p>{count} {plural}, {first} to {last}. \
         Smaller times are better. A ratio is our time divided by the other's, so below 1 we are faster. \
         A limit is the least the job could cost, without a database around it. \
         Times of different machines aren't comparable, ratios are.</p>\n</header>\n"
    )
}

/// The runs of each machine, oldest first; the machine that ran last comes first.
fn machines(runs: &[Run]) -> Vec<Vec<&Run>> {
    let mut machines: Vec<Vec<&Run>> = Vec::new();
    for run in runs.iter().rev() {
        match machines.iter_mut().find(|machine| machine[0].machine.name == run.machine.name) {
            Some(machine) => machine.push(run),
            None => machines.push(vec![run]),
        }
    }
    for machine in &mut machines {
        machine.reverse();
    }
    machines
}

fn machine_part(number: usize, runs: &[&Run]) -> String {
    let Some(last) = runs.last() else { return String::new() };
    let modified = if last.modified { " with changes" } else { "" };
    let mut html = format!(
        "<main>\n<p class=\"machine\"><b>{}</b><br>last run {} at <code>{}</code>{modified}, {}, flags <code>{}</code></p>\n",
        escaped(&last.machine.name),
        escaped(&last.date),
        escaped(short(&last.commit)),
        escaped(&last.compiler),
        escaped(&last.flags),
    );
    let suites = suites(runs);
    if suites.len() > 1 {
        let links: Vec<String> = suites
            .iter()
            .map(|suite| format!("<a href=\"#{}\">{}</a>", id(number, suite), escaped(suite)))
            .collect();
        let _ = writeln!(html, "<nav>{}</nav>", links.join(" "));
    }
    for suite in suites {
        html.push_str(&suite_section(number, suite, runs));
    }
    html.push_str("</main>\n");
    html
}

fn suites<'a>(runs: &[&'a Run]) -> Vec<&'a str> {
    let mut suites: Vec<&str> =
        runs.iter().flat_map(|run| &run.results).map(|figure| figure.suite.as_str()).collect();
    suites.sort_unstable();
    suites.dedup();
    suites
}

/// An anchor; the same suite may have run on several machines.
fn id(machine: usize, suite: &str) -> String {
    let name: String =
        suite.chars().map(|sign| if sign.is_ascii_alphanumeric() { sign } else { '-' }).collect();
    format!("machine{machine}-{name}")
}

fn suite_section(number: usize, suite: &str, runs: &[&Run]) -> String {
    let with_suite: Vec<&Run> =
        runs.iter().copied().filter(|run| run.results.iter().any(|figure| figure.suite == suite)).collect();
    let Some((last, earlier)) = with_suite.split_last() else { return String::new() };
    let groups = Group::of(last, suite);
    let mut html = format!(
        "<section class=\"suite\" id=\"{}\">\n<h2>{}</h2>\n<div class=\"wide\"><table>\n{}<tbody>\n",
        id(number, suite),
        escaped(suite),
        table::HEAD
    );
    for group in &groups {
        html.push_str(&table::rows(group, earlier.last().copied()));
    }
    html.push_str("</tbody></table></div>\n<div class=\"charts\">\n");
    for group in &groups {
        html.push_str(&charts(group, &with_suite));
    }
    html.push_str("</div>\n</section>\n");
    html
}

/// A group with sizes gets one chart over them and one over time for the largest; without sizes, one a parameter.
fn charts(group: &Group<'_>, runs: &[&Run]) -> String {
    let mut html = String::new();
    let sizes = group.sizes();
    let largest = sizes.last().copied();
    for parameter in group.parameters() {
        let Some(figure) = group.figures.iter().find(|figure| figure.parameter.as_deref() == parameter)
        else {
            continue;
        };
        let smaller = |size: f64| largest.is_some_and(|largest| size < largest);
        if figure.size().is_some_and(smaller) {
            continue;
        }
        let title = parameter
            .map_or_else(|| group.name.to_owned(), |parameter| format!("{} / {parameter}", group.name));
        let lines = series::over_time(group, runs, parameter);
        html.push_str(&chart::over_time(&title, figure.unit.per(), &lines, runs));
    }
    if largest.is_some() {
        html.push_str(&chart::by_size(group.name, &series::by_size(group)));
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::history::tests::run;

    #[test]
    fn names_from_the_history_are_escaped() {
        let mut run = run("2026-01-01T00:00:00Z", "aaaaaaaaaa", 1.0);
        run.results[0].function = "persea <script>alert(1)</script>".to_owned();
        let html = page(&[run]);
        assert!(!html.contains("<script>"));
        assert!(html.contains("persea &lt;script&gt;"));
    }

    #[test]
    fn nothing_is_fetched() {
        let html = page(&[run("2026-01-01T00:00:00Z", "aaaaaaaaaa", 1.0)]);
        for outside in ["http://", "https://", "url(", "@import", "src="] {
            assert!(!html.contains(outside), "{outside}");
        }
    }

    #[test]
    fn machines_are_kept_apart() {
        let one = run("2026-01-01T00:00:00Z", "aaaaaaaaaa", 1.0);
        let mut other = run("2026-01-02T00:00:00Z", "aaaaaaaaaa", 2.0);
        other.machine.name = "another machine".to_owned();
        let html = page(&[one, other]);
        assert_eq!(html.matches("<main>").count(), 2);
        assert_eq!(html.matches("<section class=\"suite\"").count(), 2);
        assert!(!html.contains("▲ 100.0 %"));
    }
}
