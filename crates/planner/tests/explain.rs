//! The explain formats.

mod common;

use common::{plan, plan_with};
use persea_planner::{PlanOptions, TextOptions, explain, explain_text, rules_to_vpack};
use persea_vpack::VPackBuf;

#[test]
fn costs_follow_the_model() {
    let planned = plan("FOR p IN small RETURN p");
    let explained = explain(&planned, false, false);
    let figures: Vec<(f64, u64)> = explained
        .as_slice()
        .get("plan")
        .and_then(|plan| plan.get("nodes"))
        .unwrap()
        .array_iter()
        .map(|node| {
            (
                node.get("estimatedCost").and_then(|cost| cost.as_f64()).unwrap(),
                node.get("estimatedNrItems").and_then(|items| items.as_u64()).unwrap(),
            )
        })
        .collect();
    assert_eq!(figures, [(1.0, 1), (12.0, 10), (22.0, 10)]);
}

#[test]
fn the_answer_has_all_parts() {
    let explained = explain(&plan("FOR d IN c FILTER d.value == 1 RETURN d"), false, true);
    let answer = explained.as_slice();
    for key in ["plan", "cacheable", "warnings", "stats"] {
        assert!(answer.get(key).is_some(), "{key}");
    }
    let plan_part = answer.get("plan").unwrap();
    for key in [
        "nodes",
        "rules",
        "collections",
        "variables",
        "estimatedCost",
        "estimatedNrItems",
        "isModificationQuery",
    ] {
        assert!(plan_part.get(key).is_some(), "{key}");
    }
    let index = plan_part.get("nodes").and_then(|nodes| nodes.at(1)).unwrap();
    assert_eq!(index.get("type").and_then(|name| name.as_str()), Some("IndexNode"));
    assert_eq!(
        index.get("condition").and_then(|part| part.get("typeID")).and_then(|id| id.as_u64()),
        Some(63)
    );
    assert!(answer.get("stats").and_then(|stats| stats.get("rules")).is_some());
}

#[test]
fn all_plans_are_given_when_asked_for() {
    let options = PlanOptions { all_plans: true, ..PlanOptions::default() };
    let query = "FOR a IN plain FOR b IN c FILTER a.x == b.value RETURN 1";
    let planned = plan_with(query, &VPackBuf::null(), &options).unwrap();
    assert_eq!(planned.alternatives.len(), 1);
    let explained = explain(&planned, true, false);
    assert_eq!(explained.as_slice().get("plans").map(|plans| plans.len()), Some(2));
    assert!(explained.as_slice().get("cacheable").is_none());
}

#[test]
fn text_has_the_documented_layout() {
    let query = "FOR d IN plain FILTER d.v > 42 RETURN d";
    let text = explain_text(query, &plan(query), &TextOptions::default());
    let expected = "\
Query String (39 chars, cacheable: true):
 FOR d IN plain FILTER d.v > 42 RETURN d

Execution plan:
 Id   NodeType                  Est.   Comment
  1   SingletonNode                1   * ROOT
  2   EnumerateCollectionNode   1000     - FOR d IN plain   /* full collection scan  */   FILTER (d.`v` > 42)   /* early pruning */
  5   ReturnNode                1000       - RETURN d

Indexes used:
 none

Optimization rules applied:
 Id   RuleName
  1   move-filters-into-enumerate

38 rule(s) executed, 1 plan(s) created
";
    assert_eq!(text, expected);
}

#[test]
fn long_queries_and_plans_are_cut() {
    let query = format!("RETURN /* {} */ 1", "x".repeat(200));
    let options = TextOptions { query_chars_max: 40, rows_max: 2 };
    let text = explain_text(&query, &plan(&query), &options);
    assert!(text.contains("truncated") && text.contains("1 more node(s)"), "{text}");
}

#[test]
fn every_kind_of_node_is_explained() {
    for query in [
        "FOR d IN c FILTER \"x\" IN d.tags[*] RETURN d.tags[* FILTER CURRENT.a LIMIT 1 RETURN CURRENT.b]",
        "FOR v, e, p IN 1..2 OUTBOUND \"a/b\" edges PRUNE e.x == 1 FILTER p.edges[*].y ALL == 1 RETURN p.vertices",
        "FOR v, e IN OUTBOUND SHORTEST_PATH \"a/b\" TO \"a/c\" edges RETURN e",
        "FOR p IN 1..4 OUTBOUND K_PATHS \"a/b\" TO \"a/c\" GRAPH \"g\" RETURN p",
        "FOR d IN plain COLLECT g = d.x AGGREGATE s = SUM(d.y) INTO r = d.z RETURN [g, s, r]",
        "FOR d IN plain WINDOW d.t WITH {preceding: \"PT1H\"} AGGREGATE s = SUM(d.v) RETURN s",
        "UPSERT {a: 1} INSERT {a: 1} REPLACE {a: 2} IN c OPTIONS {ignoreErrors: true} RETURN [OLD, NEW]",
        "FOR d IN plain UPDATE d._key WITH {a: MY::FUNCTION(d)} IN target RETURN NEW",
        "RETURN [1, 2.5, null, true, \"x\", {a: [1]}, NOOPT(1) ? 1 : 2, NOOPT(1) ?: 2, -NOOPT(1), NOOPT([1]) ANY == 1]",
        "RETURN NOOPT([1, 2])[? AT LEAST (1) FILTER CURRENT > 1]",
        "FOR a IN small FOR b IN big FILTER a.x == b.y LET s = (FOR e IN edges RETURN e) RETURN [a, b, s]",
    ] {
        let planned = plan(query);
        let explained = explain(&planned, false, false);
        assert!(explained.as_slice().get("plan").is_some(), "{query}");
        assert!(explain_text(query, &planned, &TextOptions::default()).contains("Execution plan"), "{query}");
    }
}

#[test]
fn rules_are_listed() {
    let rules = rules_to_vpack();
    assert!(rules.as_slice().array_iter().all(|rule| {
        rule.get("name").is_some_and(|name| name.is_string())
            && rule.get("flags").and_then(|flags| flags.get("canBeDisabled")).is_some()
    }));
    assert!(rules.as_slice().len() > 30);
}
