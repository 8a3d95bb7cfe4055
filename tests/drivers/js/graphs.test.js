// Named graphs with ArangoDB's official JavaScript driver.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { aql } from "arangojs";

import { startServer } from "./server.js";

let server;
let db;
let graph;

before(async () => {
  server = await startServer();
  db = await server.system.createDatabase("graphs");
  graph = await db.createGraph("roads", [{ collection: "leads", from: ["town"], to: ["town"] }]);
  for (const key of ["a", "b", "c", "d"]) await graph.vertexCollection("town").save({ _key: key });
  for (const [from, to] of ["ab", "bc", "cd"]) {
    await graph.edgeCollection("leads").save({ _key: from + to, _from: `town/${from}`, _to: `town/${to}` });
  }
});

after(() => server.stop());

async function fails(call, code, errorNum) {
  await assert.rejects(call, (error) => {
    assert.deepEqual([error.code, error.errorNum], [code, errorNum], error.message);
    return true;
  });
}

test("definitions", async () => {
  const description = await graph.get();
  assert.deepEqual(description.edgeDefinitions, [{ collection: "leads", from: ["town"], to: ["town"] }]);
  await fails(db.createGraph("roads", []), 409, 1925);
  assert.equal(await db.graph("nowhere").exists(), false);
  await graph.addVertexCollection("lake");
  assert.deepEqual(await graph.listVertexCollections(), ["lake", "town"]);
  await graph.addEdgeDefinition({ collection: "flows", from: ["lake"], to: ["lake"] });
  assert.deepEqual((await graph.listEdgeCollections()).sort(), ["flows", "leads"]);
  await graph.replaceEdgeDefinition("flows", { collection: "flows", from: ["lake"], to: ["town"] });
  await graph.removeEdgeDefinition("flows", true);
  await graph.removeVertexCollection("lake", true);
  assert.deepEqual(await graph.listVertexCollections(), ["town"]);
});

test("vertices", async () => {
  const towns = graph.vertexCollection("town");
  const saved = await towns.save({ _key: "x", size: 1 }, { returnNew: true });
  assert.deepEqual([saved._id, saved.new.size], ["town/x", 1]);
  await towns.update("x", { name: "X" });
  await fails(towns.replace("x", {}, { rev: saved._rev }), 412, 1200);
  await towns.replace("x", { size: 2 });
  assert.equal((await towns.vertex("x")).name, undefined);
  assert.equal(await towns.vertexExists("nobody"), false);
  assert.equal(await towns.vertex("nobody", { graceful: true }), null);
  await towns.remove("x");
  await fails(towns.remove("x"), 404, 1202);
});

test("edges follow the definition", async () => {
  const leads = graph.edgeCollection("leads");
  await fails(leads.save({ _from: "town/a", _to: "town/nobody" }), 404, 1202);
  await fails(leads.save({ _from: "lake/a", _to: "town/a" }), 404, 1947);
  const edge = await leads.edge("ab");
  assert.deepEqual([edge._from, edge._to], ["town/a", "town/b"]);
  assert.equal((await leads.update("ab", { km: 3 }, { returnNew: true })).new.km, 3);
  const out = await db.collection("leads").outEdges("town/b");
  assert.deepEqual(
    out.edges.map((found) => found._key),
    ["bc"],
  );
  const inbound = await db.collection("leads").inEdges("town/b");
  assert.deepEqual(
    inbound.edges.map((found) => found._key),
    ["ab"],
  );
});

test("traversals and paths", async () => {
  const reached = await db.query(aql`
    FOR v, e, p IN 1..2 OUTBOUND "town/a" GRAPH "roads" RETURN [v._key, e._key, LENGTH(p.edges)]
  `);
  assert.deepEqual(await reached.all(), [
    ["b", "ab", 1],
    ["c", "bc", 2],
  ]);
  const path = await db.query(aql`FOR v IN OUTBOUND SHORTEST_PATH "town/a" TO "town/d" GRAPH "roads" RETURN v._key`);
  assert.deepEqual(await path.all(), ["a", "b", "c", "d"]);
});

test("edges go with their vertex", async () => {
  await graph.vertexCollection("town").save({ _key: "y" });
  await graph.edgeCollection("leads").save({ _key: "ay", _from: "town/a", _to: "town/y" });
  await graph.vertexCollection("town").remove("y");
  assert.equal(await graph.edgeCollection("leads").edgeExists("ay"), false);
});

test("dropping with collections", async () => {
  const other = await db.createGraph("other", [{ collection: "likes", from: ["person"], to: ["town"] }]);
  await other.drop(true);
  const names = (await db.collections()).map((collection) => collection.name);
  assert.deepEqual(names.sort(), ["leads", "town"]);
  assert.deepEqual(
    (await db.graphs()).map((found) => found.name),
    ["roads"],
  );
});
