//! AQL syntax tree to execution plan: nodes, optimizer rules, explain
