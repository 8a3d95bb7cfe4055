// What an application does with ArangoDB's official JavaScript driver.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { aql } from "arangojs";

import { startServer } from "./server.js";

let server;
let db;
let people;

before(async () => {
  server = await startServer();
  db = await server.system.createDatabase("application");
});

after(async () => {
  await server.system.dropDatabase("application");
  await server.stop();
});

beforeEach(async () => {
  people = await db.createCollection("people");
});

afterEach(async () => {
  await people.drop();
});

/** Checks that a call fails with this HTTP status and error number. */
async function fails(call, code, errorNum) {
  await assert.rejects(call, (error) => {
    assert.deepEqual([error.code, error.errorNum], [code, errorNum], error.message);
    return true;
  });
}

test("connecting", async () => {
  const version = await db.version();
  assert.equal(version.server, "arango");
  assert.match(version.version, /^3\.12\./);
  assert.equal((await db.get()).name, "application");
  assert.equal(await db.exists(), true);
  assert.ok((await server.system.databases()).some((other) => other.name === "application"));
  assert.equal(await server.system.database("nowhere").exists(), false);
  await fails(server.system.database("nowhere").version(), 404, 1228);
  await fails(server.system.createDatabase("application"), 409, 1207);
  assert.equal((await db.engine()).name, "rocksdb");
});

test("collections", async () => {
  await fails(db.createCollection("people"), 409, 1207);
  await fails(db.createCollection("no/name"), 400, 1208);
  assert.equal(await db.collection("nowhere").exists(), false);
  const things = await db.createCollection("things", {
    waitForSync: true,
    keyOptions: { type: "autoincrement", offset: 10, increment: 5 },
  });
  const properties = await things.properties();
  assert.equal(properties.waitForSync, true);
  assert.equal(properties.keyOptions.increment, 5);
  assert.equal((await things.save({}))._key, "10");
  assert.equal((await things.save({}))._key, "15");
  assert.equal((await things.count()).count, 2);
  assert.notEqual((await things.revision()).revision, "0");
  assert.equal((await things.properties({ waitForSync: false })).waitForSync, false);
  const renamed = await things.rename("stuff");
  assert.equal(renamed.name, "stuff");
  assert.equal((await db.collection("stuff").document("10"))._id, "stuff/10");
  await db.collection("stuff").truncate();
  assert.equal((await db.collection("stuff").count()).count, 0);
  const names = (await db.collections()).map((collection) => collection.name);
  assert.deepEqual(names.sort(), ["people", "stuff"]);
  await db.collection("stuff").drop();
});

test("documents", async () => {
  const saved = await people.save({ _key: "ann", name: "Ann", at: { city: "Köln" } }, { returnNew: true });
  assert.equal(saved.new.name, "Ann");
  await fails(people.save({ _key: "ann" }), 409, 1210);
  await fails(people.save({ _key: "not a key" }), 400, 1221);
  const updated = await people.update("ann", { at: { zip: 50667 } }, { returnNew: true, returnOld: true });
  assert.deepEqual(updated.new.at, { city: "Köln", zip: 50667 });
  assert.deepEqual(updated.old.at, { city: "Köln" });
  assert.equal(updated._oldRev, saved._rev);
  await fails(people.replace("ann", { name: "Other" }, { ifMatch: saved._rev }), 412, 1200);
  await people.replace("ann", { name: "Anna" }, { ifMatch: updated._rev });
  assert.equal((await people.document("ann")).at, undefined);
  assert.equal(await people.documentExists("ann"), true);
  assert.equal(await people.documentExists("nobody"), false);
  assert.equal(await people.document("nobody", { graceful: true }), null);
  await fails(people.document("nobody"), 404, 1202);
  await fails(people.update("nobody", {}), 404, 1202);
  const again = await people.save({ _key: "ann", age: 7 }, { overwriteMode: "update", returnNew: true });
  assert.deepEqual([again.new.name, again.new.age], ["Anna", 7]);
  const removed = await people.remove("ann", { returnOld: true });
  assert.equal(removed.old.name, "Anna");
  await fails(people.remove("ann"), 404, 1202);
});

