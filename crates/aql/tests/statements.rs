//! Every statement in every form.

mod common;

use common::{check, check_rejected};

#[test]
fn loops() {
    for (input, expected) in [
        ("FOR d IN c RETURN d", "FOR d IN c RETURN d"),
        ("for d in c return d", "FOR d IN c RETURN d"),
        ("FOR d IN @@c RETURN d", "FOR d IN @@c RETURN d"),
        ("FOR d IN @list RETURN d", "FOR d IN @list RETURN d"),
        ("FOR d IN `my-coll` RETURN d", "FOR d IN `my-coll` RETURN d"),
        ("FOR i IN 1..3 RETURN i", "FOR i IN 1..3 RETURN i"),
        ("FOR i IN [1, 2] RETURN i", "FOR i IN [1, 2] RETURN i"),
        ("FOR i IN (FOR j IN c RETURN j) RETURN i", "FOR i IN (FOR j IN c RETURN j) RETURN i"),
        ("FOR i IN F(x).y RETURN i", "FOR i IN F(x).y RETURN i"),
        ("FOR a IN b FOR c IN a.d RETURN c", "FOR a IN b FOR c IN a.d RETURN c"),
        ("FOR d IN c OPTIONS {indexHint: 'x'} RETURN d", "FOR d IN c OPTIONS {indexHint: \"x\"} RETURN d"),
        ("FOR d IN v SEARCH d.a == 1 RETURN d", "FOR d IN v SEARCH d.a == 1 RETURN d"),
        (
            "FOR d IN v search ANALYZER(d.a == 1, 'x') options {parallelism: 2} RETURN d",
            "FOR d IN v SEARCH ANALYZER(d.a == 1, \"x\") OPTIONS {parallelism: 2} RETURN d",
        ),
        ("FOR d IN @@v SEARCH true RETURN d", "FOR d IN @@v SEARCH true RETURN d"),
        ("FOR [x, y] IN l RETURN x", "FOR [x, y] IN l RETURN x"),
        ("FOR {name} IN l RETURN name", "FOR {name} IN l RETURN name"),
        ("FOR d IN a ANY == b RETURN d", "FOR d IN a ANY == b RETURN d"),
    ] {
        check(input, expected);
    }
    for input in [
        "FOR d IN c",
        "FOR d c RETURN d",
        "FOR IN c RETURN 1",
        "FOR 1 IN c RETURN 1",
        "FOR d IN RETURN d",
        "FOR d, e IN c RETURN d",
        "FOR [d], e IN c RETURN d",
        "FOR d IN 'c' XYZ 1 RETURN d",
        "FOR d IN c OPTIONS [] RETURN d",
        "FOR d IN c OPTIONS @o RETURN d",
        "FOR d IN c OPTIONS {} SEARCH true RETURN d",
        "FOR d IN [1] SEARCH true RETURN d",
        "FOR d IN c OPTIONS RETURN d",
        "FOR [] IN c RETURN 1",
        "FOR {} IN c RETURN 1",
    ] {
        check_rejected(input);
    }
}

#[test]
fn destructuring() {
    for (input, expected) in [
        ("LET [x, y] = [1, 2, 3] RETURN x", "LET [x, y] = [1, 2, 3] RETURN x"),
        ("LET [, y, z] = [1] RETURN y", "LET [, y, z] = [1] RETURN y"),
        ("LET [x, , z] = [1] RETURN z", "LET [x, , z] = [1] RETURN z"),
        ("LET [[a], [b, c]] = [] RETURN a", "LET [[a], [b, c]] = [] RETURN a"),
        ("LET {name, age} = {} RETURN age", "LET {name, age} = {} RETURN age"),
        ("LET {vip: status} = {} RETURN status", "LET {vip: status} = {} RETURN status"),
        ("LET {'a b': c} = {} RETURN c", "LET {`a b`: c} = {} RETURN c"),
        ("LET {n: {first, last}, n} = {} RETURN n", "LET {n: {first, last}, n} = {} RETURN n"),
        ("LET {obj: [x, y]} = {} RETURN x", "LET {obj: [x, y]} = {} RETURN x"),
        ("LET [{a}, b] = [] RETURN a", "LET [{a}, b] = [] RETURN a"),
    ] {
        check(input, expected);
    }
    for input in
        ["LET [] = 1 RETURN 1", "LET {} = 1 RETURN 1", "LET [1] = 1 RETURN 1", "LET {a: 1} = 1 RETURN 1"]
    {
        check_rejected(input);
    }
}

