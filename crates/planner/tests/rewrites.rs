//! Queries and the plans they become: node types, and the rules that changed the plan.

mod common;

use common::{plan, types};

/// Query, node types, rules.
const CASES: &[(&str, &str, &str)] = &[
    ("RETURN 1", "Singleton Calculation Return", ""),
    ("RETURN 1 + 2", "Singleton Calculation Return", ""),
    ("LET x = 5 RETURN x", "Singleton Calculation Return", ""),
    ("LET x = 5 LET y = x + 1 RETURN y", "Singleton Calculation Return", "remove-unnecessary-calculations"),
    ("FOR d IN plain RETURN d", "Singleton EnumerateCollection Return", ""),
    ("FOR d IN plain RETURN d.x", "Singleton EnumerateCollection Return", "reduce-extraction-to-projection"),
    ("FOR d IN plain RETURN 1", "Singleton Calculation EnumerateCollection Return", "move-calculations-up"),
    (
        "FOR d IN plain RETURN [d.a, d.b, d.c, d.d, d.e]",
        "Singleton EnumerateCollection Calculation Return",
        "reduce-extraction-to-projection",
    ),
    (
        "FOR d IN plain RETURN [d.a, d.b, d.c, d.d, d.e, d.f]",
        "Singleton EnumerateCollection Calculation Return",
        "",
    ),
    (
        "FOR d IN plain RETURN [d.a.b, d.a.c, d.a]",
        "Singleton EnumerateCollection Calculation Return",
        "reduce-extraction-to-projection",
    ),
    (
        "FOR d IN plain FILTER d.value > 42 RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN plain FILTER d.x == 1 FILTER d.y == 2 RETURN d",
        "Singleton EnumerateCollection Return",
        "move-calculations-up move-calculations-down fuse-filters move-filters-into-enumerate",
    ),
    ("FOR d IN plain FILTER true RETURN d", "Singleton EnumerateCollection Return", ""),
    ("FOR d IN plain FILTER 1 == 2 RETURN d", "Singleton EnumerateCollection NoResults Return", ""),
    (
        "FOR d IN plain FILTER d.x == 1 LIMIT 5 FILTER d.y == 2 RETURN d",
        "Singleton EnumerateCollection Limit Calculation Filter Return",
        "move-filters-into-enumerate",
    ),
    ("FOR d IN plain LIMIT 5 RETURN d", "Singleton EnumerateCollection Limit Return", ""),
    ("FOR d IN plain SORT d.x RETURN d", "Singleton EnumerateCollection Calculation Sort Return", ""),
    (
        "FOR d IN plain SORT d.x LIMIT 2, 5 RETURN d",
        "Singleton EnumerateCollection Calculation Sort Limit Return",
        "sort-limit",
    ),
    (
        "FOR d IN plain SORT d.x SORT d.y RETURN d",
        "Singleton EnumerateCollection Calculation Sort Return",
        "move-calculations-up remove-redundant-sorts remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN plain SORT d.x, d.y SORT d.x RETURN d",
        "Singleton EnumerateCollection Calculation Calculation Sort Return",
        "move-calculations-up remove-redundant-calculations remove-unnecessary-calculations remove-redundant-sorts",
    ),
    (
        "FOR d IN plain SORT d.x, d.x RETURN d",
        "Singleton EnumerateCollection Calculation Sort Return",
        "remove-redundant-calculations remove-unnecessary-calculations remove-redundant-sorts",
    ),
    ("FOR d IN plain SORT null RETURN d", "Singleton EnumerateCollection Return", ""),
    (
        "FOR d IN plain SORT RAND() LIMIT 1 RETURN d",
        "Singleton EnumerateCollection Limit Return",
        "remove-sort-rand-limit-1 remove-unnecessary-calculations-2",
    ),
    ("FOR i IN [1, 2, 3] RETURN i", "Singleton Calculation EnumerateList Return", ""),
    ("FOR i IN [1, 2, 3] FILTER 1 == 2 RETURN i", "Singleton Calculation EnumerateList NoResults Return", ""),
    (
        "FOR i IN 1..10 RETURN 1 / 0",
        "Singleton Calculation Calculation EnumerateList Return",
        "move-calculations-up",
    ),
    (
        "FOR i IN 1..10 FOR j IN 1..10 RETURN [i, j]",
        "Singleton Calculation EnumerateList EnumerateList Calculation Return",
        "move-calculations-up remove-redundant-calculations remove-unnecessary-calculations",
    ),
    (
        "FOR i IN 1..10 FOR j IN 1..10 FILTER i < 3 && j > 2 RETURN [i, j]",
        "Singleton Calculation EnumerateList EnumerateList Calculation Return",
        "move-calculations-up move-filters-up remove-redundant-calculations remove-unnecessary-calculations move-calculations-up-2 move-calculations-down move-filters-into-enumerate",
    ),
    (
        "FOR i IN 1..10 LET x = NOOPT(1) RETURN x",
        "Singleton Calculation EnumerateList Calculation Return",
        "",
    ),
    (
        "FOR i IN 1..10 LET x = (FOR d IN plain RETURN d.x) RETURN x",
        "Singleton SubqueryStart EnumerateCollection SubqueryEnd Calculation EnumerateList Return",
        "move-calculations-up reduce-extraction-to-projection splice-subqueries",
    ),
    (
        "FOR d IN c FILTER d.value == 5 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER 5 == d.value RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.value == 5 RETURN d.value",
        "Singleton Index Return",
        "move-calculations-up use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2 reduce-extraction-to-projection",
    ),
    (
        "FOR d IN c FILTER d.value < 5 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.value >= 5 && d.value < 10 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.value IN [1, 2, 3] RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.value NOT IN [1, 2, 3] RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d.value != 5 RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d.a == 1 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.a == 1 && d.b == 2 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.a == 1 && d.b > 2 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.b == 1 RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d.a == 1 && d.z == 2 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2 move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d.value == 1 || d.value == 2 RETURN d",
        "Singleton Index Return",
        "replace-or-with-in use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.value == 1 || d.a == 2 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.value == 1 || d.z == 2 RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER (d.value == 1 && d.z == 1) || d.a == 2 RETURN d",
        "Singleton Index Return",
        "use-indexes move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d.value > 1 || d.value > 2 RETURN d",
        "Singleton Index Return",
        "remove-redundant-or use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.s == 5 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.s == null RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d.s < 5 RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d.s > 5 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.s >= null RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d.s IN [1, null] RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d.s < 5 && d.s != null RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2 move-filters-into-enumerate",
    ),
    (
        "FOR x IN plain FOR d IN c FILTER d.s == x.y RETURN d",
        "Singleton EnumerateCollection HashJoin Return",
        "use-hash-joins remove-unnecessary-calculations-2 reduce-extraction-to-projection",
    ),
    (
        "FOR d IN c FILTER d.u == 5 && d.value == 3 RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2 move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER \"x\" IN d.tags[*] RETURN d",
        "Singleton Index Return",
        "use-indexes move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER \"x\" IN d.tags RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d._key == \"a\" RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d._id == \"c/a\" RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d._key IN [\"a\", \"b\"] RETURN d",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d._key > \"a\" RETURN d",
        "Singleton EnumerateCollection Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR e IN edges FILTER e._from == \"vertices/1\" RETURN e",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR e IN edges FILTER e._to == \"vertices/1\" && e.x == 1 RETURN e",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2 move-filters-into-enumerate",
    ),
    (
        "FOR e IN edges FILTER e._from == \"vertices/1\" || e._to == \"vertices/1\" RETURN e",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "LET v = 5 FOR d IN c FILTER d.value == v RETURN d",
        "Singleton Index Return",
        "remove-unnecessary-calculations use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c LET x = d.value FILTER x == 5 RETURN d",
        "Singleton Index Return",
        "remove-unnecessary-calculations use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "LET o = {a: 1} FOR d IN c FILTER d.value == o.a RETURN d",
        "Singleton Index Return",
        "remove-unnecessary-calculations use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER !(d.value != 5) RETURN d",
        "Singleton Index Return",
        "simplify-conditions use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c SORT d.value RETURN d",
        "Singleton Index Return",
        "use-index-for-sort remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c SORT d.value DESC RETURN d",
        "Singleton Index Return",
        "use-index-for-sort remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c SORT d.a, d.b LIMIT 5 RETURN d",
        "Singleton Index Limit Return",
        "use-index-for-sort remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c SORT d.a, d.b DESC RETURN d",
        "Singleton EnumerateCollection Calculation Calculation Sort Return",
        "",
    ),
    ("FOR d IN c SORT d.b RETURN d", "Singleton EnumerateCollection Calculation Sort Return", ""),
    ("FOR d IN c SORT d.s RETURN d", "Singleton EnumerateCollection Calculation Sort Return", ""),
    (
        "FOR d IN c FILTER d.a == 3 SORT d.b RETURN d",
        "Singleton Index Return",
        "move-calculations-up use-indexes remove-filter-covered-by-index use-index-for-sort remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.a > 3 SORT d.b RETURN d",
        "Singleton Index Calculation Sort Return",
        "move-calculations-up use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c FILTER d.value > 97 SORT d.value RETURN d.value",
        "Singleton Index Return",
        "move-calculations-up remove-redundant-calculations remove-unnecessary-calculations use-indexes remove-filter-covered-by-index use-index-for-sort remove-unnecessary-calculations-2 reduce-extraction-to-projection",
    ),
    (
        "FOR x IN [1, 2] FOR d IN c SORT d.value RETURN d",
        "Singleton Calculation EnumerateList EnumerateCollection Calculation Sort Return",
        "",
    ),
    (
        "FOR u IN small FOR d IN c FILTER d.value == u.k RETURN [u, d]",
        "Singleton EnumerateCollection Index Calculation Return",
        "move-calculations-up use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR u IN small FOR o IN big FILTER o.user == u._key RETURN [u, o.x]",
        "Singleton EnumerateCollection HashJoin Calculation Return",
        "move-calculations-up interchange-adjacent-enumerations use-indexes remove-filter-covered-by-index use-hash-joins remove-unnecessary-calculations-2 reduce-extraction-to-projection",
    ),
    (
        "FOR u IN small FOR o IN big FILTER o.user == u._key FILTER o.x > 5 RETURN [u, o.y]",
        "Singleton EnumerateCollection HashJoin Calculation Return",
        "move-calculations-up use-hash-joins remove-unnecessary-calculations-2 move-filters-into-enumerate reduce-extraction-to-projection",
    ),
    (
        "FOR u IN big FOR o IN small FILTER o.k == u.k RETURN [u.a, o.b]",
        "Singleton EnumerateCollection HashJoin Calculation Return",
        "move-calculations-up use-indexes remove-filter-covered-by-index use-hash-joins remove-unnecessary-calculations-2 reduce-extraction-to-projection",
    ),
    (
        "FOR u IN small LET e = (FOR x IN big FILTER x.user == u.k RETURN x.name) RETURN [u, e]",
        "Singleton EnumerateCollection SubqueryStart HashJoin SubqueryEnd Calculation Return",
        "move-calculations-up use-hash-joins remove-unnecessary-calculations-2 reduce-extraction-to-projection splice-subqueries",
    ),
    (
        "FOR u IN vertices LET e = (FOR x IN edges FILTER x._from == u._id RETURN x) RETURN [u, e]",
        "Singleton EnumerateCollection SubqueryStart Index SubqueryEnd Calculation Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2 splice-subqueries",
    ),
    (
        "FOR u IN small FOR d IN c FILTER d.value == u.k FILTER u.k == 7 RETURN [u, d]",
        "Singleton Index Index Calculation Return",
        "move-calculations-up interchange-adjacent-enumerations propagate-constant-attributes use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN plain COLLECT v = d.x RETURN v",
        "Singleton EnumerateCollection Collect Sort Return",
        "reduce-extraction-to-projection",
    ),
    (
        "FOR d IN plain COLLECT v = d.x SORT null RETURN v",
        "Singleton EnumerateCollection Collect Return",
        "reduce-extraction-to-projection",
    ),
    (
        "FOR d IN plain COLLECT v = d.x OPTIONS {method: \"sorted\"} RETURN v",
        "Singleton EnumerateCollection Sort Collect Return",
        "reduce-extraction-to-projection",
    ),
    (
        "FOR d IN plain COLLECT v = d.x WITH COUNT INTO n RETURN [v, n]",
        "Singleton EnumerateCollection Collect Calculation Sort Return",
        "move-calculations-up-2 reduce-extraction-to-projection",
    ),
    (
        "FOR d IN c COLLECT v = d.value WITH COUNT INTO n RETURN [v, n]",
        "Singleton Index Collect Calculation Return",
        "use-index-for-sort reduce-extraction-to-projection",
    ),
    (
        "FOR d IN plain COLLECT v = d.x INTO g RETURN [v, LENGTH(g)]",
        "Singleton EnumerateCollection Collect Calculation Sort Return",
        "move-calculations-up-2 remove-collect-variables reduce-extraction-to-projection",
    ),
    (
        "FOR d IN plain COLLECT v = d.x AGGREGATE m = MAX(d.y), s = SUM(d.z) RETURN m",
        "Singleton EnumerateCollection Collect Sort Return",
        "remove-collect-variables remove-unnecessary-calculations-2 reduce-extraction-to-projection",
    ),
    (
        "FOR d IN plain COLLECT WITH COUNT INTO n RETURN n",
        "Singleton EnumerateCollection Return",
        "optimize-count",
    ),
    (
        "FOR d IN plain FILTER d.x == 1 COLLECT WITH COUNT INTO n RETURN n",
        "Singleton EnumerateCollection Collect Return",
        "move-filters-into-enumerate",
    ),
    (
        "FOR d IN c FILTER d.value == 1 COLLECT WITH COUNT INTO n RETURN n",
        "Singleton Index Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2 optimize-count",
    ),
    (
        "FOR d IN plain RETURN DISTINCT d.x",
        "Singleton EnumerateCollection Collect Return",
        "reduce-extraction-to-projection",
    ),
    (
        "RETURN LENGTH(FOR d IN plain RETURN d)",
        "Singleton SubqueryStart EnumerateCollection SubqueryEnd Calculation Return",
        "optimize-subqueries optimize-count remove-unnecessary-calculations-4 splice-subqueries",
    ),
    (
        "RETURN LENGTH(FOR d IN plain FILTER d.x == 1 RETURN d)",
        "Singleton SubqueryStart Calculation EnumerateCollection SubqueryEnd Calculation Return",
        "optimize-subqueries move-filters-into-enumerate splice-subqueries",
    ),
    (
        "RETURN FIRST(FOR d IN plain RETURN d)",
        "Singleton SubqueryStart EnumerateCollection Limit SubqueryEnd Calculation Return",
        "optimize-subqueries splice-subqueries",
    ),
    (
        "RETURN (FOR d IN plain RETURN d)[0]",
        "Singleton SubqueryStart EnumerateCollection Limit SubqueryEnd Calculation Return",
        "optimize-subqueries splice-subqueries",
    ),
    (
        "FOR d IN plain FILTER LENGTH(FOR e IN edges FILTER e._from == d._id RETURN e) > 0 RETURN d",
        "Singleton EnumerateCollection SubqueryStart Calculation HashJoin Limit SubqueryEnd Calculation Filter Return",
        "optimize-subqueries use-indexes remove-filter-covered-by-index use-hash-joins remove-unnecessary-calculations-2 reduce-extraction-to-projection splice-subqueries",
    ),
    (
        "LET a = (FOR d IN plain RETURN d.x) FOR x IN a RETURN x",
        "Singleton EnumerateCollection Return",
        "inline-subqueries reduce-extraction-to-projection",
    ),
    (
        "FOR x IN (FOR d IN c RETURN d) FILTER x.value == 5 RETURN x",
        "Singleton Index Return",
        "inline-subqueries use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR x IN (FOR d IN plain LIMIT 5 RETURN d) FILTER x.y == 1 RETURN x",
        "Singleton EnumerateCollection Limit Calculation Filter Return",
        "inline-subqueries",
    ),
    (
        "FOR i IN 1..3 FOR x IN (FOR d IN plain LIMIT 5 RETURN d) RETURN x",
        "Singleton SubqueryStart EnumerateCollection Limit SubqueryEnd Calculation EnumerateList EnumerateList Return",
        "move-calculations-up splice-subqueries",
    ),
    (
        "FOR d IN plain FILTER d.x IN (FOR e IN edges RETURN e.k) RETURN d",
        "Singleton SubqueryStart EnumerateCollection SubqueryEnd Calculation EnumerateCollection Return",
        "move-calculations-up sort-in-values move-filters-into-enumerate reduce-extraction-to-projection splice-subqueries",
    ),
    (
        "FOR d IN plain LET x = d.flag ? (FOR e IN small RETURN e) : [] RETURN x",
        "Singleton EnumerateCollection SubqueryStart EnumerateCollection SubqueryEnd Calculation Return",
        "reduce-extraction-to-projection splice-subqueries",
    ),
    ("INSERT {a: 1} INTO target", "Singleton Calculation Insert", "remove-data-modification-out-variables"),
    ("INSERT {a: 1} INTO target RETURN NEW", "Singleton Calculation Insert Return", ""),
    (
        "FOR i IN 1..10 INSERT {a: i} INTO target LET n = NEW RETURN n.a",
        "Singleton Calculation EnumerateList Calculation Insert Calculation Return",
        "",
    ),
    (
        "FOR d IN c FILTER d._key == \"x\" REMOVE d IN c",
        "Singleton Index Remove",
        "remove-data-modification-out-variables use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2",
    ),
    (
        "FOR d IN c UPDATE d WITH {x: 1} IN c RETURN [OLD, NEW]",
        "Singleton Calculation EnumerateCollection Update Calculation Return",
        "move-calculations-up",
    ),
    (
        "FOR d IN c REPLACE d IN c",
        "Singleton EnumerateCollection Replace",
        "remove-data-modification-out-variables",
    ),
    (
        "UPSERT {u: 5} INSERT {u: 5} UPDATE {n: OLD.n + 1} IN c RETURN NEW",
        "Singleton SubqueryStart Index Limit SubqueryEnd Calculation Calculation Calculation Upsert Return",
        "use-indexes remove-filter-covered-by-index remove-unnecessary-calculations-2 splice-subqueries",
    ),
    (
        "FOR i IN 1..3 UPSERT {zz: i} INSERT {zz: i} REPLACE {zz: 0} IN c",
        "Singleton Calculation Calculation EnumerateList SubqueryStart EnumerateCollection Limit SubqueryEnd Calculation Calculation Upsert",
        "move-calculations-up remove-data-modification-out-variables move-filters-into-enumerate splice-subqueries",
    ),
    ("FOR v IN 1..3 OUTBOUND \"vertices/1\" edges RETURN v", "Singleton Traversal Return", ""),
    (
        "FOR v, e, p IN 1..3 ANY \"vertices/1\" GRAPH \"g\" RETURN p.vertices[-1]",
        "Singleton Traversal Calculation Return",
        "optimize-traversal-last-element-access optimize-traversals",
    ),
    (
        "FOR v, e, p IN 1..3 OUTBOUND \"vertices/1\" edges FILTER p.edges[0].label == \"x\" RETURN v",
        "Singleton Traversal Calculation Filter Return",
        "optimize-traversals",
    ),
    (
        "FOR v IN OUTBOUND SHORTEST_PATH \"vertices/1\" TO \"vertices/2\" edges RETURN v",
        "Singleton ShortestPath Return",
        "",
    ),
    (
        "FOR p IN OUTBOUND K_SHORTEST_PATHS \"vertices/1\" TO \"vertices/2\" edges LIMIT 3 RETURN p",
        "Singleton EnumeratePaths Limit Return",
        "",
    ),
    (
        "FOR d IN plain SORT d.t WINDOW {preceding: 1, following: 1} AGGREGATE s = SUM(d.v) RETURN s",
        "Singleton EnumerateCollection Sort Window Return",
        "move-calculations-up reduce-extraction-to-projection",
    ),
    (
        "FOR d IN plain WINDOW d.t WITH {preceding: 10} AGGREGATE s = SUM(d.v) RETURN s",
        "Singleton EnumerateCollection Sort Window Return",
        "reduce-extraction-to-projection",
    ),
    (
        "FOR {a, b} IN plain RETURN a + b",
        "Singleton EnumerateCollection Calculation Return",
        "remove-unnecessary-calculations reduce-extraction-to-projection",
    ),
    (
        "LET [x, y] = [1, 2] RETURN x + y",
        "Singleton Calculation Calculation Calculation Calculation Return",
        "",
    ),
    (
        "LET m = (FOR o IN big COLLECT k = o.k WITH COUNT INTO n RETURN {k, n}) FOR d IN plain FOR x IN m FILTER x.k == d.k RETURN [d.a, x.n]",
        "Singleton EnumerateCollection HashJoin Calculation Return",
        "move-calculations-up move-calculations-up-2 use-hash-joins remove-unnecessary-calculations-2 reduce-extraction-to-projection splice-subqueries",
    ),
    (
        "FOR d IN plain FOR x IN [{k: 1}, {k: 2}, {k: 3}, {k: 4}, {k: 5}, {k: 6}, {k: 7}, {k: 8}] FILTER x.k == d.k RETURN [d.a, x.n]",
        "Singleton EnumerateCollection HashJoin Calculation Return",
        "move-calculations-up use-hash-joins remove-unnecessary-calculations-2 reduce-extraction-to-projection",
    ),
];

#[test]
fn queries_become_the_expected_plans() {
    let mut failures = String::new();
    for (query, expected, rules) in CASES {
        let planned = plan(query);
        let found = types(&planned);
        let applied = planned.plan.rules.join(" ");
        if found != *expected || applied != *rules {
            failures.push_str(&format!(
                "{query}\n  expected {expected}\n     found {found}\n  expected {rules}\n     found {applied}\n"
            ));
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(CASES.len() >= 100);
}
