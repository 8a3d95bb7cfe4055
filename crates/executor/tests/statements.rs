//! Statements: loops, filters, sorting, limits, grouping, windows, subqueries.
#![allow(missing_docs)]

mod support;

use support::TestDatabase;

#[test]
fn loops() {
    let db = TestDatabase::new();
    db.check("FOR a IN [1, 2] FOR b IN [3, 4] RETURN [a, b]", "[[1,3],[1,4],[2,3],[2,4]]");
    db.check("RETURN (RETURN 1)", "[[1]]");
    db.check("RETURN FIRST(RETURN 1)", "[1]");
    db.check("FOR e IN (RETURN 1..3) RETURN e", "[[1,2,3]]");
    db.check("FOR x IN [[1, 2], [], [3]] FOR y IN x RETURN y", "[1,2,3]");
    db.check(
        "FOR x IN [{}, [0], \"a\", \"A\", 1, true, false, null] SORT x RETURN x",
        "[null,false,true,1,\"A\",\"a\",[0],{}]",
    );
    db.check("FOR x IN 1..3 SORT x DESC RETURN x", "[3,2,1]");
    db.check("FOR x IN 1..10 FILTER x % 2 == 0 FILTER x > 4 RETURN x", "[6,8,10]");
    db.check("FOR x IN 1..10 LIMIT 2, 3 RETURN x", "[3,4,5]");
    db.check("FOR x IN 1..3 LIMIT 0 RETURN x", "[]");
    db.check("FOR x IN 1..10 SORT x DESC LIMIT 1, 2 RETURN x", "[9,8]");
    db.check("FOR x IN 1..3 FILTER 1 == 2 RETURN x", "[]");
    db.check("FOR x IN 1..3 LET y = x * 2 RETURN {x, y}", r#"[{"x":1,"y":2},{"x":2,"y":4},{"x":3,"y":6}]"#);
    db.check_error("FOR x IN NOOPT(null) RETURN x", 1563);
    db.check_error("FOR x IN NOOPT(5) RETURN x", 1563);
}

#[test]
fn destructuring() {
    let db = TestDatabase::new();
    db.check("LET [x, y] = [1, 2, 3] RETURN [x, y]", "[[1,2]]");
    db.check("LET [, y, z] = [1, 2, 3] RETURN [y, z]", "[[2,3]]");
    db.check(
        "FOR [x, y] IN [[\"foo\", 1], [\"bar\", 2]] RETURN {x, y}",
        r#"[{"x":"foo","y":1},{"x":"bar","y":2}]"#,
    );
    db.check("FOR {name} IN [1, {name: \"a\"}] RETURN name", "[null,\"a\"]");
}

#[test]
fn distinct() {
    let db = TestDatabase::new();
    db.check(
        "FOR v IN [\"foo\", \"bar\", \"bar\", \"baz\", \"foo\"] RETURN DISTINCT v",
        "[\"foo\",\"bar\",\"baz\"]",
    );
    db.check("FOR w IN 1..2 RETURN DISTINCT (FOR i IN [1, 2, 3, 4, 1, 3] RETURN i)", "[[1,2,3,4,1,3]]");
    db.check(
        "FOR w IN 1..2 LET s = (FOR i IN [1, 2, 3, 4, 1, 3] RETURN DISTINCT i) RETURN s",
        "[[1,2,3,4],[1,2,3,4]]",
    );
}

#[test]
fn collect() {
    let db = TestDatabase::new();
    db.check(
        "FOR d IN [{a: 1}, {}, {a: null}, {a: \"1\"}, {a: 1.0}] COLLECT a = d.a WITH COUNT INTO c RETURN [a, c]",
        "[[null,2],[1,2],[\"1\",1]]",
    );
    db.check("FOR i IN [] COLLECT WITH COUNT INTO c RETURN c", "[0]");
    db.check(
        "FOR i IN [] COLLECT AGGREGATE n = LENGTH(i), s = SUM(i), a = AVG(i), m = MIN(i), x = MAX(i), u = UNIQUE(i) \
         RETURN {n, s, a, m, x, u}",
        r#"[{"n":0,"s":null,"a":null,"m":null,"x":null,"u":[]}]"#,
    );
    db.check(
        "FOR i IN [null, null] COLLECT AGGREGATE s = SUM(i), a = AVG(i), m = MIN(i), n = COUNT(i) RETURN [s, a, m, n]",
        "[[0,null,null,2]]",
    );
    db.check(
        "FOR i IN [1, \"a\"] COLLECT AGGREGATE s = SUM(i), a = AVG(i), x = MAX(i) RETURN [s, a, x]",
        "[[null,null,\"a\"]]",
    );
    db.check("FOR i IN [] COLLECT g = i WITH COUNT INTO c RETURN c", "[]");
    db.check(
        "FOR i IN [3, 1, 2, 1] COLLECT v = i INTO g RETURN [v, g]",
        r#"[[1,[{"i":1},{"i":1}]],[2,[{"i":2}]],[3,[{"i":3}]]]"#,
    );
    db.check("FOR i IN [1, 2] LET n = i * 2 COLLECT g = 1 INTO r KEEP n RETURN r", r#"[[{"n":2},{"n":4}]]"#);
    db.check("FOR i IN 1..3 COLLECT g = i % 2 INTO r = i RETURN [g, r]", "[[0,[2]],[1,[1,3]]]");
    db.check(
        "FOR i IN 1..5 COLLECT g = i % 2 AGGREGATE s = SUM(i), m = MAX(i) RETURN [g, s, m]",
        "[[0,6,4],[1,9,5]]",
    );
    db.check(
        "FOR i IN 1..4 COLLECT a = i % 2, b = i > 2 WITH COUNT INTO n RETURN [a, b, n]",
        "[[0,false,1],[0,true,1],[1,false,1],[1,true,1]]",
    );
    db.check("FOR i IN 1..3000 COLLECT g = i % 1500 WITH COUNT INTO n COLLECT m = n WITH COUNT INTO k RETURN [m, k]", "[[2,1500]]");
    db.check(
        "FOR i IN 1..3000 COLLECT g = FLOOR(i / 2) OPTIONS {method: 'sorted'} COLLECT WITH COUNT INTO k RETURN k",
        "[1501]",
    );
    db.check("LET c = 7 FOR i IN 1..2 COLLECT WITH COUNT INTO n RETURN [c, n]", "[[7,2]]");
    db.check("LET c = NOOPT(7) FOR i IN [] COLLECT WITH COUNT INTO n RETURN n", "[0]");
}

#[test]
fn sorting() {
    let db = TestDatabase::new();
    db.check("FOR i IN 1..5000 SORT i % 7 DESC, i LIMIT 3 RETURN i", "[6,13,20]");
    db.check("FOR i IN 1..5000 SORT -i LIMIT 2500, 2 RETURN i", "[2500,2499]");
    db.check(
        "FOR i IN 1..5000 SORT CONCAT('x', 5000 - i) LIMIT 2 RETURN CONCAT('y', i)",
        "[\"y5000\",\"y4999\"]",
    );
    db.check("FOR s IN ['b', 'B', 'a', 'A'] SORT s RETURN s", "[\"A\",\"a\",\"B\",\"b\"]");
    db.check("FOR d IN [{a: 1, b: 2}, {a: 1, b: 1}, {a: 0, b: 9}] SORT d.a DESC, d.b RETURN d.b", "[1,2,9]");
}

#[test]
fn subqueries() {
    let db = TestDatabase::new();
    db.check("FOR i IN 1..3 LET inner = (FOR j IN 1..i RETURN j * i) RETURN inner", "[[1],[2,4],[3,6,9]]");
    db.check(
        "FOR i IN 1..3 LET inner = (FOR j IN 1..5 FILTER j > i SORT j DESC LIMIT 2 RETURN j) RETURN inner",
        "[[5,4],[5,4],[5,4]]",
    );
    db.check("FOR i IN 1..3 LET n = LENGTH(FOR j IN 1..i FILTER j != 2 RETURN j) RETURN n", "[1,1,2]");
    db.check(
        "FOR i IN 1..2 LET a = (FOR j IN 1..2 LET b = (FOR k IN 1..2 RETURN [i, j, k]) RETURN b) RETURN a",
        "[[[[1,1,1],[1,1,2]],[[1,2,1],[1,2,2]]],[[[2,1,1],[2,1,2]],[[2,2,1],[2,2,2]]]]",
    );
    db.check("FOR i IN 1..3 RETURN (FOR j IN [] RETURN j)", "[[],[],[]]");
    db.check(
        "FOR i IN 1..3 LET s = (FOR j IN 1..i COLLECT AGGREGATE n = SUM(j) RETURN n) RETURN s[0]",
        "[1,3,6]",
    );
    db.check("FOR i IN 0..2 RETURN i == 1 ? (FOR j IN 1..2 RETURN j) : 'no'", "[\"no\",[1,2],\"no\"]");
    db.check("LET s = (FOR j IN 1..3 RETURN j) FOR i IN 1..2 RETURN s[i]", "[2,3]");
    db.check(
        "FOR i IN 1..1500 LET s = (FOR j IN 1..2 RETURN i) FILTER s[1] == 1400 RETURN s",
        "[[1400,1400]]",
    );
    db.check("FOR i IN 1..3 FOR j IN (FOR k IN 1..i RETURN k) RETURN j", "[1,1,2,1,2,3]");
}

#[test]
fn windows() {
    let db = TestDatabase::new();
    let observations = r#"[
        ["07:00", "st113", 10], ["07:00", "xh458", 0], ["07:15", "st113", 9], ["07:15", "xh458", 10],
        ["07:30", "st113", 25], ["07:30", "xh458", 5], ["07:45", "st113", 20], ["07:45", "xh458", 30],
        ["08:00", "xh458", 25]]"#;
    db.check(
        &format!(
            "FOR t IN {observations} WINDOW {{preceding: 1, following: 1}} AGGREGATE s = SUM(t[2]) RETURN s"
        ),
        "[10,19,19,44,40,50,55,75,55]",
    );
    db.check(
        &format!("FOR t IN {observations} WINDOW {{preceding: 'unbounded', following: 0}} AGGREGATE s = SUM(t[2]) RETURN s"),
        "[10,10,19,29,54,59,79,109,134]",
    );
    db.check(
        &format!("FOR t IN {observations} WINDOW t[2] WITH {{preceding: 10, following: 5}} AGGREGATE s = SUM(t[2]) RETURN s"),
        "[5,34,34,34,34,90,100,100,100]",
    );
    db.check(
        &format!(
            "FOR t IN {observations} WINDOW DATE_TIMESTAMP(CONCAT('2021-05-25T', t[0], 'Z')) WITH {{preceding: 'PT30M'}} \
             AGGREGATE s = SUM(t[2]) RETURN s"
        ),
        "[10,10,29,29,59,59,99,99,105]",
    );
}

#[test]
fn full_count_and_limits() {
    use persea_executor::{Cursor, ExecuteOptions, QueryContext};
    use persea_planner::PlanOptions;
    let db = TestDatabase::new();
    let options = PlanOptions { full_count: true, ..PlanOptions::default() };
    let answer = db
        .run_with(
            "FOR i IN 1..50 FILTER i > 10 LIMIT 3 RETURN i",
            "{}",
            &options,
            ExecuteOptions::default(),
            1,
        )
        .unwrap();
    assert_eq!(answer.rows, "[11,12,13]");
    assert_eq!(answer.stats.full_count, Some(40));

    let (plan, _) = db.plan("FOR i IN 1..1000000 SORT i RETURN i", "{}", &PlanOptions::default());
    let mut context = QueryContext::read(db.database.clone()).unwrap();
    context.limits.memory_bytes = 100_000;
    let mut cursor = Cursor::new(plan.clone(), context).unwrap();
    assert_eq!(cursor.run(&mut |_| Ok(())).unwrap_err().code(), 32);

    let context = QueryContext::read(db.database.clone()).unwrap();
    context.limits.kill_flag.store(true, std::sync::atomic::Ordering::Relaxed);
    let mut cursor = Cursor::new(plan.clone(), context).unwrap();
    assert_eq!(cursor.run(&mut |_| Ok(())).unwrap_err().code(), 1500);

    let mut context = QueryContext::read(db.database.clone()).unwrap();
    context.limits.max_runtime = Some(std::time::Duration::ZERO);
    let mut cursor = Cursor::new(plan, context).unwrap();
    assert_eq!(cursor.run(&mut |_| Ok(())).unwrap_err().code(), 1500);
}

#[test]
fn a_cursor_moves_between_threads() {
    use persea_executor::{Cursor, QueryContext};
    use persea_planner::PlanOptions;
    let db = TestDatabase::new();
    let (plan, _) = db.plan("FOR i IN 1..10 RETURN CONCAT('n', i)", "{}", &PlanOptions::default());
    let mut cursor = Cursor::new(plan, QueryContext::read(db.database.clone()).unwrap()).unwrap();
    let mut first = Vec::new();
    assert!(
        cursor
            .next_rows(2, &mut |value| {
                first.push(value.as_str().unwrap_or_default().to_owned());
                Ok(())
            })
            .unwrap()
    );
    let rest = std::thread::spawn(move || {
        let mut rest = Vec::new();
        cursor
            .run(&mut |value| {
                rest.push(value.as_str().unwrap_or_default().to_owned());
                Ok(())
            })
            .unwrap();
        (rest, cursor.finish())
    });
    let (rest, _) = rest.join().unwrap();
    assert_eq!(first, ["n1", "n2"]);
    assert_eq!(rest.len(), 8);
}

#[test]
fn profiles_have_figures_for_each_node() {
    use persea_executor::ExecuteOptions;
    use persea_planner::PlanOptions;
    let db = TestDatabase::new();
    let options = ExecuteOptions { profile: true, ..ExecuteOptions::default() };
    let answer = db
        .run_with("FOR i IN 1..100 FILTER i % 2 == 0 RETURN i", "{}", &PlanOptions::default(), options, 1000)
        .unwrap();
    assert_eq!(answer.stats.nodes.len(), answer.plan.root.nodes.len());
    let filtered: u64 = answer.stats.nodes.iter().map(|node| node.filtered).sum();
    assert_eq!(filtered, 50);
    assert_eq!(answer.stats.nodes.last().map(|node| node.items), Some(50));
}
