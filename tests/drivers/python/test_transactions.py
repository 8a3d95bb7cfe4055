"""Stream transactions through ArangoDB's official Python driver."""

import time
from concurrent.futures import ThreadPoolExecutor, TimeoutError

import pytest
from arango.exceptions import (
    AQLQueryExecuteError,
    DocumentInsertError,
    DocumentUpdateError,
    TransactionAbortError,
    TransactionCommitError,
    TransactionFetchError,
    TransactionInitError,
    TransactionStatusError,
)


@pytest.fixture
def pets(db):
    collection = db.create_collection("pets")
    yield collection
    db.delete_collection("pets")


def codes(caught):
    return (caught.value.http_code, caught.value.error_code)


def test_commit(db, people):
    transaction = db.begin_transaction(write="people", sync=True)
    assert transaction.context == "transaction"
    assert transaction.transaction_status() == "running"
    inside = transaction.collection("people")
    assert inside.insert({"_key": "ann", "age": 31})["_id"] == "people/ann"
    many = inside.insert_many([{"_key": "bob"}, {"_key": "ann"}])
    assert many[0]["_key"] == "bob" and isinstance(many[1], DocumentInsertError)
    inside.update({"_key": "ann", "age": 32})
    assert inside.get("ann")["age"] == 32
    assert inside.has("bob") and inside.count() == 2
    rows = transaction.aql.execute("FOR p IN people SORT p._key RETURN p._key", batch_size=1)
    assert list(rows) == ["ann", "bob"]
    assert people.count() == 0 and people.get("ann") is None
    assert transaction.commit_transaction()
    assert transaction.transaction_status() == "committed"
    assert people.get("ann")["age"] == 32 and people.count() == 2
    with pytest.raises(TransactionAbortError) as caught:
        transaction.abort_transaction()
    assert codes(caught) == (400, 1653)


def test_abort(db, people):
    people.insert({"_key": "ann"})
    transaction = db.begin_transaction(write=["people"])
    inside = transaction.collection("people")
    inside.delete("ann")
    transaction.aql.execute("FOR n IN 1..10 INSERT {n} INTO people")
    assert inside.count() == 10
    assert transaction.abort_transaction()
    assert transaction.transaction_status() == "aborted"
    assert people.count() == 1
    with pytest.raises(TransactionCommitError) as caught:
        transaction.commit_transaction()
    assert codes(caught) == (400, 1653)


def test_fetch_and_list(db, people):
    transaction = db.begin_transaction(write="people")
    assert {"id": transaction.transaction_id, "state": "running"} in db.list_transactions()
    transaction.collection("people").insert({"_key": "ann"})
    fetched = db.fetch_transaction(transaction.transaction_id)
    assert fetched.collection("people").has("ann")
    fetched.commit_transaction()
    assert people.has("ann")
    assert db.list_transactions() == []
    with pytest.raises(TransactionFetchError) as caught:
        db.fetch_transaction("987654321")
    assert codes(caught) == (404, 1655)


def test_illegal_ids(db, people):
    transaction = db.begin_transaction(write="people")
    transaction._executor._id = "illegal"
    for operation, error in [
        (transaction.transaction_status, TransactionStatusError),
        (transaction.commit_transaction, TransactionCommitError),
        (transaction.abort_transaction, TransactionAbortError),
    ]:
        with pytest.raises(error) as caught:
            operation()
        assert caught.value.error_code == 10
    with pytest.raises(TransactionInitError) as caught:
        db.begin_transaction(write="nowhere")
    assert codes(caught) == (404, 1203)


def test_declarations(db, people, pets):
    pets.insert({"_key": "rex"})
    transaction = db.begin_transaction(read="pets", write="people", allow_implicit=False)
    assert transaction.collection("pets").has("rex")
    with pytest.raises(DocumentInsertError) as caught:
        transaction.collection("pets").insert({})
    assert codes(caught) == (400, 1652)
    transaction.abort_transaction()
    transaction = db.begin_transaction(exclusive="people", allow_implicit=False)
    with pytest.raises(AQLQueryExecuteError) as caught:
        transaction.aql.execute("FOR p IN pets RETURN p")
    assert codes(caught) == (400, 1652)
    transaction.abort_transaction()
    transaction = db.begin_transaction(write="people")
    assert list(transaction.aql.execute("FOR p IN pets RETURN p._key")) == ["rex"]
    transaction.abort_transaction()