#[test]
fn traversals() {
    for (input, expected) in [
        ("FOR v IN OUTBOUND 'a/b' GRAPH 'g' RETURN v", "FOR v IN OUTBOUND \"a/b\" GRAPH \"g\" RETURN v"),
        ("FOR v IN INBOUND s GRAPH g RETURN v", "FOR v IN INBOUND s GRAPH \"g\" RETURN v"),
        ("FOR v, e IN ANY s GRAPH @g RETURN v", "FOR v, e IN ANY s GRAPH @g RETURN v"),
        ("FOR v, e, p IN 1..3 OUTBOUND s e1 RETURN p", "FOR v, e, p IN 1..3 OUTBOUND s e1 RETURN p"),
        ("FOR v IN 2 ANY s e1, e2 RETURN v", "FOR v IN 2 ANY s e1, e2 RETURN v"),
        (
            "FOR v IN @min..@max OUTBOUND @s e1, INBOUND e2, ANY @@e3, @e4 RETURN v",
            "FOR v IN @min..@max OUTBOUND @s e1, INBOUND e2, ANY @@e3, @e4 RETURN v",
        ),
        ("FOR v IN OUTBOUND s ANY e1 RETURN v", "FOR v IN OUTBOUND s ANY e1 RETURN v"),
        ("FOR v IN OUTBOUND s INBOUND @@e RETURN v", "FOR v IN OUTBOUND s INBOUND @@e RETURN v"),
        ("FOR v IN OUTBOUND s @@e RETURN v", "FOR v IN OUTBOUND s @@e RETURN v"),
        ("FOR v IN OUTBOUND s @@e FILTER v.a RETURN v", "FOR v IN OUTBOUND s @@e FILTER v.a RETURN v"),
        (
            "FOR v, e, p IN 0..5 OUTBOUND d._id GRAPH 'g' PRUNE e.x == 1 OPTIONS {order: 'bfs'} RETURN p",
            "FOR v, e, p IN 0..5 OUTBOUND d._id GRAPH \"g\" PRUNE e.x == 1 OPTIONS {order: \"bfs\"} RETURN p",
        ),
        (
            "FOR v IN OUTBOUND s e PRUNE cond = v.a && v.b FILTER cond RETURN v",
            "FOR v IN OUTBOUND s e PRUNE cond = v.a && v.b FILTER cond RETURN v",
        ),
        ("FOR v IN OUTBOUND s e PRUNE c == 1 RETURN v", "FOR v IN OUTBOUND s e PRUNE c == 1 RETURN v"),
        ("FOR v IN OUTBOUND s e options {} RETURN v", "FOR v IN OUTBOUND s e OPTIONS {} RETURN v"),
        ("FOR v IN OUTBOUND {_id: 'a/b'} e RETURN v", "FOR v IN OUTBOUND {_id: \"a/b\"} e RETURN v"),
        ("FOR v IN OUTBOUND (RETURN 1)[0] e RETURN v", "FOR v IN OUTBOUND (RETURN 1)[0] e RETURN v"),
    ] {
        check(input, expected);
    }
    for input in [
        "FOR v, e, p, x IN OUTBOUND s e RETURN v",
        "FOR [v] IN OUTBOUND s e RETURN v",
        "FOR v IN OUTBOUND s RETURN v",
        "FOR v IN OUTBOUND GRAPH 'g' RETURN v",
        "FOR v IN OUTBOUND s GRAPH RETURN v",
        "FOR v IN OUTBOUND s 'e' RETURN v",
        "FOR v IN OUTBOUND s e PRUNE RETURN v",
        "FOR v IN OUTBOUND s e PRUNE (FOR x IN y RETURN x) RETURN v",
        "FOR v IN OUTBOUND s e PRUNE LENGTH(FOR x IN y RETURN x) > 1 RETURN v",
        "FOR v IN OUTBOUND s e OPTIONS {} PRUNE v.a RETURN v",
        "FOR v IN OUTBOUND s e PRUNE v.a PRUNE v.b RETURN v",
        "FOR v IN OUTBOUND s e FOO v.a RETURN v",
        "FOR v IN OUTBOUND s e OPTIONS 1 RETURN v",
        "FOR v IN OUTBOUND s e OPTIONS x = {} RETURN v",
        "FOR v IN BOTH s e RETURN v",
    ] {
        check_rejected(input);
    }
}