test("many documents with one bad item", async () => {
  const results = await people.saveAll([{ _key: "a", n: 1 }, { _key: "a" }, { _key: "b" }, { _key: "bad key" }]);
  assert.deepEqual(
    results.map((result) => result.errorNum),
    [undefined, 1210, undefined, 1221],
  );
  assert.equal((await people.count()).count, 2);
  const updated = await people.updateAll([{ _key: "a", m: 2 }, { _key: "nobody" }], { returnNew: true });
  assert.deepEqual([updated[0].new.n, updated[0].new.m, updated[1].errorNum], [1, 2, 1202]);
  const read = await people.documents(["b", "nobody", "a"]);
  assert.deepEqual([read[0]._key, read[1].errorNum, read[2].m], ["b", 1202, 2]);
  await people.replaceAll([{ _key: "a", only: true }]);
  assert.equal((await people.document("a")).n, undefined);
  const removed = await people.removeAll(["a", "nobody", "b"]);
  assert.deepEqual(
    removed.map((result) => result.errorNum),
    [undefined, 1202, undefined],
  );
});

test("import", async () => {
  await people.save({ _key: "k1", old: true });
  const list = Array.from({ length: 100 }, (_, n) => ({ _key: `k${n}`, n }));
  const report = await people.import(list, { details: true });
  assert.deepEqual([report.created, report.errors, report.details.length], [99, 1, 1]);
  const rows = [
    ["_key", "n"],
    ["r1", 1],
    ["r2", 2],
  ];
  assert.equal((await people.import(rows)).created, 2);
  const lines = '{"_key":"k1","new":true}\n{"_key":"l1"}\n';
  const updated = await people.import(lines, { type: "documents", onDuplicate: "update" });
  assert.deepEqual([updated.created, updated.updated], [1, 1]);
  const merged = await people.document("k1");
  assert.deepEqual([merged.old, merged.new], [true, true]);
  await fails(people.import([{ _key: "fresh" }, { _key: "k1" }], { complete: true }), 409, 1210);
  assert.equal(await people.documentExists("fresh"), false);
});

test("import in every form", async () => {
  const three = { error: false, created: 3, errors: 0, empty: 0, updated: 0, ignored: 0 };
  const values = ["banana", "peach", "apricot"];
  const objects = (prefix) => values.map((data, n) => ({ _key: `${prefix}${n}`, data }));
  const rows = (prefix) => [["_key", "data"], ...values.map((data, n) => [`${prefix}${n}`, data])];
  const lines = (values) => values.map((value) => `${JSON.stringify(value)}\r\n`).join("");
  const forms = [
    [rows("a"), {}],
    [objects("b"), {}],
    [lines(rows("c")), {}],
    [Buffer.from(lines(rows("d"))), {}],
    [lines(objects("e")), { type: "auto" }],
    [Buffer.from(lines(objects("f"))), { type: "documents" }],
    [JSON.stringify(objects("g")), { type: "auto" }],
    [Buffer.from(JSON.stringify(objects("h"))), { type: "list" }],
  ];
  for (const [data, options] of forms) assert.deepEqual(await people.import(data, options), three);
  // With overwriting all that was there goes, or nothing.
  const { count } = await people.count();
  const twice = [{ _key: "x" }, { _key: "x" }];
  await fails(people.import(twice, { complete: true, overwrite: true }), 409, 1210);
  assert.equal((await people.count()).count, count);
  assert.equal((await people.import(twice, { overwrite: true })).errors, 1);
  assert.equal((await people.count()).count, 1);
});

test("indexes", async () => {
  const byAge = await people.ensureIndex({ type: "persistent", fields: ["age"], name: "byAge" });
  assert.equal(byAge.isNewlyCreated, true);
  assert.equal((await people.ensureIndex({ type: "persistent", fields: ["age"] })).isNewlyCreated, false);
  const unique = await people.ensureIndex({ type: "persistent", fields: ["email"], unique: true, sparse: true });
  await people.save({ email: "a@example.org" });
  await fails(people.save({ email: "a@example.org" }), 409, 1210);
  assert.equal((await people.index("byAge")).id, byAge.id);
  assert.deepEqual(
    (await people.indexes()).map((index) => index.type),
    ["primary", "persistent", "persistent"],
  );
  await people.dropIndex(unique);
  await people.save({ email: "a@example.org" });
  await fails(people.index(unique.id), 404, 1212);
});

