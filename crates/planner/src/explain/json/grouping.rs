//! COLLECT and WINDOW in explain JSON.

use super::Writer;
use crate::plan::{Aggregate, CollectContent, CollectNode, WindowBounds, WindowNode};

impl Writer<'_> {
    fn aggregates(&mut self, aggregates: &[Aggregate]) {
        self.builder.key("aggregates").open_array();
        for aggregate in aggregates {
            self.builder.open_object();
            self.named("outVariable", aggregate.out);
            self.optional("inVariable", aggregate.input);
            self.text("type", &aggregate.function);
            self.builder.close();
        }
        self.builder.close();
    }

    pub(super) fn collect(&mut self, collect: &CollectNode) {
        self.builder.key("groups").open_array();
        for group in &collect.groups {
            self.builder.open_object();
            self.named("outVariable", group.out);
            self.named("inVariable", group.input);
            self.builder.close();
        }
        self.builder.close();
        self.aggregates(&collect.aggregates);
        if let Some(into) = &collect.into {
            self.named("outVariable", into.out);
            match &into.content {
                CollectContent::Value(var) => self.named("expressionVariable", *var),
                CollectContent::Variables(variables) => {
                    self.builder.key("keepVariables").open_array();
                    for (name, var) in variables {
                        self.builder.open_object();
                        self.named("variable", *var);
                        self.text("name", name);
                        self.builder.close();
                    }
                    self.builder.close();
                }
            }
        }
        self.flag("isDistinctCommand", collect.is_distinct);
        self.flag("specialized", collect.specialized);
        self.builder.key("collectOptions").open_object();
        self.text("method", collect.method.as_str());
        self.flag("disableIndex", collect.disable_index);
        self.builder.close();
    }

    pub(super) fn window(&mut self, window: &WindowNode) {
        self.optional("rangeVariable", window.range);
        self.aggregates(&window.aggregates);
        match &window.bounds {
            WindowBounds::Rows { preceding, following } => {
                for (key, bound) in [("preceding", preceding), ("following", following)] {
                    self.builder.key(key);
                    match bound {
                        Some(rows) => self.builder.add_u64(*rows),
                        None => self.builder.add_str("unbounded"),
                    };
                }
            }
            WindowBounds::Range { preceding, following } => {
                self.builder.key("preceding").add_f64(*preceding);
                self.builder.key("following").add_f64(*following);
            }
            WindowBounds::Duration { preceding, following } => {
                self.text("preceding", preceding);
                self.text("following", following);
            }
        }
    }
}