#[test]
fn path_searches() {
    for (input, expected) in [
        (
            "FOR v, e IN OUTBOUND SHORTEST_PATH 'a' TO 'b' GRAPH 'g' RETURN v",
            "FOR v, e IN OUTBOUND SHORTEST_PATH \"a\" TO \"b\" GRAPH \"g\" RETURN v",
        ),
        (
            "FOR v IN ANY shortest_path a to b e1, INBOUND e2 OPTIONS {weightAttribute: 'w'} RETURN v",
            "FOR v IN ANY SHORTEST_PATH a TO b e1, INBOUND e2 OPTIONS {weightAttribute: \"w\"} RETURN v",
        ),
        (
            "FOR p IN INBOUND ALL_SHORTEST_PATHS @a TO @b GRAPH g RETURN p",
            "FOR p IN INBOUND ALL_SHORTEST_PATHS @a TO @b GRAPH \"g\" RETURN p",
        ),
        (
            "FOR p IN OUTBOUND K_SHORTEST_PATHS a TO b @@e LIMIT 3 RETURN p",
            "FOR p IN OUTBOUND K_SHORTEST_PATHS a TO b @@e LIMIT 3 RETURN p",
        ),
        (
            "FOR p IN 1..10 OUTBOUND K_PATHS a TO b e RETURN p",
            "FOR p IN 1..10 OUTBOUND K_PATHS a TO b e RETURN p",
        ),
        ("FOR p IN ANY K_PATHS a TO b e RETURN p", "FOR p IN ANY K_PATHS a TO b e RETURN p"),
        ("FOR p IN ANY K_PATHS a TO b ANY e RETURN p", "FOR p IN ANY K_PATHS a TO b ANY e RETURN p"),
    ] {
        check(input, expected);
    }
    for input in [
        "FOR v, e, p IN ANY SHORTEST_PATH a TO b e RETURN v",
        "FOR v, e IN ANY K_SHORTEST_PATHS a TO b e RETURN v",
        "FOR v, e IN ANY K_PATHS a TO b e RETURN v",
        "FOR v, e IN ANY ALL_SHORTEST_PATHS a TO b e RETURN v",
        "FOR v IN 1..2 ANY SHORTEST_PATH a TO b e RETURN v",
        "FOR v IN 1..2 ANY K_SHORTEST_PATHS a TO b e RETURN v",
        "FOR v IN ANY SHORTEST_PATH a b e RETURN v",
        "FOR v IN ANY SHORTEST_PATH a FROM b e RETURN v",
        "FOR v IN ANY SHORTEST_PATH a TO b RETURN v",
        "FOR v IN SHORTEST_PATH a TO b e RETURN v",
        "FOR v IN ANY SHORTEST_PATH a TO b e PRUNE v.a RETURN v",
    ] {
        check_rejected(input);
    }
}

