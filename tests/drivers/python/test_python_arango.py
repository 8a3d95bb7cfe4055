"""What an application does with ArangoDB's official Python driver."""

import pytest
from arango.exceptions import (
    AQLQueryExecuteError,
    AQLQueryExplainError,
    AQLQueryValidateError,
    CollectionCreateError,
    CursorNextError,
    DocumentInsertError,
    DocumentReplaceError,
    DocumentRevisionError,
    DocumentUpdateError,
    IndexCreateError,
)


def test_connection(system):
    assert system.version().startswith("3.12.")
    assert system.details()["mode"] == "server"
    assert system.status()["server_info"]["write_ops_enabled"] is True
    assert system.role() == "SINGLE"
    assert isinstance(system.time().year, int)


def test_databases(client, system):
    assert system.has_database("_system")
    assert system.create_database("shop") is True
    assert "shop" in system.databases()
    shop = client.db("shop", username="root", password="")
    assert shop.properties()["name"] == "shop"
    shop.create_collection("only_here")
    assert not system.has_collection("only_here")
    assert system.delete_database("shop") is True
    assert not system.has_database("shop")


def test_collections(db):
    created = db.create_collection("things", sync=True)
    assert created.properties()["sync"] is True
    assert db.has_collection("things")
    with pytest.raises(CollectionCreateError) as caught:
        db.create_collection("things")
    assert (caught.value.http_code, caught.value.error_code) == (409, 1207)
    with pytest.raises(CollectionCreateError) as caught:
        db.create_collection("no/such/name")
    assert (caught.value.http_code, caught.value.error_code) == (400, 1208)
    edges = db.create_collection("links", edge=True)
    assert edges.properties()["edge"] is True
    created.insert({"_key": "a"})
    assert created.count() == 1
    assert created.revision() != "0"
    assert created.rename("stuff") is True
    assert db.collection("stuff").get("a")["_id"] == "stuff/a"
    assert db.collection("stuff").truncate() is True
    assert db.collection("stuff").count() == 0
    assert db.delete_collection("stuff") is True
    assert db.delete_collection("stuff", ignore_missing=True) is False
    db.delete_collection("links")


def test_key_generators(db):
    numbered = db.create_collection(
        "numbered", key_generator="autoincrement", key_increment=5, key_offset=2
    )
    assert [numbered.insert({})["_key"] for _ in range(3)] == ["2", "7", "12"]
    db.delete_collection("numbered")
    unique = db.create_collection("unique", key_generator="uuid", user_keys=False)
    assert len(unique.insert({})["_key"]) == 36
    with pytest.raises(DocumentInsertError) as caught:
        unique.insert({"_key": "mine"})
    assert (caught.value.http_code, caught.value.error_code) == (400, 1222)
    db.delete_collection("unique")


def test_documents(people):
    first = people.insert({"_key": "ann", "name": "Ann", "address": {"city": "Köln"}}, return_new=True)
    assert first["new"]["name"] == "Ann"
    with pytest.raises(DocumentInsertError) as caught:
        people.insert({"_key": "ann"})
    assert (caught.value.http_code, caught.value.error_code) == (409, 1210)
    with pytest.raises(DocumentInsertError) as caught:
        people.insert({"_key": "not a key"})
    assert (caught.value.http_code, caught.value.error_code) == (400, 1221)
    updated = people.update({"_key": "ann", "address": {"zip": 50667}}, return_new=True, return_old=True)
    assert updated["new"]["address"] == {"city": "Köln", "zip": 50667}
    assert updated["old"]["address"] == {"city": "Köln"}
    assert updated["_old_rev"] == first["_rev"]
    with pytest.raises(DocumentRevisionError) as caught:
        people.replace({"_key": "ann", "_rev": first["_rev"], "name": "Other"})
    assert (caught.value.http_code, caught.value.error_code) == (412, 1200)
    people.replace({"_key": "ann", "name": "Anna"})
    assert "address" not in people.get("ann")
    assert people.get("nobody") is None
    with pytest.raises(DocumentReplaceError) as caught:
        people.replace({"_key": "nobody"})
    assert (caught.value.http_code, caught.value.error_code) == (404, 1202)
    with pytest.raises(DocumentUpdateError):
        people.update({"_key": "nobody"})
    assert people.delete("ann", return_old=True)["old"]["name"] == "Anna"
    assert people.delete("ann", ignore_missing=True) is False