def test_conflicts_and_limits(db, people):
    people.insert({"_key": "ann", "age": 1})
    first = db.begin_transaction(write="people")
    second = db.begin_transaction(write="people", max_size=10_000)
    first.collection("people").update({"_key": "ann", "age": 2})
    with pytest.raises(DocumentUpdateError) as caught:
        second.collection("people").update({"_key": "ann", "age": 3})
    assert codes(caught) == (409, 1200)
    with pytest.raises(DocumentInsertError) as caught:
        second.collection("people").insert({"text": "x" * 20_000})
    assert caught.value.error_code == 32
    second.collection("people").insert({"_key": "bob"})
    first.commit_transaction()
    second.commit_transaction()
    assert people.get("ann")["age"] == 2 and people.has("bob")


def test_exclusive(db, people):
    holder = db.begin_transaction(exclusive="people")
    holder.collection("people").insert({"_key": "ann"})
    for wanted in ({"write": "people"}, {"exclusive": ["people"]}):
        with pytest.raises(TransactionInitError) as caught:
            db.begin_transaction(**wanted, lock_timeout=0.1)
        assert codes(caught) == (500, 18)
    reader = db.begin_transaction(read="people", lock_timeout=0.1)
    assert not reader.collection("people").has("ann")
    reader.abort_transaction()
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(people.insert, {"_key": "bob"})
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.3)
        holder.commit_transaction()
        assert waiting.result(timeout=10)["_key"] == "bob"
    assert people.count() == 2
    # Writers share.
    both = [db.begin_transaction(write="people", lock_timeout=0.1) for _ in range(2)]
    for transaction in both:
        transaction.abort_transaction()


def test_a_killed_query_stops_waiting(db, people):
    holder = db.begin_transaction(exclusive="people")
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(db.aql.execute, "INSERT {} INTO people")
        while not db.aql.queries():
            time.sleep(0.01)
        time.sleep(0.1)
        db.aql.kill(db.aql.queries()[0]["id"])
        with pytest.raises(AQLQueryExecuteError) as caught:
            waiting.result(timeout=10)
    assert codes(caught) == (410, 1500)
    holder.commit_transaction()
    assert people.count() == 0


def test_intermediate_commits(db, people):
    insert = "FOR n IN 1..1000 INSERT { _key: n == 950 ? '1' : TO_STRING(n) } INTO people"
    with pytest.raises(AQLQueryExecuteError) as caught:
        db.aql.execute(insert, intermediate_commit_count=100)
    assert codes(caught) == (409, 1210)
    assert people.count() == 900
    update = db.aql.execute("FOR p IN people UPDATE p WITH { n: 1 } IN people", intermediate_commit_count=100)
    assert update.statistics()["modified"] == 900


def test_graph(db):
    graph = db.create_graph("school")
    try:
        graph.create_vertex_collection("students")
        graph.create_vertex_collection("lectures")
        graph.create_edge_definition("attends", ["students"], ["lectures"])
        transaction = db.begin_transaction(write=["students", "lectures", "attends"])
        inside = transaction.graph("school")
        inside.vertex_collection("students").insert({"_key": "ann"})
        inside.vertex_collection("lectures").insert({"_key": "maths"})
        inside.edge_collection("attends").link("students/ann", "lectures/maths", {"_key": "1"})
        assert inside.edge_collection("attends").edges("students/ann", "out")["edges"][0]["_key"] == "1"
        assert not graph.has_edge("attends/1")
        inside.vertex_collection("students").delete("ann")
        assert not inside.has_edge("attends/1")
        transaction.commit_transaction()
        assert graph.has_vertex("lectures/maths") and not graph.has_vertex("students/ann")
    finally:
        db.delete_graph("school", drop_collections=True)
