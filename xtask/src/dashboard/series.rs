//! Lines of a chart: which figures they hold, in which order and colour.

use crate::bench::result::{Measurement, Role, Run};

/// How many lines a chart tells apart by colour; further ones stay in the table.
const COLOURED_MAX: usize = 8;

/// How many limits a chart tells apart by their dashes.
const DASHED_MAX: usize = 3;

/// One point.
pub struct Point {
    /// Position on the horizontal axis.
    pub x: f64,
    /// Nanoseconds.
    pub y: f64,
    /// What a reader sees when pointing at it.
    pub note: String,
}

/// One line.
pub struct Series {
    /// The function.
    pub name: String,
    /// Whose it is.
    pub role: Role,
    /// From left to right.
    pub points: Vec<Point>,
}

/// The lines of a chart.
pub struct Lines {
    /// Those that are drawn, in the order of the legend.
    pub series: Vec<Series>,
    /// How many there are besides.
    pub left_out: usize,
}

/// The functions of a group in the order of the legend: own, peers from the fastest on, limits.
pub fn functions(figures: &[&Measurement]) -> Vec<(String, Role)> {
    let mut sorted: Vec<&&Measurement> = figures.iter().collect();
    sorted.sort_by(|one, other| {
        let speed =
            if one.role == Role::Own { std::cmp::Ordering::Equal } else { one.value.total_cmp(&other.value) };
        one.role.cmp(&other.role).then(speed)
    });
    let mut functions: Vec<(String, Role)> = Vec::new();
    for figure in sorted {
        if !functions.iter().any(|(name, _)| *name == figure.function) {
            functions.push((figure.function.clone(), figure.role));
        }
    }
    functions
}

/// One line a function: time for a unit of work, run by run. `parameter` chooses among sizes.
pub fn over_time(group: &Group<'_>, runs: &[&Run], parameter: Option<&str>) -> Lines {
    let points = |function: &str| {
        let mut points = Vec::new();
        for (index, run) in runs.iter().enumerate() {
            let found = run.results.iter().find(|figure| {
                group.holds(figure) && figure.function == function && figure.parameter.as_deref() == parameter
            });
            if let Some(figure) = found {
                let note =
                    format!("{function}: {} · {} · {}", figure.shown(), short(&run.commit), day(&run.date));
                points.push(Point { x: index as f64, y: figure.value, note });
            }
        }
        points
    };
    lines(&group.figures, points)
}

/// One line a function: time for an iteration by the size of its input.
pub fn by_size(group: &Group<'_>) -> Lines {
    let points = |function: &str| {
        let mut points: Vec<Point> = group
            .figures
            .iter()
            .filter(|figure| figure.function == function)
            .filter_map(|figure| {
                let time = crate::bench::result::duration(figure.iteration_ns);
                let note =
                    format!("{function}: {time} at {}", figure.parameter.as_deref().unwrap_or_default());
                Some(Point { x: figure.size()?, y: figure.iteration_ns, note })
            })
            .collect();
        points.sort_by(|one, other| one.x.total_cmp(&other.x));
        points
    };
    lines(&group.figures, points)
}

fn lines(figures: &[&Measurement], points: impl Fn(&str) -> Vec<Point>) -> Lines {
    let all = functions(figures)
        .into_iter()
        .map(|(name, role)| Series { points: points(&name), name, role })
        .filter(|series| !series.points.is_empty());
    let mut lines = Lines { series: Vec::new(), left_out: 0 };
    for series in all {
        let alike = |other: &&Series| (other.role == Role::Limit) == (series.role == Role::Limit);
        let max = if series.role == Role::Limit { DASHED_MAX } else { COLOURED_MAX };
        if lines.series.iter().filter(alike).count() < max {
            lines.series.push(series);
        } else {
            lines.left_out += 1;
        }
    }
    lines
}

/// The figures of one group in the newest run that has its suite.
pub struct Group<'a> {
    /// The suite.
    pub suite: &'a str,
    /// The group.
    pub name: &'a str,
    /// The figures.
    pub figures: Vec<&'a Measurement>,
}

impl<'a> Group<'a> {
    /// The groups of a suite in a run, in the order they were measured.
    pub fn of(run: &'a Run, suite: &'a str) -> Vec<Group<'a>> {
        let mut groups: Vec<Group<'a>> = Vec::new();
        for figure in run.results.iter().filter(|figure| figure.suite == suite) {
            match groups.iter_mut().find(|group| group.name == figure.group) {
                Some(group) => group.figures.push(figure),
                None => groups.push(Group { suite, name: &figure.group, figures: vec![figure] }),
            }
        }
        groups
    }

    /// Whether a figure, perhaps of another run, belongs here.
    pub fn holds(&self, figure: &Measurement) -> bool {
        figure.suite == self.suite && figure.group == self.name
    }

    /// The parameters, as they come.
    pub fn parameters(&self) -> Vec<Option<&'a str>> {
        let mut parameters = Vec::new();
        for figure in &self.figures {
            let parameter = figure.parameter.as_deref();
            if !parameters.contains(&parameter) {
                parameters.push(parameter);
            }
        }
        parameters
    }

    /// The sizes among the parameters, when there are several.
    pub fn sizes(&self) -> Vec<f64> {
        let mut sizes: Vec<f64> = self.figures.iter().filter_map(|figure| figure.size()).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        if sizes.len() < 2 { Vec::new() } else { sizes }
    }
}

/// A commit as people write it.
pub fn short(commit: &str) -> &str {
    commit.get(..7).unwrap_or(if commit.is_empty() { "no commit" } else { commit })
}

/// The day of a date.
pub fn day(date: &str) -> &str {
    date.get(..10).unwrap_or(date)
}
