import Database
import FakeOllama
import Foundation
import GRDB
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import HTTPTypes
import JobRoom
import KeyRoom
import Server
import Storage
import TestSupport
import Testing
import Transport

@testable import Access
@testable import Gateway

/// The audit of a running gateway: `GET /api/audit`, and what the other routes write into it.
@Suite(.serialized) struct AuditRoutes {
    /// A gateway with an administrator's key.
    private struct Stage {
        let gateway: LiveGateway
        let admin: NewKey

        var headers: [(name: String, value: String)] { [("Authorization", "Bearer \(admin.secret)")] }
        var console: RemoteConsoleService {
            get throws {
                RemoteConsoleService(try GatewayConnection(gateway.base, tokens: StaticTokenStore(admin.secret)))
            }
        }

        func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> LiveGateway.Reply {
            try await gateway.request(method, path, body, headers: headers)
        }

        func entries() async throws -> [AuditEntry] { try await console.audit(PageRequest(limit: 500)).entries }

        /// Waits for a number of entries, which proxied requests write beside their end. Returns the latest.
        func latest(of count: Int) async throws -> AuditEntry {
            try await waitUntil { try await entries().count >= count }
            let found = try await entries()
            #expect(found.count == count, "\(found.prefix(3))")
            return try #require(found.first)
        }
    }

    private func with(
        settings: [String: String] = [:], files: [String: String] = [:], _ body: (Stage) async throws -> Void
    ) async throws {
        try await LiveGateway.with(settings: settings, files: files) { gateway in
            let admin = try await gateway.store.keys.create(name: "admin", grant: .everything)
            try await gateway.waitForKeys()
            try await body(Stage(gateway: gateway, admin: admin))
        }
    }

