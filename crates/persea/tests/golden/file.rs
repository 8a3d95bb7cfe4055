//! The golden file format: see `tests/golden/README.md`.

use std::ops::Range;

use crate::outcome::Outcome;

/// A parsed file.
pub struct GoldenFile {
    /// What is made before the first case.
    pub setup: Vec<Setup>,
    pub cases: Vec<Case>,
}

/// One line of setup.
#[derive(Clone, Debug)]
pub enum Setup {
    Collection(String),
    Edges(String),
    /// Collection and an array of documents, as JSON.
    Insert(String, String),
    /// Collection and the definition, as JSON.
    Index(String, String),
    /// Name and the definition, as JSON.
    Graph(String, String),
}

/// Steps that run one after the other on the same database.
pub struct Case {
    pub name: String,
    pub setup: Vec<Setup>,
    pub steps: Vec<Step>,
    /// Whether the case makes sense only with the optimizer's rules on.
    pub is_optimized: bool,
}

/// One query and what must come out of it.
pub struct Step {
    pub query: String,
    /// Bind values, as JSON.
    pub bind: Option<String>,
    pub options: Option<String>,
    pub expected: Option<Outcome>,
    /// The lines that hold the outcome; empty when it is still to be filled in.
    pub outcome_lines: Range<usize>,
    /// Whether the query is `RETURN expression` of a table row: the outcome is the one row.
    pub is_table_row: bool,
}

impl GoldenFile {
    /// Panics on a malformed file: the tests can't run then.
    pub fn parse(name: &str, text: &str) -> GoldenFile {
        let mut reader = Reader {
            file: GoldenFile { setup: Vec::new(), cases: Vec::new() },
            bind: None,
            options: None,
            in_table: false,
        };
        let lines: Vec<&str> = text.lines().collect();
        let mut at = 0;
        while at < lines.len() {
            let line = lines[at];
            let next = if line.trim().is_empty() || line.starts_with("##") {
                at + 1
            } else if let Some(title) = line.strip_prefix("# ") {
                reader.start_case(title);
                at + 1
            } else if line.starts_with("-- ") {
                let end = section_end(&lines, at + 1);
                reader.directive(name, &lines[at..end]);
                // The text behind these is a query, not a part of theirs.
                let is_one_line = ["-- table", "-- then", "-- optimized", "-- bind", "-- options"];
                if is_one_line.iter().any(|word| line.starts_with(word)) { at + 1 } else { end }
            } else if reader.in_table {
                reader.table_row(name, line, at);
                at + 1
            } else {
                let end = section_end(&lines, at);
                reader.query(name, &lines, at..end);
                end
            };
            at = next;
        }
        reader.file
    }
}

/// Where the text that begins at `start` ends: before the next directive, case or comment.
fn section_end(lines: &[&str], start: usize) -> usize {
    let is_end = |line: &&str| line.starts_with("-- ") || line.starts_with("# ") || line.starts_with("##");
    lines.iter().skip(start).position(is_end).map_or(lines.len(), |offset| start + offset)
}

struct Reader {
    file: GoldenFile,
    bind: Option<String>,
    options: Option<String>,
    in_table: bool,
}

impl Reader {
    fn start_case(&mut self, title: &str) {
        self.bind = None;
        self.options = None;
        self.in_table = false;
        self.file.cases.push(Case {
            name: title.trim().to_owned(),
            setup: Vec::new(),
            steps: Vec::new(),
            is_optimized: false,
        });
    }

    fn directive(&mut self, file: &str, lines: &[&str]) {
        let first = lines[0].trim_start_matches("-- ");
        let (word, rest) = first.split_once(' ').unwrap_or((first, ""));
        let rest = format!("{rest}\n{}", lines[1..].join("\n"));
        let rest = rest.trim();
        let (name, value) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let (name, value) = (name.to_owned(), value.trim().to_owned());
        match word {
            "table" => self.in_table = true,
            "then" => self.in_table = false,
            "optimized" => self.case(file).is_optimized = true,
            // The query follows on lines of its own, so bind values and options take one line.
            "bind" => self.bind = Some(first["bind".len()..].trim().to_owned()),
            "options" => self.options = Some(first["options".len()..].trim().to_owned()),
            "collection" => self.setup(Setup::Collection(name)),
            "edges" => self.setup(Setup::Edges(name)),
            "insert" => self.setup(Setup::Insert(name, value)),
            "index" => self.setup(Setup::Index(name, value)),
            "graph" => self.setup(Setup::Graph(name, value)),
            _ => panic!("{file}: unknown directive {first}"),
        }
    }

    fn setup(&mut self, setup: Setup) {
        match self.file.cases.last_mut() {
            Some(case) => case.setup.push(setup),
            None => self.file.setup.push(setup),
        }
    }

    fn case(&mut self, file: &str) -> &mut Case {
        match self.file.cases.last_mut() {
            Some(case) => case,
            None => panic!("{file}: a query before the first case"),
        }
    }

    fn push(&mut self, file: &str, step: Step) {
        self.case(file).steps.push(step);
    }

    fn table_row(&mut self, file: &str, line: &str, at: usize) {
        let (expression, expected) = match line.rsplit_once(" => ") {
            Some((expression, outcome)) => (expression, Some(Outcome::parse(file, outcome))),
            None => (line.trim_end_matches(" =>"), None),
        };
        let step = Step {
            query: format!("RETURN {}", expression.trim()),
            bind: self.bind.clone(),
            options: self.options.clone(),
            expected,
            outcome_lines: at..at + 1,
            is_table_row: true,
        };
        self.push(file, step);
    }

    fn query(&mut self, file: &str, lines: &[&str], section: Range<usize>) {
        let text = &lines[section.clone()];
        let split = text.iter().position(|line| line.starts_with("=>"));
        let query_end =
            split.unwrap_or_else(|| 1 + text.iter().rposition(|l| !l.trim().is_empty()).unwrap_or(0));
        let outcome_end = 1 + text.iter().rposition(|line| !line.trim().is_empty()).unwrap_or(0);
        let expected = split.map(|at| {
            let outcome = text[at..outcome_end].join("\n");
            Outcome::parse(file, outcome.trim_start_matches("=>"))
        });
        let step = Step {
            query: text[..query_end].join("\n"),
            bind: self.bind.take(),
            options: self.options.take(),
            expected,
            outcome_lines: section.start + query_end..section.start + outcome_end,
            is_table_row: false,
        };
        self.push(file, step);
    }
}

/// The text with other outcomes in place.
pub fn corrected(text: &str, corrections: Vec<(Range<usize>, String)>) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (range, outcome) in corrections.into_iter().rev() {
        let is_table_row = range.len() == 1 && !lines[range.start].starts_with("=>");
        let replacement = if is_table_row {
            let row = &lines[range.start];
            let expression = row.rsplit_once(" => ").map_or(row.trim_end_matches(" =>"), |(left, _)| left);
            format!("{expression} => {outcome}")
        } else {
            format!("=> {outcome}")
        };
        lines.splice(range, [replacement]);
    }
    lines.join("\n") + "\n"
}
