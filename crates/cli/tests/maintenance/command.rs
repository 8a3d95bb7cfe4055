//! Runs commands of the binary to their end.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What a command left.
#[derive(Debug)]
pub struct Ended {
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// What it printed.
    pub output: String,
    /// What it said on standard error.
    pub errors: String,
}

impl Ended {
    /// The JSON object that it printed.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.output).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The same, which must have ended with this code.
    #[track_caller]
    pub fn expect(self, code: i32) -> Ended {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }
}

/// Runs a command.
pub fn persea<I: AsRef<OsStr>>(arguments: impl IntoIterator<Item = I>) -> Ended {
    let output = Command::new(env!("CARGO_BIN_EXE_persea")).args(arguments).output().expect("it runs");
    Ended {
        code: output.status.code(),
        output: String::from_utf8(output.stdout).expect("text"),
        errors: String::from_utf8(output.stderr).expect("text"),
    }
}

/// Checks a folder, which must be in order, and gives the report.
#[track_caller]
pub fn check_clean(folder: &Path) -> Value {
    let ended = persea([OsStr::new("check"), folder.as_os_str(), OsStr::new("--json")]);
    let report = ended.expect(0).json();
    assert_eq!(report["clean"], true, "{report}");
    report
}

/// Checks a folder, which must be damaged, and gives what was found, one line a finding.
#[track_caller]
pub fn check_damaged(folder: &Path) -> String {
    let ended = persea([OsStr::new("check"), folder.as_os_str(), OsStr::new("--json")]).expect(1);
    let report = ended.json();
    assert_eq!(report["clean"], false, "{report}");
    let findings = report["findings"].as_array().expect("findings");
    assert_eq!(report["problems"], findings.len());
    findings
        .iter()
        .map(|finding| {
            let [area, place, what] =
                ["area", "place", "what"].map(|name| finding[name].as_str().expect("text"));
            format!("{area} {place}: {what}\n")
        })
        .collect()
}
