"""Named graphs through ArangoDB's official Python driver."""

import pytest
from arango.exceptions import (
    DocumentDeleteError,
    DocumentInsertError,
    DocumentReplaceError,
    DocumentRevisionError,
    DocumentUpdateError,
    EdgeDefinitionCreateError,
    EdgeDefinitionDeleteError,
    EdgeDefinitionReplaceError,
    GraphCreateError,
    GraphDeleteError,
    GraphPropertiesError,
    VertexCollectionCreateError,
    VertexCollectionDeleteError,
)


@pytest.fixture
def graph(db):
    graph = db.create_graph("school")
    graph.create_vertex_collection("students")
    graph.create_vertex_collection("lectures")
    graph.create_edge_definition("attends", ["students"], ["lectures"])
    yield graph
    db.delete_graph("school", drop_collections=True)


@pytest.fixture
def attends(graph):
    for key in ("ann", "bob"):
        graph.insert_vertex("students", {"_key": key})
    for key in ("maths", "music"):
        graph.insert_vertex("lectures", {"_key": key})
    return graph.edge_collection("attends")


def codes(caught):
    return caught.value.http_code, caught.value.error_code


def test_graphs(db):
    created = db.create_graph(
        "routes",
        edge_definitions=[
            {
                "edge_collection": "roads",
                "from_vertex_collections": ["towns"],
                "to_vertex_collections": ["villages", "towns"],
            }
        ],
        orphan_collections=["lakes"],
    )
    assert created.name == "routes" and db.has_graph("routes")
    properties = created.properties()
    assert properties["id"] == "_graphs/routes"
    assert properties["orphan_collections"] == ["lakes"]
    assert properties["edge_definitions"] == [
        {
            "edge_collection": "roads",
            "from_vertex_collections": ["towns"],
            "to_vertex_collections": ["towns", "villages"],
        }
    ]
    assert "routes" in [entry["name"] for entry in db.graphs()]
    assert db.collection("roads").properties()["edge"] is True
    with pytest.raises(GraphCreateError) as caught:
        db.create_graph("routes")
    assert codes(caught) == (409, 1925)
    assert db.delete_graph("routes", drop_collections=True) is True
    assert not db.has_graph("routes") and not db.has_collection("lakes")
    assert db.delete_graph("routes", ignore_missing=True) is False
    with pytest.raises(GraphDeleteError) as caught:
        db.delete_graph("routes")
    assert codes(caught) == (404, 1924)
    with pytest.raises(GraphPropertiesError) as caught:
        db.graph("routes").properties()
    assert codes(caught) == (404, 1924)


def test_vertex_collections(db, graph):
    assert graph.vertex_collections() == ["lectures", "students"]
    assert graph.create_vertex_collection("rooms").name == "rooms"
    assert graph.has_vertex_collection("rooms")
    with pytest.raises(VertexCollectionCreateError) as caught:
        graph.create_vertex_collection("rooms")
    assert codes(caught) == (400, 1938)
    with pytest.raises(VertexCollectionDeleteError) as caught:
        graph.delete_vertex_collection("students")
    assert codes(caught) == (400, 1928)
    assert graph.delete_vertex_collection("rooms", purge=True) is True
    assert not db.has_collection("rooms")
    with pytest.raises(VertexCollectionDeleteError) as caught:
        graph.delete_vertex_collection("rooms")
    assert codes(caught) == (404, 1926)


def test_edge_definitions(db, graph):
    assert graph.has_edge_definition("attends")
    teaches = graph.create_edge_definition("teaches", ["teachers"], ["lectures"])
    assert teaches.name == "teaches" and db.has_collection("teachers")
    with pytest.raises(EdgeDefinitionCreateError) as caught:
        graph.create_edge_definition("teaches", ["teachers"], ["lectures"])
    assert codes(caught) == (400, 1920)
    other = db.create_graph("other")
    with pytest.raises(EdgeDefinitionCreateError) as caught:
        other.create_edge_definition("teaches", ["students"], ["lectures"])
    assert codes(caught) == (400, 1921)
    db.delete_graph("other")
    graph.replace_edge_definition("teaches", ["teachers"], ["students"])
    assert graph.edge_definitions()[1] == {
        "edge_collection": "teaches",
        "from_vertex_collections": ["teachers"],
        "to_vertex_collections": ["students"],
    }
    with pytest.raises(EdgeDefinitionReplaceError) as caught:
        graph.replace_edge_definition("nothing", ["teachers"], ["students"])
    assert codes(caught) == (404, 1930)
    assert graph.delete_edge_definition("teaches", purge=True) is True
    assert not db.has_collection("teaches")
    assert graph.properties()["orphan_collections"] == ["teachers"]
    with pytest.raises(EdgeDefinitionDeleteError) as caught:
        graph.delete_edge_definition("teaches")
    assert codes(caught) == (404, 1930)