def test_insert_many_with_one_bad_item(people):
    results = people.insert_many([{"_key": "a"}, {"_key": "a"}, {"_key": "b"}, {"_key": "not a key"}])
    assert [isinstance(result, DocumentInsertError) for result in results] == [False, True, False, True]
    assert results[1].error_code == 1210
    assert results[3].error_code == 1221
    assert sorted(document["_key"] for document in people) == ["a", "b"]
    assert [document["_key"] for document in people.get_many(["b", "nobody", "a"])] == ["b", "a"]
    outcomes = people.delete_many(["a", "nobody", "b"])
    assert outcomes[1].error_code == 1202
    assert people.count() == 0


def test_import_bulk(people):
    people.insert({"_key": "k1", "old": True})
    report = people.import_bulk(
        [{"_key": f"k{number}", "n": number} for number in range(100)], details=True, halt_on_error=False
    )
    assert (report["created"], report["errors"]) == (99, 1)
    assert len(report["details"]) == 1
    with pytest.raises(DocumentInsertError) as caught:
        people.import_bulk([{"_key": "fresh"}, {"_key": "k1"}])
    assert (caught.value.http_code, caught.value.error_code) == (409, 1210)
    assert not people.has("fresh"), "an import that halts on errors is all or nothing"
    report = people.import_bulk([{"_key": "k1", "new": True}], on_duplicate="update")
    assert report["updated"] == 1
    assert people.get("k1")["old"] is True and people.get("k1")["new"] is True
    report = people.import_bulk([{"_key": "k1", "new": 2}], on_duplicate="replace", details=False, sync=True)
    assert report["updated"] == 1 and "details" not in report
    assert "old" not in people.get("k1")
    report = people.import_bulk([{"_key": "k1"}, {"_key": "extra"}], on_duplicate="ignore")
    assert (report["created"], report["ignored"]) == (1, 1)
    assert [len(reports) for reports in [people.import_bulk([{}, {}, {}], batch_size=2)]] == [2]


def test_import_bulk_overwrites_all_or_nothing(people):
    people.import_bulk([{"_key": "a"}, {"_key": "b"}])
    with pytest.raises(DocumentInsertError) as caught:
        people.import_bulk([{"_key": "c"}, {"_key": "c"}], overwrite=True)
    assert (caught.value.http_code, caught.value.error_code) == (409, 1210)
    assert sorted(document["_key"] for document in people) == ["a", "b"]
    report = people.import_bulk([{"_key": "c"}, {"_key": "c"}], overwrite=True, halt_on_error=False)
    assert report["details"] == [
        "at position 1: creating document failed with error 'unique constraint violated', "
        'offending document: {"_key":"c"}'
    ]
    assert [document["_key"] for document in people] == ["c"]


def test_import_bulk_of_edges(db):
    edges = db.create_collection("ways", edge=True)
    report = edges.import_bulk(
        [{"_from": "a", "_to": "b"}, {"_from": "x/a", "_to": "y/b"}, {"_from": "a"}],
        from_prefix="places",
        to_prefix="places/",
        halt_on_error=False,
    )
    assert (report["created"], report["errors"]) == (2, 1)
    assert report["details"] == [
        "at position 3: missing '_from' or '_to' attribute, offending document: {\"_from\":\"places/a\"}"
    ]
    assert sorted((edge["_from"], edge["_to"]) for edge in edges) == [("places/a", "places/b"), ("x/a", "y/b")]
    db.delete_collection("ways")


def test_indexes(people):
    for number in range(50):
        people.insert({"n": number, "even": number % 2 == 0, "email": f"u{number}@example.org"})
    index = people.add_index({"type": "persistent", "fields": ["n"], "name": "by_n"})
    assert index["isNewlyCreated"] is True and index["name"] == "by_n"
    again = people.add_index({"type": "persistent", "fields": ["n"]})
    assert again["isNewlyCreated"] is False and again["id"] == index["id"]
    unique = people.add_index({"type": "persistent", "fields": ["email"], "unique": True, "sparse": True})
    with pytest.raises(DocumentInsertError) as caught:
        people.insert({"email": "u1@example.org"})
    assert caught.value.error_code == 1210
    assert "email" in caught.value.error_message
    with pytest.raises(IndexCreateError) as caught:
        people.add_index({"type": "persistent", "fields": ["even"], "unique": True})
    assert (caught.value.http_code, caught.value.error_code) == (400, 1210)
    names = [entry["name"] for entry in people.indexes()]
    assert names[0] == "primary" and "by_n" in names and len(names) == 3
    assert people.delete_index(unique["id"]) is True
    people.insert({"email": "u1@example.org"})