#[test]
fn plain_statements() {
    for (input, expected) in [
        ("RETURN 1", "RETURN 1"),
        ("return 1", "RETURN 1"),
        ("FILTER true RETURN 1", "FILTER true RETURN 1"),
        ("LET a = 1 RETURN a", "LET a = 1 RETURN a"),
        ("LET a = 1, b = a RETURN b", "LET a = 1 LET b = a RETURN b"),
        ("FOR d IN c SORT d.a RETURN d", "FOR d IN c SORT d.a RETURN d"),
        ("FOR d IN c SORT d.a ASC, d.b DESC, d.c RETURN d", "FOR d IN c SORT d.a, d.b DESC, d.c RETURN d"),
        ("FOR d IN c SORT d.a @dir RETURN d", "FOR d IN c SORT d.a @dir RETURN d"),
        ("FOR d IN c SORT d.a 'desc', d.b \"ASC\" RETURN d", "FOR d IN c SORT d.a DESC, d.b RETURN d"),
        ("FOR d IN c SORT null RETURN d", "FOR d IN c SORT null RETURN d"),
        ("FOR d IN c SORT RAND() LIMIT 1 RETURN d", "FOR d IN c SORT RAND() LIMIT 1 RETURN d"),
        ("FOR d IN c LIMIT 5 RETURN d", "FOR d IN c LIMIT 5 RETURN d"),
        ("FOR d IN c LIMIT 5, 10 RETURN d", "FOR d IN c LIMIT 5, 10 RETURN d"),
        ("FOR d IN c LIMIT 5, null RETURN d", "FOR d IN c LIMIT 5, null RETURN d"),
        ("FOR d IN c LIMIT @o, @n RETURN d", "FOR d IN c LIMIT @o, @n RETURN d"),
        ("FOR d IN c LIMIT 10RETURN d", "FOR d IN c LIMIT 10 RETURN d"),
        ("FOR d IN c RETURN DISTINCT d.a", "FOR d IN c RETURN DISTINCT d.a"),
        ("FOR d IN c LET x = 1 RETURN DISTINCT x", "FOR d IN c LET x = 1 RETURN DISTINCT x"),
        (
            "FOR d IN c RETURN (FOR e IN d.l RETURN DISTINCT e)",
            "FOR d IN c RETURN (FOR e IN d.l RETURN DISTINCT e)",
        ),
        ("WITH a FOR d IN c RETURN d", "WITH a FOR d IN c RETURN d"),
        ("WITH a, b RETURN 1", "WITH a, b RETURN 1"),
        ("WITH a b @@c RETURN 1", "WITH a, b, @@c RETURN 1"),
        ("WITH @a RETURN 1", "WITH @a RETURN 1"),
        ("/* x */ RETURN /* @y */ 1 // z", "RETURN 1"),
        ("// first\nRETURN 1\n", "RETURN 1"),
        ("RETURN (RETURN 1)", "RETURN (RETURN 1)"),
        ("RETURN [(RETURN 1), {a: (RETURN 2)}]", "RETURN [(RETURN 1), {a: (RETURN 2)}]"),
    ] {
        check(input, expected);
    }
    for input in [
        " ",
        "\n\t",
        "/* x */",
        "// x",
        "RETURN",
        "RETURN 1;",
        "RETURN 1 RETURN 2",
        "RETURN 1 FILTER 2",
        "LET a = 1",
        "LET a RETURN 1",
        "LET a == 1 RETURN 1",
        "LET = 1 RETURN 1",
        "LET for = 1 RETURN 1",
        "LET a = 1, RETURN 1",
        "FILTER RETURN 1",
        "FILTER 1",
        "SORT RETURN 1",
        "FOR d IN c SORT d.a 'up' RETURN d",
        "FOR d IN c SORT d.a, RETURN d",
        "FOR d IN c LIMIT RETURN d",
        "FOR d IN c LIMIT 1, 2, 3 RETURN d",
        "RETURN DISTINCT 1",
        "LET a = 1 RETURN DISTINCT a",
        "FOR x IN y RETURN (RETURN DISTINCT x)",
        "RETURN DISTINCT DISTINCT 1",
        "WITH RETURN 1",
        "WITH a,, b RETURN 1",
        "WITH 'a' RETURN 1",
        "FOR d IN c WITH a RETURN d",
        "RETURN (WITH a RETURN 1)",
        "RETURN (LET a = 1)",
        "SELECT 1",
        "1",
        "foo",
        "RETURN 1)",
        "(RETURN 1)",
    ] {
        check_rejected(input);
    }
}