    @Test(.slow) func `each change leaves one entry: who, what, and what came of it`() async throws {
        try await with(files: ["config.json": "{}"]) { stage in
            var count = 0
            func expect(
                _ method: String, _ path: String, _ body: String? = nil, _ status: Int, _ action: AuditAction,
                _ object: String?, id: String? = nil, detail: String? = nil, _ outcome: String? = nil
            ) async throws {
                let reply = try await stage.ask(method, path, body)
                #expect(reply.status == status, "\(method) \(path): \(reply.text)")
                count += 1
                let entry = try await stage.latest(of: count)
                #expect(entry.action == action.rawValue && entry.status == status, "\(entry)")
                #expect(entry.by == "admin" && entry.keyID == stage.admin.record.id, "\(entry)")
                #expect(entry.object == object && (id == nil || entry.objectID == id), "\(entry)")
                #expect(detail == nil || entry.detail == detail, "\(entry)")
                #expect(entry.outcome == (outcome ?? (status < 300 ? "done" : "refused")), "\(entry)")
                #expect(entry.requestID == reply.head["x-request-id"] && entry.requestID != nil)
            }
            try await expect(
                "POST", "/api/admin/keys", #"{"name":"guest","scopes":["llm"]}"#, 201, .keyCreate, "guest",
                detail: "llm")
            let id = try await stage.gateway.store.keys.find("guest").id
            #expect(try await stage.entries().first?.objectID == "\(id)")
            try await expect(
                "PATCH", "/api/admin/keys/\(id)", #"{"scopes":["llm","admin"]}"#, 200, .keyChange, "guest", id: "\(id)",
                detail: "llm admin")
            try await expect("POST", "/api/admin/keys", #"{"name":"guest"}"#, 409, .keyCreate, "guest")
            try await expect("POST", "/api/admin/keys", #"{"name":"x","scopes":["root"]}"#, 400, .keyCreate, nil)
            try await expect("DELETE", "/api/admin/keys/\(id)", nil, 204, .keyRevoke, "guest", id: "\(id)")
            try await expect("DELETE", "/api/admin/keys/\(id)", nil, 404, .keyRevoke, nil, id: "\(id)")
            try await expect("POST", "/api/v1/api-keys", #"{"name":"sender"}"#, 201, .keyCreate, "sender")
            let sender = try await stage.gateway.store.keys.find("sender").id
            try await expect("DELETE", "/api/v1/api-keys/\(sender)", nil, 204, .keyRevoke, "sender", id: "\(sender)")

            try await expect(
                "PATCH", "/api/admin/config", #"{"key":"generate_model","value":"gemma3:270m"}"#, 200, .settingChange,
                "generate_model")
            try await expect("PATCH", "/api/admin/config", #"{"key":"nothing"}"#, 400, .settingChange, "nothing")
            try await expect("POST", "/api/jobs/threads", nil, 202, .jobStart, "threads")
            let job = try #require(try await stage.entries().first?.objectID)
            try await waitUntil { try await stage.gateway.store.jobs.list(limit: 1).first?.job.state == .done }
            try await expect("DELETE", "/api/jobs/\(job)", nil, 200, .jobCancel, "threads", id: job)
            try await expect("POST", "/api/jobs/99/resume", nil, 404, .jobResume, nil, id: "99")
            try await expect("POST", "/api/admin/spaces/rollback", nil, 404, .spaceRollback, nil)
            try await expect("POST", "/api/admin/spaces/7/switch", nil, 404, .spaceSwitch, nil, id: "7")
            try await expect("DELETE", "/api/admin/spaces/7", nil, 404, .spaceDrop, nil, id: "7")
            try await expect("DELETE", "/api/admin/evaluations/7", nil, 404, .evaluationDelete, nil, id: "7")
            try await expect(
                "DELETE", "/api/admin/failed-notes/1/2", nil, 404, .failedNoteDiscard, "note", id: "2",
                detail: "space 1")
            try await expect(
                "POST", "/api/admin/failed-notes/1/2/retry", nil, 404, .failedNoteRetry, "note", id: "2")
            try await expect("DELETE", "/api/requests/live/99999", nil, 404, .requestStop, nil, id: "99999")
            try await expect("DELETE", "/api/v1/devices/x", nil, 404, .pushDeviceRemove, nil, id: "x")
            try await expect("PUT", "/api/v1/triggers", #"{"triggers":{}}"#, 200, .pushTriggers, "")
            try await expect("DELETE", "/web/sessions/99", nil, 404, .sessionEnd, nil, id: "99")
            // What only reads leaves none.
            for path in ["/api/admin/keys", "/api/audit", "/api/admin/config", "/api/jobs", "/web/sessions"] {
                #expect(try await stage.ask("GET", path).status == 200)
            }
            #expect(try await stage.entries().count == count)
        }
    }

    @Test(.slow) func `a paired device names the key that gave it, and a signed-out browser its key`() async throws {
        try await with { stage in
            let desk = try await stage.gateway.store.keys.create(name: "desk", grant: KeyGrant(scopes: [.llm]))
            try await stage.gateway.waitForKeys()
            let browser = Browser(stage.gateway)
            try await browser.signIn(desk.secret)
            // Who is no administrator gives away rights of the own key alone: the device's entry is enough.
            let offer = try await browser.ask("POST", "/web/pairings", #"{"name":"phone"}"#)
            #expect(offer.status == 201, "\(offer.text)")
            #expect(try await stage.entries().isEmpty)
            let code = try #require(offer.object["code"] as? String)
            let phone = Browser(stage.gateway)
            #expect(try await phone.ask("POST", "/web/session", #"{"code":"\#(code)"}"#).status == 200)
            let paired = try await stage.latest(of: 1)
            let key = try await stage.gateway.store.keys.find("phone")
            #expect(paired.action == "device.pair" && paired.by == "desk" && paired.keyID == desk.record.id)
            #expect(paired.object == "phone" && paired.objectID == "\(key.id)" && paired.detail == "llm")
            #expect(try await phone.ask("POST", "/web/session", #"{"code":"\#(code)"}"#).status == 401)

            let given = try await stage.ask("POST", "/web/pairings", #"{"name":"tablet","scopes":["notes:read"]}"#)
            #expect(try await stage.latest(of: 2).action == "device.offer")
            let second = try #require(given.object["code"] as? String)
            let tablet = Browser(stage.gateway)
            #expect(try await tablet.ask("POST", "/web/session", #"{"code":"\#(second)"}"#).status == 200)
            #expect(try await stage.latest(of: 3).by == "admin")

            let asked = try await tablet.ask("POST", "/web/pairings/requests", #"{"name":"watch"}"#)
            let third = try #require(asked.object["code"] as? String)
            #expect(try await stage.ask("POST", "/web/pairings/requests/\(third)/approve").status == 200)
            let approved = try await stage.latest(of: 4)
            #expect(approved.action == "device.approve" && approved.object == "watch" && approved.objectID == nil)
            // A wrong code in the path is in no entry either.
            #expect(try await stage.ask("POST", "/web/pairings/requests/\(third)/approve").status == 404)
            #expect(try await stage.latest(of: 5).objectID == nil)

            let session = try #require(
                try await stage.gateway.store.webSessions.all().first { $0.owner == .key(desk.record.id) })
            #expect(try await stage.ask("DELETE", "/web/sessions/\(session.id)").status == 204)
            let ended = try await stage.latest(of: 6)
            #expect(ended.action == "session.end" && ended.object == "desk" && ended.objectID == "\(session.id)")
            try await expectNothingSecret(
                stage, [desk.secret, stage.admin.secret, code, second, third, browser.cookie ?? "-"])
        }
    }

    /// Looks for secrets in every column of every row.
    private func expectNothingSecret(_ stage: Stage, _ secrets: [String]) async throws {
        let rows = try await stage.gateway.store.rows("SELECT * FROM gateway_audit", [])
        #expect(!rows.isEmpty)
        for cell in rows.flatMap(\.cells) {
            let text = cell.asText ?? ""
            for secret in secrets { #expect(!text.contains(secret) && !text.contains(secret.suffix(20)), "\(text)") }
        }
    }

    @Test func `no key, prompt or value of a setting is in any row`() async throws {
        try await with(files: ["config.json": "{}"]) { stage in
            var secrets = [stage.admin.secret]
            for body in [#"{"name":"a"}"#, #"{"name":"b","in_path":true}"#] {
                secrets.append(
                    try #require(try await stage.ask("POST", "/api/admin/keys", body).object["key"] as? String))
            }
            secrets.append(
                try #require(
                    try await stage.ask("POST", "/api/v1/api-keys", #"{"name":"c"}"#).object["key"] as? String))
            // Somebody pastes a key where a name belongs, and sends one as the id of a request.
            let pasted = [
                ("PATCH", "/api/admin/config", #"{"key":"\#(secrets[1])","value":"xyzzy-value"}"#),
                ("PATCH", "/api/admin/config", #"{"key":"generate_model","value":"xyzzy-value"}"#),
                ("POST", "/api/pull", #"{"model":"\#(secrets[2])"}"#),
                ("POST", "/api/create", #"{"model":"m","from":"llama3.2","system":"xyzzy-value"}"#),
            ]
            for (method, path, body) in pasted {
                _ = try await stage.gateway.request(
                    method, path, body, headers: stage.headers + [("X-Request-Id", secrets[3])])
            }
            try await waitUntil { try await stage.entries().count == 7 }
            try await expectNothingSecret(stage, secrets + ["xyzzy-value"])
        }
    }

    @Test(.slow) func `changes of models through the proxy are entries`() async throws {
        try await with { stage in
            let rows: [(String, String, String, Int, AuditAction, String?, String, String?)] = [
                ("POST", "/api/pull", #"{"model":"bge-m3"}"#, 200, .modelPull, "bge-m3", "done", nil),
                // Older clients call it a name. Ollama reports the failure in the stream.
                ("POST", "/api/pull", #"{"name":"missing"}"#, 200, .modelPull, "missing", "failed", nil),
                (
                    "POST", "/api/pull", #"{"model":"missing","stream":false}"#, 500, .modelPull, "missing", "failed",
                    nil
                ),
                (
                    "POST", "/api/copy", #"{"source":"llama3.2","destination":"mine"}"#, 200, .modelCopy, "mine",
                    "done",
                    "from llama3.2"
                ),
                (
                    "POST", "/api/create", #"{"model":"own","from":"llama3.2"}"#, 200, .modelCreate, "own", "done",
                    "from llama3.2"
                ),
                ("DELETE", "/api/delete", #"{"model":"mine"}"#, 200, .modelDelete, "mine", "done", nil),
                ("DELETE", "/api/delete", #"{"model":"mine"}"#, 404, .modelDelete, "mine", "refused", nil),
                ("POST", "/api/delete", #"{"model":"own"}"#, 405, .modelDelete, nil, "", nil),
                ("POST", "/api/pull", "no JSON", 400, .modelPull, nil, "refused", nil),
            ]
            var count = 0
            for (method, path, body, status, action, object, outcome, detail) in rows {
                let id = "r-\(count)"
                let reply = try await stage.gateway.request(
                    method, path, body, headers: stage.headers + [("X-Request-Id", id)])
                #expect(reply.status == status, "\(path) \(body): \(reply.text)")
                guard !outcome.isEmpty else { continue }
                count += 1
                let entry = try await stage.latest(of: count)
                #expect(entry.action == action.rawValue && entry.object == object, "\(entry)")
                #expect(entry.outcome == outcome && entry.status == status && entry.detail == detail, "\(entry)")
                #expect(entry.by == "admin" && entry.keyID == stage.admin.record.id)
                #expect(entry.requestID == id)
            }
            // A blob of some megabytes is named by its digest; asking for it, and Ollama's owner, changes nothing.
            let digest = "sha256:\(String(repeating: "0", count: 64))"
            _ = try await stage.ask("POST", "/api/blobs/\(digest)", String(repeating: "x", count: 3 << 20))
            let upload = try await stage.latest(of: count + 1)
            #expect(upload.action == "model.upload" && upload.object == digest && upload.outcome == "refused")
            _ = try await stage.ask("HEAD", "/api/blobs/\(digest)")
            _ = try await stage.ask("POST", "/api/me")
            _ = try await stage.ask("POST", "/api/show", #"{"model":"llama3.2"}"#)
            _ = try await stage.ask("POST", "/api/signout")
            #expect(try await stage.latest(of: count + 2).action == "model.sign_out")
        }
    }

    @Test(.slow) func `who is no administrator leaves no entries and reads none`() async throws {
        try await with { stage in
            let scopes = Set(KeyScope.all).subtracting([.admin, .pushAdmin])
            let guest = try await stage.gateway.store.keys.create(name: "guest", grant: KeyGrant(scopes: scopes))
            let push = try await stage.gateway.store.keys.create(name: "push", grant: KeyGrant(scopes: [.pushAdmin]))
            try await stage.gateway.waitForKeys()
            let headers = [(name: "Authorization", value: "Bearer \(guest.secret)")]
            func status(_ method: String, _ path: String, _ body: String? = nil) async throws -> Int {
                try await stage.gateway.request(method, path, body, headers: headers).status
            }
            #expect(try await status("GET", "/api/audit") == 403)
            #expect(try await stage.gateway.request("GET", "/api/audit").status == 401)
            #expect(try await status("POST", "/api/admin/keys", #"{"name":"x"}"#) == 403)
            #expect(try await status("POST", "/api/pull", #"{"model":"bge-m3"}"#) == 403)
            #expect(try await status("POST", "/api/jobs/threads") == 202)
            #expect(try await status("DELETE", "/api/v1/devices/x") == 404)
            #expect(try await stage.entries().isEmpty)
            // Notifications have an administrator of their own.
            let reply = try await stage.gateway.request(
                "PUT", "/api/v1/triggers", #"{"triggers":{}}"#, headers: [("Authorization", "Bearer \(push.secret)")])
            #expect(reply.status == 200)
            #expect(try await stage.latest(of: 1).by == "push")
            // Nobody changes or deletes an entry.
            for method in ["POST", "PUT", "PATCH", "DELETE"] {
                #expect(try await stage.ask(method, "/api/audit", method == "DELETE" ? nil : "{}").status == 405)
                #expect(try await stage.ask(method, "/api/audit/1", method == "DELETE" ? nil : "{}").status == 404)
            }
            #expect(try await stage.entries().count == 1)
        }
    }

    @Test func `a gateway without keys says so, and a stopped request is named`() async throws {
        var options = FakeOllama.Options()
        options.latency = 60
        try await LiveGateway.with(options) { gateway in
            let console = RemoteConsoleService(try GatewayConnection(gateway.base, tokens: StaticTokenStore(nil)))
            let body = #"{"model":"llama3.2","prompt":"a secret question"}"#
            let asking = Task { try await gateway.post("/api/generate", body) }
            var id: String?
            try await waitUntil {
                id = try await console.live().requests.first { $0.path == "/api/generate" }?.id
                return id != nil
            }
            try await console.cancel(try #require(id))
            _ = try await asking.value
            let entry = try #require(try await console.audit().entries.first)
            #expect(entry.action == "request.stop" && entry.object == "POST /api/generate" && entry.objectID == id)
            #expect(entry.by == "no key" && entry.keyID == nil && entry.status == 202 && entry.detail == "anonymous")
        }
    }

    @Test(.slow) func `a reload names the settings and where it came from, never their values`() async throws {
        try await with(files: ["config.json": #"{"generate_model":"llama3.2"}"#]) { stage in
            let file = stage.gateway.folder.appending(path: "config.json")
            try Data(#"{"generate_model":"xyzzy-model","max_in_flight":7}"#.utf8).write(to: file, options: .atomic)
            let first = try await stage.latest(of: 1)
            #expect(first.action == "setting.reload" && first.by == "configuration file" && first.status == nil)
            #expect(first.object?.contains("generate_model") == true && first.object?.contains("max_in_flight") == true)
            // Without a change there is nothing to tell.
            #expect(await stage.gateway.application.reloadConfiguration())
            #expect(try await stage.entries().count == 1)
            let reply = try await stage.ask(
                "PATCH", "/api/admin/config", #"{"key":"generate_model","value":"llama3.2"}"#)
            #expect(reply.status == 200)
            try await Task.sleep(for: .seconds(2.5))
            #expect(try await stage.latest(of: 2).action == "setting.change")
            try await expectNothingSecret(stage, ["xyzzy-model"])
        }
    }

    @Test func `pages and filters of the list`() async throws {
        try await with { stage in
            for number in 1...5 {
                _ = try await stage.ask("POST", "/api/admin/keys", #"{"name":"n\#(number)"}"#)
            }
            _ = try await stage.ask("DELETE", "/api/admin/evaluations/1")
            let console = try stage.console
            let first = try await console.audit(action: .keyCreate, PageRequest(limit: 3))
            #expect(first.entries.map(\.object) == ["n5", "n4", "n3"] && first.kept == 100_000)
            let rest = try await console.audit(
                action: .keyCreate, PageRequest(limit: 3, cursor: first.nextCursor))
            #expect(rest.entries.map(\.object) == ["n2", "n1"] && rest.nextCursor == nil)
            #expect(try await console.audit(key: stage.admin.record.id).entries.count == 6)
            #expect(try await console.audit(key: 99).entries.isEmpty)
            #expect(try await console.audit(since: "2001-01-01").entries.count == 6)
            #expect(try await console.audit(since: "2999-01-01").entries.isEmpty)
            for query in [
                "limit=0", "limit=501", "limit=x", "cursor=1_2", "cursor=x", "action=key.steal", "key=x", "since=soon",
            ] {
                let reply = try await stage.ask("GET", "/api/audit?\(query)")
                #expect(reply.status == 400 && reply.code == "invalid_field", "\(query): \(reply.text)")
            }
        }
    }

    @Test(.slow) func `a change stays when its entry cannot be written`() async throws {
        try await with { stage in
            try await stage.gateway.store.run("DROP TABLE gateway_audit")
            #expect(try await stage.ask("POST", "/api/admin/keys", #"{"name":"guest"}"#).status == 201)
            #expect(try await stage.ask("POST", "/api/copy", #"{"source":"llama3.2","destination":"m"}"#).status == 200)
            #expect(try await stage.gateway.store.keys.find("guest").revokedAt == nil)
        }
    }

    @Test(.slow, .ofFile) func `a locked database holds no change up for long`() async throws {
        try await with { stage in
            _ = try await stage.ask("GET", "/api/tags")
            var lenient = Configuration()
            lenient.allowsUnsafeTransactions = true
            lenient.busyMode = .timeout(10)
            let other = try DatabaseQueue(path: stage.gateway.database.path, configuration: lenient)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            let start = ContinuousClock.now
            let copied = try await stage.ask("POST", "/api/copy", #"{"source":"llama3.2","destination":"mine"}"#)
            let stopped = try await stage.ask("DELETE", "/api/requests/live/99999")
            let time = ContinuousClock.now - start
            #expect(copied.status == 200 && stopped.status == 404)
            #expect(time < .seconds(6), "\(time)")
            try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
            try await waitUntil { try await stage.entries().count == 2 }
            #expect(Set(try await stage.entries().map(\.action)) == ["model.copy", "request.stop"])
            try other.close()
        }
    }

    @Test func `every route of administrators that changes something has an action`() async throws {
        try await LiveGateway.with { gateway in
            let silent = gateway.application.router().routes.filter { route in
                guard case .requireScope(.admin, _) = route.access, route.action == nil else { return false }
                return !["GET", "HEAD"].contains(route.method.rawValue)
            }
            // They only compare a stored report with conditions, and files with what is known of them.
            let known: Set = ["POST /api/admin/evaluations/:id/gates", "POST /api/sources/:name/look"]
            #expect(Set(silent.map { "\($0.method) \($0.path)" }) == known)
        }
    }

    @Test func `the console and the description list the same actions`() async throws {
        let known = AuditAction.allCases.map(\.rawValue)
        let page = try String(
            contentsOf: Repository.root.appending(path: "Sources/Features/Web/Site/console/access/audit.js"),
            encoding: .utf8)
        let listed = try #require(page.firstMatch(of: #/const actions = "([^"]+)"/#)).1
        #expect(listed.split(separator: " ").map(String.init) == known)
        try await LiveGateway.with { gateway in
            let yaml = try await gateway.request("GET", "/openapi.yaml").text
            #expect(yaml.contains("enum: [\(known.joined(separator: ", "))]"))
        }
    }
}
