//! Progress of long commands on a terminal; nothing where standard error is none.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use persea::maintenance::Progress;

/// Shows how far a command is.
pub struct Display {
    bar: ProgressBar,
    unit: Unit,
    step: String,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes, shown in KiB, MiB and so on.
    Bytes,
    /// Pages, documents, whatever the step says.
    Things,
}

impl Display {
    /// A display for a command that counts in `unit`; it stays away when `is_quiet`.
    pub fn new(unit: Unit, is_quiet: bool) -> Display {
        let target = if is_quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        bar.enable_steady_tick(Duration::from_millis(100));
        Display { bar, unit, step: String::new() }
    }

    /// Shows the state of things.
    pub fn show(&mut self, progress: Progress<'_>) {
        if progress.step != self.step {
            progress.step.clone_into(&mut self.step);
            // Pages are counted one by one, whatever the rest of the command is measured in.
            let unit = if progress.step == "checking pages" { Unit::Things } else { self.unit };
            self.bar.set_style(style(unit, progress.total.is_some()));
            self.bar.set_message(self.step.clone());
        }
        if let Some(total) = progress.total {
            self.bar.set_length(total);
        }
        self.bar.set_position(progress.done);
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn style(unit: Unit, has_total: bool) -> ProgressStyle {
    let template = match (unit, has_total) {
        (Unit::Bytes, true) => "{msg} [{bar:30}] {binary_bytes}/{binary_total_bytes} {eta}",
        (Unit::Bytes, false) => "{spinner} {msg} {binary_bytes}",
        (Unit::Things, true) => "{msg} [{bar:30}] {human_pos}/{human_len} {eta}",
        (Unit::Things, false) => "{spinner} {msg} {human_pos}",
    };
    // A template that can't be read shows the usual bar; tests would see that none of these is one.
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_every_kind_of_step() {
        for unit in [Unit::Bytes, Unit::Things] {
            for total in [None, Some(10)] {
                let mut display = Display::new(unit, true);
                let mut progress = Progress::new("a step");
                (progress.done, progress.total) = (5, total);
                display.show(progress);
                assert_eq!(display.bar.position(), 5);
                assert_eq!(display.bar.message(), "a step");
            }
        }
    }
}