#[test]
fn collect() {
    for clause in [
        "COLLECT WITH COUNT INTO n",
        "COLLECT g = d.a",
        "COLLECT g = d.a, h = d.b",
        "COLLECT g = d.a WITH COUNT INTO n",
        "COLLECT AGGREGATE s = SUM(d.a)",
        "COLLECT AGGREGATE s = SUM(d.a), m = MAX(d.b) INTO r",
        "COLLECT AGGREGATE n = LENGTH()",
        "COLLECT g = d.a AGGREGATE s = SUM(d.b)",
        "COLLECT g = d.a AGGREGATE s = SUM(d.b) INTO r",
        "COLLECT g = d.a AGGREGATE s = SUM(d.b) INTO r = d.c",
        "COLLECT g = d.a INTO r",
        "COLLECT g = d.a INTO r = {x: d.b}",
        "COLLECT g = d.a INTO r KEEP d",
        "COLLECT g = d.a INTO r KEEP d, e",
        "COLLECT g = d.a OPTIONS {method: \"hash\"}",
        "COLLECT g = d.a INTO r KEEP d OPTIONS {method: \"sorted\"}",
        "COLLECT g = d.a INTO r OPTIONS {disableIndex: true}",
        "COLLECT WITH COUNT INTO n OPTIONS {method: \"hash\"}",
        "COLLECT AGGREGATE s = SUM(d.a) OPTIONS {method: \"hash\"}",
        "COLLECT g = d.a AGGREGATE s = my::agg(d.b)",
    ] {
        let query = format!("FOR d IN c {clause} RETURN 1");
        check(&query, &query);
    }
    check("for d in c collect with count into n return n", "FOR d IN c COLLECT WITH COUNT INTO n RETURN n");
    check("for d in c collect g=1 into r keep d return n", "FOR d IN c COLLECT g = 1 INTO r KEEP d RETURN n");
    for clause in [
        "COLLECT",
        "COLLECT d.a",
        "COLLECT g",
        "COLLECT g = ",
        "COLLECT g = 1,",
        "COLLECT WITH COUNT",
        "COLLECT WITH COUNT n",
        "COLLECT WITH LENGTH INTO n",
        "COLLECT WITH COUNT INTO",
        "COLLECT INTO g",
        "COLLECT AGGREGATE",
        "COLLECT AGGREGATE s",
        "COLLECT AGGREGATE s = 1",
        "COLLECT AGGREGATE s = SUM",
        "COLLECT AGGREGATE s = d.a",
        "COLLECT AGGREGATE s = SUM(d.a) + 1",
        "COLLECT AGGREGATE s = SUM(d.a) WITH COUNT INTO n",
        "COLLECT AGGREGATE s = SUM(d.a) INTO r KEEP d",
        "COLLECT g = 1 AGGREGATE s = SUM(d.a) INTO r KEEP d",
        "COLLECT g = 1 KEEP d",
        "COLLECT g = 1 INTO r KEEP",
        "COLLECT g = 1 INTO r KEEP d.a",
        "COLLECT g = 1 INTO r = d KEEP d",
        "COLLECT g = 1 INTO r HOLD d",
        "COLLECT g = 1 INTO r OPTIONS 1",
        "COLLECT g = 1 FOO {}",
        "COLLECT g = 1 WITH COUNT INTO n INTO r",
    ] {
        check_rejected(&format!("FOR d IN c {clause} RETURN 1"));
    }
}

