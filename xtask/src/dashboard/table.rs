//! The table of a group: times, spread, rates, and how own figures stand against peers, limits and the run before.

use std::fmt::Write as _;

use super::page::escaped;
use super::series::Group;
use crate::bench::report::label;
use crate::bench::result::{Measurement, Ratio, Role, Run, digits};

/// The rows of a group. `before` is an earlier run on the same machine.
pub fn rows(group: &Group<'_>, before: Option<&Run>) -> String {
    let mut html = format!(
        "<tr class=\"group\"><th colspan=\"7\" scope=\"rowgroup\">{}</th></tr>\n",
        escaped(group.name)
    );
    for figure in &group.figures {
        let before = before.and_then(|run| earlier(run, figure));
        let _ = writeln!(
            html,
            "<tr class=\"{}\"><th scope=\"row\">{}</th><td>{}</td><td>± {:.1} %</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            class(figure.role),
            escaped(&label(figure)),
            escaped(&figure.shown()),
            figure.relative_spread() * 100.0,
            figure.rate().unwrap_or_default(),
            standing(figure.ratio_to_peer.as_ref()),
            standing(figure.ratio_to_limit.as_ref()),
            before.map(|before| change(figure, before)).unwrap_or_default(),
        );
    }
    html
}

/// The head of the table.
pub const HEAD: &str = "<thead><tr><th scope=\"col\">bench</th><th scope=\"col\">time</th><th scope=\"col\">spread</th>\
    <th scope=\"col\">rate</th><th scope=\"col\">to fastest peer</th><th scope=\"col\">to limit</th>\
    <th scope=\"col\">to run before</th></tr></thead>\n";

fn class(role: Role) -> &'static str {
    match role {
        Role::Own => "own",
        Role::Peer => "peer",
        Role::Limit => "limit",
    }
}

fn standing(ratio: Option<&Ratio>) -> String {
    ratio.map_or_else(String::new, |ratio| {
        let class = if ratio.ratio <= 1.0 { "ahead" } else { "behind" };
        format!(
            "<span class=\"ratio {class}\">{} ×</span> <span class=\"to\">{}</span>",
            digits(ratio.ratio),
            escaped(&ratio.to)
        )
    })
}

fn earlier<'a>(run: &'a Run, figure: &Measurement) -> Option<&'a Measurement> {
    run.results.iter().find(|other| other.suite == figure.suite && other.name == figure.name)
}

/// A change is only called one when the two confidence intervals don't meet.
fn change(figure: &Measurement, before: &Measurement) -> String {
    if before.value <= 0.0 {
        return String::new();
    }
    let percent = (figure.value / before.value - 1.0) * 100.0;
    if figure.spread.high < before.spread.low {
        format!("<span class=\"ahead\">▼ {:.1} %</span>", -percent)
    } else if figure.spread.low > before.spread.high {
        format!("<span class=\"worse\">▲ {percent:.1} %</span>")
    } else {
        "<span class=\"to\">same within spread</span>".to_owned()
    }
}
