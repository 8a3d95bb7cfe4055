//! `/_api/version`, `/_admin/*`, `/_api/database`.

use serde_json::json;

use crate::server::Server;

#[test]
fn who_answers() {
    let server = Server::start();
    let client = server.client();
    let version = client.get("/_api/version").expect(200);
    assert_eq!(version.body["server"], "arango");
    assert!(version.body["version"].as_str().is_some_and(|text| text.starts_with("3.12.")));
    assert_eq!(version.header("server"), Some("ArangoDB"));
    assert_eq!(version.header("content-type"), Some("application/json"));
    assert_eq!(version.header("x-content-type-options"), Some("nosniff"));
    let details = client.get("/_api/version?details=true").expect(200);
    assert_eq!(details.body["details"]["role"], "SINGLE");
    assert_eq!(details.body["details"]["product"], "persea");
    assert_eq!(client.get("/_admin/server/role").expect(200).body["role"], "SINGLE");
    assert_eq!(client.get("/_admin/server/availability").expect(200).body["mode"], "default");
    assert!(client.get("/_admin/time").expect(200).body["time"].as_f64().is_some_and(|time| time > 1e9));
    assert_eq!(client.get("/_api/tasks").expect(200).body, json!([]));
    assert_eq!(client.get("/_api/foxx?excludeSystem=False").expect(200).body, json!([]));
}

#[test]
fn databases_are_separate() {
    let server = Server::start();
    let system = server.client();
    assert_eq!(system.post("/_api/database", &json!({ "name": "shop" })).expect(201).body["result"], true);
    let shop = server.client_of("shop");
    shop.create_collection("things");
    system.get("/_api/collection/things").expect_error(404, 1203);
    let current = shop.get("/_api/database/current").expect(200);
    assert_eq!(current.body["result"]["name"], "shop");
    assert_eq!(current.body["result"]["isSystem"], false);
    let names = system.get("/_api/database").expect(200);
    assert_eq!(names.body["result"], json!(["_system", "shop"]));
    assert_eq!(system.delete("/_api/database/shop").expect(200).body["result"], true);
    shop.get("/_api/collection").expect_error(404, 1228);
}

#[test]
fn database_errors() {
    let server = Server::start();
    let system = server.client();
    system.post("/_api/database", &json!({ "name": "shop" })).expect(201);
    system.post("/_api/database", &json!({ "name": "shop" })).expect_error(409, 1207);
    system.post("/_api/database", &json!({ "name": "a/b" })).expect_error(400, 1229);
    system.post("/_api/database", &json!({ "name": "" })).expect_error(400, 1229);
    system.post("/_api/database", &json!({ "name": 1 })).expect_error(400, 1229);
    system.post("/_api/database", &json!({})).expect_error(400, 1229);
    system.delete("/_api/database/nowhere").expect_error(404, 1228);
    system.delete("/_api/database/_system").expect_error(403, 11);
    let shop = server.client_of("shop");
    shop.get("/_api/database").expect_error(403, 1230);
    shop.post("/_api/database", &json!({ "name": "other" })).expect_error(403, 1230);
    shop.delete("/_api/database/shop").expect_error(403, 1230);
}

#[test]
fn sigterm_ends_with_success() {
    let server = Server::start();
    server.client().create_collection("things");
    assert!(server.terminate().success());
}
