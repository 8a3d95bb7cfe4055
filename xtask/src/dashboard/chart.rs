//! Charts as inline SVG: lines with points over two axes.
//!
//! Colours come from the page's style, so that a chart follows its light or dark form. What a line is stands in the
//! legend below and, for each point, in its `title`, which browsers show on pointing at it.

use std::fmt::Write as _;

use super::axis::{Axis, size_label, time_label};
use super::page::escaped;
use super::series::{Lines, Series};
use crate::bench::result::{Role, Run};
use crate::dashboard::series::short;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 36.0;

/// How many commits are named below a chart over time.
const COMMIT_LABELS_MAX: usize = 6;

/// Times by run.
pub fn over_time(title: &str, unit: &str, lines: &Lines, runs: &[&Run]) -> String {
    let (x_high, y) = (runs.len().saturating_sub(1) as f64, time_axis(&lines.series));
    // A single run stands in the middle.
    let x = if runs.len() < 2 {
        Axis::linear(-1.0, 1.0, LEFT, WIDTH - RIGHT)
    } else {
        Axis::linear(0.0, x_high, LEFT + 10.0, WIDTH - RIGHT - 10.0)
    };
    let stride = runs.len().div_ceil(COMMIT_LABELS_MAX).max(1);
    let labels: Vec<(f64, String)> = runs
        .iter()
        .enumerate()
        .filter(|(index, _)| (runs.len() - 1 - index).is_multiple_of(stride))
        .map(|(index, run)| (index as f64, short(&run.commit).to_owned()))
        .collect();
    let scale = if y.is_logarithmic() { ", log scale" } else { "" };
    figure("time", title, &format!("time{unit} by commit{scale}"), lines, &x, &y, &labels)
}

/// Times by size, both axes by logarithm: a straight line is a power of the size.
pub fn by_size(title: &str, lines: &Lines) -> String {
    let series = &lines.series;
    let sizes = || series.iter().flat_map(|line| &line.points).map(|point| point.x);
    let times = || series.iter().flat_map(|line| &line.points).map(|point| point.y);
    let x = Axis::logarithmic(least(sizes()) / 1.2, most(sizes()) * 1.2, LEFT, WIDTH - RIGHT);
    let y = Axis::logarithmic(least(times()) / 1.6, most(times()) * 1.6, HEIGHT - BOTTOM, TOP);
    let labels: Vec<(f64, String)> = x.ticks().into_iter().map(|tick| (tick, size_label(tick))).collect();
    figure("size", title, "time for one iteration by size, both log scale", lines, &x, &y, &labels)
}

fn time_axis(series: &[Series]) -> Axis {
    let times = || series.iter().flat_map(|line| &line.points).map(|point| point.y);
    Axis::of_times(least(times()), most(times()), HEIGHT - BOTTOM, TOP)
}

fn least(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(f64::INFINITY, f64::min).clamp(1e-3, 1e18)
}

fn most(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, f64::max).clamp(1e-3, 1e18)
}

fn figure(
    kind: &str,
    title: &str,
    caption: &str,
    lines: &Lines,
    x: &Axis,
    y: &Axis,
    labels: &[(f64, String)],
) -> String {
    let mut svg = format!(
        "<figure class=\"chart {kind}\">\n<figcaption><b>{}</b> {}</figcaption>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}: {}\">\n",
        escaped(title),
        escaped(caption),
        escaped(title),
        escaped(caption),
    );
    svg.push_str(&grid(x, y, labels));
    // Own lines come last in the picture, so that they lie on top.
    for (index, line) in lines.series.iter().enumerate().rev() {
        svg.push_str(&drawn(line, &style(index, &lines.series), x, y));
    }
    svg.push_str("</svg>\n");
    svg.push_str(&legend(lines));
    svg.push_str("</figure>\n");
    svg
}

fn grid(x: &Axis, y: &Axis, labels: &[(f64, String)]) -> String {
    let mut svg = String::new();
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for tick in y.ticks() {
        let place = y.place(tick);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {place:.1}H{right}\"/><text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            place + 3.5,
            time_label(tick)
        );
    }
    let _ = writeln!(svg, "<path class=\"axis\" d=\"M{LEFT} {bottom}H{right}\"/>");
    for (value, label) in labels {
        let _ = writeln!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x.place(*value),
            bottom + 17.0,
            escaped(label)
        );
    }
    svg
}

/// The class that gives a line its colour and form.
fn style(index: usize, series: &[Series]) -> String {
    let limits_before = series[..index].iter().filter(|other| other.role == Role::Limit).count();
    match series[index].role {
        Role::Limit => format!("limit limit{limits_before}"),
        Role::Own => format!("own colour{}", index - limits_before),
        Role::Peer => format!("peer colour{}", index - limits_before),
    }
}

fn drawn(line: &Series, style: &str, x: &Axis, y: &Axis) -> String {
    let mut path = String::new();
    let mut points = String::new();
    for (index, point) in line.points.iter().enumerate() {
        let (across, up) = (x.place(point.x), y.place(point.y));
        let _ = write!(path, "{}{across:.1} {up:.1}", if index == 0 { 'M' } else { 'L' });
        let radius = if line.role == Role::Limit { 2.5 } else { 4.0 };
        let _ = write!(
            points,
            "<circle cx=\"{across:.1}\" cy=\"{up:.1}\" r=\"{radius}\"><title>{}</title></circle>",
            escaped(&point.note)
        );
    }
    format!("<g class=\"series {style}\"><path class=\"line\" d=\"{path}\"/>{points}</g>\n")
}

fn legend(lines: &Lines) -> String {
    let mut html = String::from("<ul class=\"legend\">");
    for (index, line) in lines.series.iter().enumerate() {
        let _ = write!(
            html,
            "<li><svg class=\"key\" viewBox=\"0 0 22 8\" aria-hidden=\"true\"><g class=\"{}\"><path class=\"line\" d=\"M1 4H21\"/></g></svg>{}</li>",
            style(index, &lines.series),
            escaped(&line.name)
        );
    }
    if lines.left_out > 0 {
        let _ = write!(html, "<li class=\"more\">{} more in the table</li>", lines.left_out);
    }
    html.push_str("</ul>\n");
    html
}