#[test]
fn window() {
    for clause in [
        "WINDOW {preceding: 1, following: 1} AGGREGATE s = SUM(d.a)",
        "WINDOW {preceding: \"unbounded\"} AGGREGATE s = SUM(d.a), m = MIN(d.a)",
        "WINDOW {following: 2} AGGREGATE s = SUM(d.a)",
        "WINDOW d.t WITH {preceding: 10, following: 5} AGGREGATE s = SUM(d.a)",
        "WINDOW DATE_TIMESTAMP(d.t) WITH {preceding: \"PT30M\"} AGGREGATE s = SUM(d.a)",
        "WINDOW {a: 1} WITH {preceding: 10} AGGREGATE s = SUM(d.a)",
        "WINDOW {preceding: @p} AGGREGATE s = SUM(d.a)",
    ] {
        let query = format!("FOR d IN c {clause} RETURN 1");
        check(&query, &query);
    }
    for clause in [
        "WINDOW",
        "WINDOW {} AGGREGATE s = SUM(d.a)",
        "WINDOW {preceding: 1} ",
        "WINDOW {preceding: 1, preceding: 2} AGGREGATE s = SUM(d.a)",
        "WINDOW {foo: 1} AGGREGATE s = SUM(d.a)",
        "WINDOW {preceding: 1, foo: 1} AGGREGATE s = SUM(d.a)",
        "WINDOW {[\"preceding\"]: 1} AGGREGATE s = SUM(d.a)",
        "WINDOW d.t AGGREGATE s = SUM(d.a)",
        "WINDOW d.t WITH 1 AGGREGATE s = SUM(d.a)",
        "WINDOW d.t WITH {} AGGREGATE s = SUM(d.a)",
        "WINDOW {preceding: 1} AGGREGATE s = 1",
        "WINDOW {preceding: 1} AGGREGATE s = SUM(d.a) INTO x",
    ] {
        check_rejected(&format!("FOR d IN c {clause} RETURN 1"));
    }
}

