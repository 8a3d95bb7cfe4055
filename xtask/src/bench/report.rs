//! The figures of a run as text for a terminal.

use super::result::{Measurement, Ratio, Role, Run};

/// Prints one table a group.
pub fn print(run: &Run) {
    let mut group = None;
    for figure in &run.results {
        if group != Some((&figure.suite, &figure.group)) {
            group = Some((&figure.suite, &figure.group));
            let title = if figure.suite == figure.group {
                figure.suite.clone()
            } else {
                format!("{}: {}", figure.suite, figure.group)
            };
            println!("\n{title}\n  {:<40} {:>18} {:>7} {:>12}  ratio", "", "time", "±", "rate");
        }
        println!(
            "  {:<40} {:>18} {:>6.1}% {:>12}  {}",
            label(figure),
            figure.shown(),
            figure.relative_spread() * 100.0,
            figure.rate().unwrap_or_default(),
            standing(figure),
        );
    }
}

/// Function and parameter.
pub fn label(figure: &Measurement) -> String {
    match &figure.parameter {
        Some(parameter) => format!("{} / {parameter}", figure.function),
        None => figure.function.clone(),
    }
}

fn standing(figure: &Measurement) -> String {
    if figure.role != Role::Own {
        return String::new();
    }
    let peer = figure.ratio_to_peer.as_ref().map(ratio);
    let limit = figure.ratio_to_limit.as_ref().map(ratio);
    peer.into_iter().chain(limit).collect::<Vec<_>>().join(", ")
}

fn ratio(ratio: &Ratio) -> String {
    format!("{:.2} × {}", ratio.ratio, ratio.to)
}