def test_queries_with_bind_variables_and_batches(db, people):
    people.insert_many([{"_key": str(number), "n": number} for number in range(250)])
    cursor = db.aql.execute(
        "FOR p IN @@people FILTER p.n >= @low SORT p.n RETURN p.n",
        bind_vars={"@people": "people", "low": 50},
        count=True,
        batch_size=40,
    )
    assert cursor.count() == 200
    assert cursor.has_more() is True
    assert len(cursor.batch()) == 40
    assert list(cursor) == list(range(50, 250))
    assert cursor.statistics()["scanned_full"] == 250
    limited = db.aql.execute("FOR p IN people SORT p.n LIMIT 5, 10 RETURN p.n", full_count=True)
    assert list(limited) == list(range(5, 15))
    assert limited.statistics()["fullCount"] == 250
    warned = db.aql.execute("RETURN 1 / 0")
    assert list(warned) == [None]
    assert warned.warnings()[0]["code"] == 1562


def test_cursor_paging_and_deletion(db, people):
    people.insert_many([{} for _ in range(30)])
    cursor = db.aql.execute("FOR p IN people RETURN p._key", batch_size=10)
    assert cursor.close() is True
    with pytest.raises(CursorNextError) as caught:
        cursor.fetch()
    assert caught.value.error_code == 1600


def test_modification_queries(db, people):
    db.aql.execute("FOR n IN 1..10 INSERT { _key: TO_STRING(n), n } INTO people")
    updated = db.aql.execute(
        "FOR p IN people FILTER p.n > 8 UPDATE p WITH { big: true } IN people RETURN { old: OLD.big, new: NEW.big }"
    )
    assert list(updated) == [{"old": None, "new": True}] * 2
    assert updated.statistics()["modified"] == 2
    db.aql.execute("FOR p IN people FILTER p.big REMOVE p IN people")
    assert people.count() == 8
    upserted = db.aql.execute(
        "UPSERT { _key: '1' } INSERT { _key: '1', n: 0 } UPDATE { n: OLD.n + 1 } IN people RETURN NEW.n"
    )
    assert list(upserted) == [2]


def test_explain_and_validate(db, people):
    people.add_index({"type": "persistent", "fields": ["n"]})
    plan = db.aql.explain("FOR p IN people FILTER p.n == 1 RETURN p")
    assert "use-indexes" in plan["rules"]
    assert [node["type"] for node in plan["nodes"]][:2] == ["SingletonNode", "IndexNode"]
    parsed = db.aql.validate("FOR p IN people FILTER p.n == @n RETURN p")
    assert parsed["parsed"] is True and parsed["bind_vars"] == ["n"]
    with pytest.raises(AQLQueryValidateError) as caught:
        db.aql.validate("FOR p IN")
    assert (caught.value.http_code, caught.value.error_code) == (400, 1501)
    with pytest.raises(AQLQueryExplainError) as caught:
        db.aql.explain("FOR p IN nowhere RETURN p")
    assert (caught.value.http_code, caught.value.error_code) == (404, 1203)


@pytest.mark.parametrize(
    ("query", "bind", "http", "number"),
    [
        ("FOR", None, 400, 1501),
        ("FOR d IN nowhere RETURN d", None, 404, 1203),
        ("RETURN @missing", None, 400, 1551),
        ("RETURN 1", {"unused": 1}, 400, 1552),
        ("RETURN NOPE()", None, 400, 1540),
        ("RETURN LENGTH()", None, 400, 1541),
        ("FOR x IN 5 RETURN x", None, 400, 1563),
    ],
)
def test_query_errors(db, query, bind, http, number):
    with pytest.raises(AQLQueryExecuteError) as caught:
        db.aql.execute(query, bind_vars=bind)
    assert (caught.value.http_code, caught.value.error_code) == (http, number)


def test_edges_and_traversal(db):
    towns = db.create_collection("towns")
    roads = db.create_collection("roads", edge=True)
    towns.insert_many([{"_key": key} for key in "ABCD"])
    roads.insert_many(
        [{"_from": f"towns/{start}", "_to": f"towns/{end}"} for start, end in ["AB", "BC", "CD"]]
    )
    with pytest.raises(DocumentInsertError) as caught:
        roads.insert({"_from": "towns/A"})
    assert (caught.value.http_code, caught.value.error_code) == (400, 1233)
    reached = db.aql.execute("FOR v, e, p IN 1..2 OUTBOUND 'towns/A' roads RETURN [v._key, LENGTH(p.edges)]")
    assert list(reached) == [["B", 1], ["C", 2]]
    back = db.aql.execute("FOR v IN 1..3 INBOUND 'towns/D' roads RETURN v._key")
    assert list(back) == ["C", "B", "A"]
    db.delete_collection("roads")
    db.delete_collection("towns")
