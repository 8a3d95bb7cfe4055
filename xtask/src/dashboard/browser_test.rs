//! Opens the page in a real browser and looks whether charts and numbers are there to be seen.
//!
//! Needs Chromium. Without it the test says so and passes on a developer's machine; in continuous integration
//! (`CI=true`) it fails, so that nobody mistakes a skipped check for a passed one.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::page::page;
use crate::bench::history::tests::run;

/// Runs in the page after it is laid out and leaves what it sees in an element that the browser then prints.
const PROBE: &str = r#"<script>
addEventListener('load', () => {
  const visible = element => { const box = element.getBoundingClientRect(); return box.width > 100 && box.height > 100; };
  const charts = [...document.querySelectorAll('figure.chart > svg')];
  const lines = [...document.querySelectorAll('.series .line')];
  const seen = {
    charts: charts.filter(visible).length,
    linesWithLength: lines.filter(line => line.getTotalLength() > 100).length,
    points: [...document.querySelectorAll('circle')].filter(point => point.getBoundingClientRect().width > 2).length,
    pointsOutside: charts.filter(chart => { const box = chart.getBoundingClientRect();
      return [...chart.querySelectorAll('circle')].some(point => { const at = point.getBoundingClientRect();
        return at.left < box.left || at.right > box.right || at.top < box.top || at.bottom > box.bottom; }); }).length,
    cells: [...document.querySelectorAll('td')].map(cell => cell.innerText),
    ticks: [...document.querySelectorAll('figure.size .tick')].map(tick => tick.textContent),
    strokes: [...new Set(lines.map(line => getComputedStyle(line).stroke))].length,
    background: getComputedStyle(document.body).backgroundColor,
    overflow: document.documentElement.scrollWidth > document.documentElement.clientWidth,
  };
  const output = document.createElement('output');
  output.id = 'probe';
  output.textContent = JSON.stringify(seen);
  document.body.append(output);
});
</script>"#;

#[test]
fn a_browser_shows_charts_and_numbers() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("page.html");
    let runs = [
        run("2026-01-01T00:00:00Z", "aaaaaaaaaa", 1.3),
        run("2026-01-02T00:00:00Z", "bbbbbbbbbb", 1.1),
        run("2026-01-03T00:00:00Z", "cccccccccc", 1.0),
    ];
    std::fs::write(&file, page(&runs).replace("</body>", &format!("{PROBE}</body>"))).unwrap();
    let light = seen(&browser, folder.path(), &file, &["--window-size=1200,900"]);
    // `read` over time, `scan` over time for its largest size, `scan` by size.
    assert_eq!(light["charts"], 3, "{light}");
    assert_eq!(light["linesWithLength"], 7, "{light}");
    assert_eq!(light["points"], 3 * 3 + 3 * 2 + 4 * 2, "{light}");
    assert_eq!(light["pointsOutside"], 0, "{light}");
    let cells: Vec<&str> = light["cells"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for expected in
        ["1.20 µs", "0.80 × another store", "1.20 × plain store", "1.33 × memory", "▼ 9.1 %", "4.00 ms"]
    {
        assert!(cells.contains(&expected), "{expected}: {cells:?}");
    }
    let ticks: Vec<&str> = light["ticks"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(ticks.contains(&"1k") && ticks.contains(&"10k") && ticks.contains(&"1 ms"), "{ticks:?}");
    assert!(light["strokes"].as_u64().unwrap() >= 3, "{light}");
    let dark = seen(&browser, folder.path(), &file, &["--window-size=1200,900", "--force-dark-mode"]);
    assert_ne!(light["background"], dark["background"]);
    let narrow = seen(&browser, folder.path(), &file, &["--window-size=500,900"]);
    assert_eq!(narrow["overflow"], false, "{narrow}");
}

/// The browser, or none with the reason said.
fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        let message =
            "no Chromium here (Debian's package is `chromium`): the dashboard is not opened in a browser";
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{message}");
        eprintln!("skipped: {message}");
    }
    found
}

/// What the probe saw.
fn seen(browser: &Path, folder: &Path, page: &Path, arguments: &[&str]) -> Value {
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .args(arguments)
        .args(["--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let start =
        text.find("<output id=\"probe\">").unwrap_or_else(|| panic!("the probe did not run: {text:.400}"));
    let json = text[start..].trim_start_matches("<output id=\"probe\">").split("</output>").next().unwrap();
    serde_json::from_str(&json.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")).unwrap()
}