def test_vertices(graph):
    students = graph.vertex_collection("students")
    first = students.insert({"_key": "ann", "age": 20}, return_new=True)
    assert first["new"]["age"] == 20
    with pytest.raises(DocumentInsertError) as caught:
        students.insert({"_key": "ann"})
    assert codes(caught) == (409, 1210)
    with pytest.raises(DocumentInsertError) as caught:
        graph.vertex_collection("nothing").insert({})
    assert codes(caught) == (404, 1949)
    updated = students.update({"_key": "ann", "town": "Bonn"}, return_new=True, return_old=True)
    assert updated["vertex"]["_old_rev"] == first["vertex"]["_rev"]
    assert updated["new"]["town"] == "Bonn" and "town" not in updated["old"]
    with pytest.raises(DocumentRevisionError):
        students.update({"_key": "ann", "_rev": first["vertex"]["_rev"], "town": "Kiel"})
    with pytest.raises(DocumentRevisionError):
        students.get({"_key": "ann", "_rev": first["vertex"]["_rev"]})
    students.replace({"_key": "ann", "age": 21}, sync=True)
    assert "town" not in students.get("ann")
    assert students.get("nobody") is None and students.has("ann")
    with pytest.raises(DocumentUpdateError) as caught:
        students.update({"_key": "nobody"})
    assert codes(caught) == (404, 1202)
    with pytest.raises(DocumentReplaceError):
        students.replace({"_key": "nobody"})
    assert students.delete("ann") is True
    assert students.delete("ann", ignore_missing=True) is False
    with pytest.raises(DocumentDeleteError) as caught:
        students.delete("ann")
    assert codes(caught) == (404, 1202)


def test_edges(graph, attends):
    inserted = attends.insert({"_key": "1", "_from": "students/ann", "_to": "lectures/maths"})
    assert inserted["_id"] == "attends/1"
    assert attends.link("students/ann", "lectures/music", {"since": 2020})["_rev"]
    for start, end, http, number in [
        ("lectures/maths", "students/ann", 400, 1906),
        ("students/nobody", "lectures/maths", 404, 1202),
        ("other/x", "lectures/maths", 404, 1947),
        ("ann", "lectures/maths", 400, 1233),
    ]:
        with pytest.raises(DocumentInsertError) as caught:
            attends.insert({"_from": start, "_to": end})
        assert codes(caught) == (http, number)
    attends.update({"_key": "1", "grade": 2})
    attends.update({"_key": "1", "_to": "lectures/music"})
    assert attends.get("1")["grade"] == 2 and attends.get("1")["_to"] == "lectures/music"
    with pytest.raises(DocumentUpdateError) as caught:
        attends.update({"_key": "1", "_to": "students/ann"})
    assert codes(caught) == (400, 1906)
    attends.replace({"_key": "1", "_from": "students/bob", "_to": "lectures/maths"})
    assert "grade" not in attends.get("1")
    assert attends.delete("1") is True
    assert attends.get("1") is None


def test_edges_of_a_vertex(graph, attends):
    attends.link("students/ann", "lectures/maths")
    attends.link("students/ann", "lectures/music")
    attends.link("students/bob", "lectures/music")
    found = attends.edges("students/ann", direction="out")
    assert sorted(edge["_to"] for edge in found["edges"]) == ["lectures/maths", "lectures/music"]
    assert len(attends.edges("lectures/music", direction="in")["edges"]) == 2
    assert attends.edges("lectures/music", direction="out")["edges"] == []
    assert len(attends.edges("lectures/music")["edges"]) == 2


def test_edges_go_with_their_vertex(graph, attends):
    attends.link("students/ann", "lectures/maths")
    attends.link("students/bob", "lectures/maths")
    assert graph.delete_vertex("students/ann") is True
    assert [edge["_from"] for edge in attends] == ["students/bob"]
    graph.delete_vertex("lectures/maths")
    assert attends.count() == 0


def test_traversal_by_name(db, graph, attends):
    attends.link("students/ann", "lectures/maths")
    attends.link("students/bob", "lectures/maths")
    classmates = db.aql.execute("FOR v IN 2..2 ANY 'students/ann' GRAPH 'school' RETURN v._key")
    assert list(classmates) == ["bob"]