#[test]
fn modifications() {
    for (input, expected) in [
        ("INSERT {a: 1} INTO c", "INSERT {a: 1} INTO c"),
        ("INSERT {a: 1} IN c", "INSERT {a: 1} INTO c"),
        ("INSERT {a: 1} INTO 'c'", "INSERT {a: 1} INTO c"),
        ("INSERT {a: 1} INTO 'c-d' RETURN NEW", "INSERT {a: 1} INTO `c-d` RETURN NEW"),
        ("INSERT @doc INTO @@c", "INSERT @doc INTO @@c"),
        ("INSERT d IN @@c RETURN NEW", "INSERT d INTO @@c RETURN NEW"),
        (
            "INSERT d IN c OPTIONS {overwriteMode: 'ignore'}",
            "INSERT d INTO c OPTIONS {overwriteMode: \"ignore\"}",
        ),
        ("INSERT d IN c OPTIONS {} RETURN NEW._key", "INSERT d INTO c OPTIONS {} RETURN NEW._key"),
        (
            "FOR i IN 1..5 INSERT {value: i} INTO c LIMIT 2 RETURN NEW",
            "FOR i IN 1..5 INSERT {value: i} INTO c LIMIT 2 RETURN NEW",
        ),
        ("INSERT (a IN b) IN c", "INSERT a IN b INTO c"),
        ("INSERT a IN b IN c", "INSERT a IN b INTO c"),
        ("INSERT a ? b : d IN c", "INSERT a ? b : d INTO c"),
        ("INSERT a == b IN c", "INSERT a == b INTO c"),
        ("UPDATE d IN c", "UPDATE d IN c"),
        ("UPDATE d INTO c", "UPDATE d IN c"),
        ("UPDATE 'k' WITH {a: 1} IN c", "UPDATE \"k\" WITH {a: 1} IN c"),
        (
            "UPDATE d WITH {a: 1} IN c OPTIONS {keepNull: false} RETURN OLD",
            "UPDATE d WITH {a: 1} IN c OPTIONS {keepNull: false} RETURN OLD",
        ),
        ("UPDATE {_key: 'k', a: 1} IN @@c RETURN NEW", "UPDATE {_key: \"k\", a: 1} IN @@c RETURN NEW"),
        ("UPDATE a IN b WITH d IN c", "UPDATE a IN b WITH d IN c"),
        ("REPLACE d IN c", "REPLACE d IN c"),
        ("REPLACE 'k' WITH d IN c RETURN [OLD, NEW]", "REPLACE \"k\" WITH d IN c RETURN [OLD, NEW]"),
        ("REMOVE 'k' IN c", "REMOVE \"k\" IN c"),
        ("REMOVE d INTO c", "REMOVE d IN c"),
        (
            "REMOVE d IN c OPTIONS {ignoreErrors: true} RETURN OLD",
            "REMOVE d IN c OPTIONS {ignoreErrors: true} RETURN OLD",
        ),
        ("FOR d IN c FILTER d.a REMOVE d IN c", "FOR d IN c FILTER d.a REMOVE d IN c"),
        ("FOR d IN c REMOVE d IN c LET x = OLD RETURN x", "FOR d IN c REMOVE d IN c LET x = OLD RETURN x"),
        ("REMOVE 'a' IN u REMOVE 'b' IN v", "REMOVE \"a\" IN u REMOVE \"b\" IN v"),
        (
            "LET r = (FOR u IN users REMOVE u IN users) RETURN r",
            "LET r = (FOR u IN users REMOVE u IN users) RETURN r",
        ),
        ("LET r = (INSERT {} IN c RETURN NEW) RETURN r", "LET r = (INSERT {} INTO c RETURN NEW) RETURN r"),
        ("RETURN LENGTH(REMOVE 'k' IN c)", "RETURN LENGTH(REMOVE \"k\" IN c)"),
        (
            "UPSERT {name: 'x'} INSERT {name: 'x', n: 1} UPDATE {n: OLD.n + 1} IN c",
            "UPSERT {name: \"x\"} INSERT {name: \"x\", n: 1} UPDATE {n: OLD.n + 1} IN c",
        ),
        (
            "UPSERT @q INSERT @i REPLACE @r INTO @@c OPTIONS {indexHint: 'x'} RETURN NEW",
            "UPSERT @q INSERT @i REPLACE @r IN @@c OPTIONS {indexHint: \"x\"} RETURN NEW",
        ),
        (
            "UPSERT FILTER CURRENT.a == 1 INSERT {a: 1} UPDATE {} IN c",
            "UPSERT FILTER CURRENT.a == 1 INSERT {a: 1} UPDATE {} IN c",
        ),
        ("UPSERT {} INSERT a IN b UPDATE d IN c", "UPSERT {} INSERT a IN b UPDATE d IN c"),
    ] {
        check(input, expected);
    }
    for input in [
        "INSERT INTO c",
        "INSERT {} c",
        "INSERT {} INTO",
        "INSERT {} INTO (c)",
        "INSERT {} INTO @c",
        "INSERT {} INTO 1",
        "INSERT {} INTO c.d",
        "INSERT {} INTO c OPTIONS",
        "INSERT {} INTO c OPTIONS 1",
        "INSERT {} INTO c FOO {}",
        "INSERT {} INTO c LET x = 1",
        "UPDATE c",
        "UPDATE 'k' WITH IN c",
        "UPDATE 'k' WITH {} ",
        "UPDATE WITH {} IN c",
        "REMOVE 'k'",
        "REMOVE IN c",
        "REMOVE 'k' WITH {} IN c",
        "UPSERT 1 INSERT {} UPDATE {} IN c",
        "UPSERT d INSERT {} UPDATE {} IN c",
        "UPSERT {} UPDATE {} IN c",
        "UPSERT {} INSERT {} IN c",
        "UPSERT {} INSERT {} UPDATE {}",
        "UPSERT FILTER INSERT {} UPDATE {} IN c",
        "UPSERT [] INSERT {} UPDATE {} IN c",
    ] {
        check_rejected(input);
    }
}

#[test]
fn what_a_query_uses() {
    let parsed = persea_aql::parse(
        "WITH w FOR d IN @@c FILTER d.@attr == @x OR @x FOR v IN OUTBOUND d e1, @@e2 SORT v @dir \
         UPDATE d WITH {@k: 1} IN u RETURN @y",
    )
    .unwrap();
    assert_eq!(parsed.bind_parameters, ["@c", "attr", "x", "@e2", "dir", "k", "y"]);
    assert_eq!(parsed.collections, ["w", "e1", "u"]);
    assert!(parsed.is_modification);
    assert!(!persea_aql::parse("RETURN 1").unwrap().is_modification);
}

#[test]
fn places() {
    let parsed = persea_aql::parse("LET a = 1\n  RETURN a + b").unwrap();
    let last = &parsed.root.body.statements[1];
    assert_eq!((last.position.line, last.position.column, last.position.offset), (2, 3, 12));
}
