// Stream transactions with ArangoDB's official JavaScript driver.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";

import { aql } from "arangojs";

import { startServer } from "./server.js";

let server;
let db;
let people;
let pets;

before(async () => {
  server = await startServer();
  db = await server.system.createDatabase("transactions");
  people = await db.createCollection("people");
  pets = await db.createCollection("pets");
});

beforeEach(() => Promise.all([people.truncate(), pets.truncate()]));

after(() => server.stop());

async function fails(call, code, errorNum) {
  await assert.rejects(call, (error) => {
    assert.deepEqual([error.code, error.errorNum], [code, errorNum], error.message);
    return true;
  });
}

async function count(collection) {
  return (await collection.count()).count;
}

test("commit", async () => {
  const transaction = await db.beginTransaction({ write: [people], read: pets });
  assert.equal(await transaction.exists(), true);
  assert.deepEqual(await transaction.get(), { id: transaction.id, status: "running" });
  const saved = await transaction.step(() => people.save({ _key: "ann", age: 31 }, { returnNew: true }));
  assert.equal(saved.new.age, 31);
  const items = await transaction.step(() => people.saveAll([{ _key: "bob" }, { _key: "ann" }]));
  assert.deepEqual([items[0]._key, items[1].errorNum], ["bob", 1210]);
  await transaction.step(() => people.update("ann", { age: 32 }));
  const rows = await transaction.step(() => db.query(aql`FOR p IN ${people} SORT p._key RETURN p`, {}, { batchSize: 1 }));
  assert.equal((await transaction.step(() => rows.next())).age, 32);
  assert.equal((await transaction.step(() => rows.next()))._key, "bob");
  assert.equal((await transaction.step(() => people.count())).count, 2);
  assert.equal(await count(people), 0);
  assert.equal(await people.documentExists("ann"), false);
  assert.equal((await transaction.commit()).status, "committed");
  assert.equal((await people.document("ann")).age, 32);
  assert.equal((await transaction.get()).status, "committed");
  await fails(transaction.abort(), 400, 1653);
});

test("abort", async () => {
  await people.save({ _key: "ann" });
  const transaction = await db.beginTransaction(people);
  await transaction.step(() => people.remove("ann"));
  await transaction.step(() => db.query(aql`FOR n IN 1..10 INSERT { n } INTO ${people}`));
  await transaction.step(() => people.import([{ n: 11 }, { n: 12 }]));
  assert.equal((await transaction.step(() => people.count())).count, 12);
  await transaction.step(() => people.truncate());
  assert.equal((await transaction.step(() => people.count())).count, 0);
  assert.equal((await transaction.abort()).status, "aborted");
  assert.equal(await count(people), 1);
  await fails(transaction.commit(), 400, 1653);
});

test("a transaction around a function", async () => {
  await db.withTransaction([people, pets], async (step) => {
    await step(() => people.save({ _key: "ann" }));
    await step(() => pets.save({ _key: "rex", owner: "ann" }));
  });
  assert.deepEqual([await count(people), await count(pets)], [1, 1]);
  await assert.rejects(
    db.withTransaction([people, pets], async (step) => {
      await step(() => people.save({ _key: "bob" }));
      throw new Error("changed my mind");
    }),
    /changed my mind/,
  );
  assert.equal(await count(people), 1);
});

test("list", async () => {
  // The driver asks the system database for the list, whatever database it is connected to.
  const transaction = await server.system.beginTransaction({ read: "_graphs" });
  assert.deepEqual(await db.listTransactions(), [{ id: transaction.id, state: "running" }]);
  assert.deepEqual((await db.transactions()).map(({ id }) => id), [transaction.id]);
  await transaction.abort();
  assert.deepEqual(await db.listTransactions(), []);
});

test("errors", async () => {
  await fails(db.beginTransaction("nowhere"), 404, 1203);
  await fails(db.transaction("987654321").get(), 404, 1655);
  assert.equal(await db.transaction("illegal").exists(), false);
  const strict = await db.beginTransaction({ write: people }, { allowImplicit: false });
  await fails(strict.step(() => pets.document("rex")), 400, 1652);
  await fails(strict.step(() => db.query(aql`FOR p IN ${pets} RETURN p`)), 400, 1652);
  await strict.abort();
  const reading = await db.beginTransaction({ read: people });
  await fails(reading.step(() => people.save({})), 400, 1652);
  await reading.abort();
});

test("conflicts", async () => {
  await people.save({ _key: "ann", age: 1 });
  const [first, second] = [await db.beginTransaction(people), await db.beginTransaction(people)];
  await first.step(() => people.update("ann", { age: 2 }));
  await fails(second.step(() => people.update("ann", { age: 3 })), 409, 1200);
  await first.commit();
  await second.abort();
  assert.equal((await people.document("ann")).age, 2);
});

test("exclusive", async () => {
  const holder = await db.beginTransaction({ exclusive: people });
  await holder.step(() => people.save({ _key: "ann" }));
  await fails(db.beginTransaction({ write: people }, { lockTimeout: 0.1 }), 500, 18);
  await fails(db.beginTransaction({ exclusive: [people] }, { lockTimeout: 0.1 }), 500, 18);
  const reader = await db.beginTransaction({ read: people }, { lockTimeout: 0.1 });
  assert.equal(await reader.step(() => people.documentExists("ann")), false);
  await reader.abort();
  let isSaved = false;
  const saved = people.save({ _key: "bob" }).then(() => (isSaved = true));
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(isSaved, false);
  await holder.commit();
  await saved;
  assert.equal(await count(people), 2);
});

test("commits in between", async () => {
  const insert = aql`FOR n IN 1..1000 INSERT { _key: n == 950 ? '1' : TO_STRING(n) } INTO ${people}`;
  await fails(db.query(insert, { intermediateCommitCount: 100 }), 409, 1210);
  assert.equal(await count(people), 900);
});