test("queries with bind variables and batches", async () => {
  await people.saveAll(Array.from({ length: 250 }, (_, n) => ({ _key: String(n), n })));
  const low = 50;
  const cursor = await db.query(aql`FOR p IN ${people} FILTER p.n >= ${low} SORT p.n RETURN p.n`, {
    count: true,
    batchSize: 40,
  });
  assert.equal(cursor.count, 200);
  assert.equal(cursor.batches.hasMore, true);
  assert.deepEqual(
    await cursor.all(),
    Array.from({ length: 200 }, (_, n) => n + low),
  );
  assert.equal(cursor.extra.stats.scannedFull, 250);
  const limited = await db.query(aql`FOR p IN people SORT p.n LIMIT 5, 10 RETURN p.n`, { fullCount: true });
  assert.equal(limited.extra.stats.fullCount, 250);
  const killed = await db.query(aql`FOR p IN people RETURN p`, { batchSize: 10 });
  await killed.kill();
  const retried = await db.query(aql`FOR p IN people SORT p.n RETURN p.n`, { batchSize: 200, allowRetry: true });
  assert.equal((await retried.all()).length, 250);
  const streamed = await db.query(aql`FOR p IN people RETURN p`, { batchSize: 100, stream: true });
  let rows = 0;
  for await (const batch of streamed.batches) rows += batch.length;
  assert.equal(rows, 250);
  const warned = await db.query("RETURN 1 / 0");
  assert.deepEqual([await warned.all(), warned.extra.warnings[0].code], [[null], 1562]);
});

test("queries that write", async () => {
  await db.query(aql`FOR n IN 1..10 INSERT { _key: TO_STRING(n), n } INTO ${people}`);
  const updated = await db.query(
    aql`FOR p IN ${people} FILTER p.n > 8 UPDATE p WITH { big: true } IN ${people} RETURN NEW.big`,
  );
  assert.deepEqual(await updated.all(), [true, true]);
  assert.equal(updated.extra.stats.writesExecuted, 2);
  await fails(db.query(aql`FOR n IN 10..11 INSERT { _key: TO_STRING(n) } INTO ${people}`), 409, 1210);
  assert.equal((await people.count()).count, 10);
});

test("explaining and parsing", async () => {
  await people.ensureIndex({ type: "persistent", fields: ["n"] });
  const { plan, cacheable, warnings } = await db.explain(aql`FOR p IN ${people} FILTER p.n == ${1} RETURN p`);
  assert.ok(plan.rules.includes("use-indexes"));
  assert.ok(plan.nodes.some((node) => node.type === "IndexNode"));
  assert.deepEqual([typeof cacheable, warnings], ["boolean", []]);
  const parsed = await db.parse("FOR p IN people FILTER p.n == @n RETURN p");
  assert.deepEqual([parsed.collections, parsed.bindVars], [["people"], ["n"]]);
  assert.ok((await db.queryRules()).some((rule) => rule.name === "use-indexes"));
});

for (const [query, bindVars, code, errorNum] of [
  ["FOR", {}, 400, 1501],
  ["", {}, 400, 1502],
  ["FOR d IN nowhere RETURN d", {}, 404, 1203],
  ["RETURN @missing", {}, 400, 1551],
  ["RETURN 1", { unused: 1 }, 400, 1552],
  ["RETURN NOPE()", {}, 400, 1540],
  ["RETURN FAIL('on purpose')", {}, 400, 1569],
]) {
  test(`the error of ${JSON.stringify(query)}`, () => fails(db.query(query, bindVars), code, errorNum));
}

test("running and slow queries", async () => {
  const tracking = await db.queryTracking({ slowQueryThreshold: 0.05 });
  assert.equal(tracking.slowQueryThreshold, 0.05);
  const sleeping = fails(db.query("RETURN SLEEP(60)"), 410, 1500);
  let running = [];
  while (running.length === 0) running = await db.listRunningQueries();
  assert.deepEqual([running[0].query, running[0].bindVars], ["RETURN SLEEP(60)", {}]);
  await db.killQuery(running[0].id);
  await sleeping;
  await db.clearSlowQueries();
  await db.query("RETURN SLEEP(0.06)");
  assert.deepEqual(
    (await db.listSlowQueries()).map((query) => query.exitCode),
    [0],
  );
});
