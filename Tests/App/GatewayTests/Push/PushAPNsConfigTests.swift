import FakeAPNs
import FakeOllama
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// The configuration of APNs by requests.
@Suite(.serialized) struct PushAPNsConfig {
    private static let path = "/api/v1/config/apns"

    private static func body(
        _ key: String?, keyId: String = "ABC123DEFG", team: String = "TEAM123456", bundle: String = "com.example.app",
        environment: String? = nil
    ) throws -> String {
        var members = ["keyId": keyId, "teamId": team, "bundleId": bundle]
        members["p8Key"] = key
        members["environment"] = environment
        return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
    }

    /// The files of keys beside the database.
    private static func keys(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).filter {
            $0.lastPathComponent.contains("-apns-key-")
        }
    }

    private static func with(
        _ options: FakeAPNs.Options = FakeAPNs.Options(),
        _ body: (LiveGateway, FakeAPNs, URL) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let apns = try await FakeAPNs.start(options, folder: folder.path("tls"))
        let gateway = try await LiveGateway.start(
            folder: folder.url, .init(),
            settings: [
                "backfill": "off", "push_apns_origin": apns.baseURL, "push_apns_authorities": apns.authorities,
            ])
        do {
            try await body(gateway, apns, folder.url)
        } catch {
            await gateway.stop()
            try await apns.stop()
            throw error
        }
        await gateway.stop()
        try await apns.stop()
    }

    /// Waits until the one delivery of a message has a state.
    private static func wait(for state: String, of title: String, _ gateway: LiveGateway) async throws {
        try await waitUntil(within: .seconds(60)) {
            let log = try await gateway.request("GET", "/api/v1/log")
            return log.objects("log").contains { $0["title"] as? String == title && $0["status"] as? String == state }
        }
    }

    @Test func `a key that a request brings is kept, never shown, and used at once`() async throws {
        try await Self.with { gateway, apns, folder in
            let none = try await gateway.request("GET", Self.path)
            #expect(none.status == 200 && none.object["configured"] as? Bool == false, "\(none.text)")
            #expect(try await gateway.post(Self.path + "/test", "{}").status == 409)

            let set = try await gateway.request("PUT", Self.path, Self.body(apns.key))
            #expect(set.status == 200 && set.object["state"] as? String == "ready", "\(set.text)")
            let state = try await gateway.request("GET", Self.path)
            for (name, value) in [
                ("keyId", "ABC123DEFG"), ("teamId", "TEAM123456"), ("bundleId", "com.example.app"),
                ("environment", "production"), ("source", "request"),
            ] { #expect(state.object[name] as? String == value, "\(state.text)") }
            let secret = try #require(apns.key.split(separator: "\n").dropFirst().first)
            #expect(!state.text.contains(secret) && !set.text.contains(secret) && !set.text.contains("PRIVATE"))
            let files = try Self.keys(in: folder)
            #expect(files.count == 1)
            let mode = try FileManager.default.attributesOfItem(atPath: files[0].path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try String(contentsOf: files[0], encoding: .utf8) == apns.key)

            // A device needs no bundle id of its own now.
            let token = String(repeating: "ab", count: 32)
            let made = try await gateway.post("/api/v1/devices", #"{"name":"phone","apnsToken":"\#(token)"}"#)
            #expect(made.status == 201, "\(made.text)")
            let sent = try await gateway.post("/api/v1/messages", #"{"message":{"title":"first"}}"#)
            #expect(sent.status == 202, "\(sent.text)")
            try await Self.wait(for: "sent", of: "first", gateway)
            #expect(apns.book.acceptedCount == 1)

            // The ids change without the key; its old file is gone.
            let moved = try await gateway.request(
                "PUT", Self.path, Self.body(nil, bundle: "com.example.other", environment: "sandbox"))
            #expect(moved.status == 200 && moved.object["environment"] as? String == "sandbox", "\(moved.text)")
            let after = try Self.keys(in: folder)
            #expect(after.count == 1 && after != files)
            #expect(try String(contentsOf: after[0], encoding: .utf8) == apns.key)
            #expect(try await gateway.post("/api/v1/messages", #"{"message":{"title":"second"}}"#).status == 202)
            try await Self.wait(for: "sent", of: "second", gateway)
            #expect(apns.book.last?.headers["apns-topic"] == "com.example.other")
        }
    }

    @Test func `a key that is none is refused by the name of its field, and the one before stays`() async throws {
        try await Self.with { gateway, apns, folder in
            let missing = try await gateway.request("PUT", Self.path, Self.body(nil))
            #expect(missing.status == 400 && missing.text.contains("p8Key"), "\(missing.text)")
            #expect(try await gateway.request("PUT", Self.path, Self.body(apns.key)).status == 200)
            let files = try Self.keys(in: folder)
            let wrong: [(String, String)] = [
                (try Self.body("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"), "p8Key"),
                (try Self.body(""), "p8Key"), (try Self.body(String(repeating: "x", count: 5000)), "p8Key"),
                (try Self.body(apns.key, keyId: "short"), "keyId"), (try Self.body(apns.key, team: "x"), "teamId"),
                (try Self.body(apns.key, bundle: "com example"), "bundleId"),
                (try Self.body(apns.key, environment: "staging"), "environment"),
            ]
            for (body, field) in wrong {
                let reply = try await gateway.request("PUT", Self.path, body)
                #expect(reply.status == 400 && reply.text.contains(field), "\(field): \(reply.text)")
                #expect(!reply.text.contains("AAAA"))
            }
            #expect(try Self.keys(in: folder) == files)
            #expect(try await gateway.request("GET", Self.path).object["keyId"] as? String == "ABC123DEFG")
        }
    }

    @Test func `a key that APNs refuses stops the channel, and the right one starts it again`() async throws {
        try await Self.with { gateway, apns, _ in
            #expect(try await gateway.request("PUT", Self.path, Self.body(FakeAPNs.newKey())).status == 200)
            let token = String(repeating: "cd", count: 32)
            _ = try await gateway.post("/api/v1/devices", #"{"name":"phone","apnsToken":"\#(token)"}"#)
            #expect(try await gateway.post("/api/v1/messages", #"{"message":{"title":"held"}}"#).status == 202)
            try await waitUntil(within: .seconds(60)) {
                try await gateway.request("GET", Self.path).object["state"] as? String == "stopped"
            }
            let state = try await gateway.request("GET", Self.path)
            #expect((state.object["reason"] as? String)?.contains("InvalidProviderToken") == true, "\(state.text)")
            let set = try await gateway.request("PUT", Self.path, Self.body(apns.key))
            #expect(set.object["state"] as? String == "ready", "\(set.text)")
            #expect(try await gateway.post("/api/v1/messages", #"{"message":{"title":"next"}}"#).status == 202)
            try await Self.wait(for: "sent", of: "next", gateway)
        }
    }

    @Test func `a key of the settings cannot be replaced by a request`() async throws {
        let folder = try TemporaryFolder()
        try PrivateKey.write(FakeAPNs.newKey(), to: folder.path("key.p8"))
        let gateway = try await LiveGateway.start(
            folder: folder.url, .init(),
            settings: [
                "backfill": "off", "push_apns_key": folder.path("key.p8"), "push_apns_key_id": "ABC123DEFG",
                "push_apns_team_id": "TEAM123456", "push_bundle_id": "com.example.app",
            ])
        let reply = try await gateway.request("PUT", Self.path, Self.body(FakeAPNs.newKey()))
        #expect(reply.status == 409 && reply.text.contains("set_by_settings"), "\(reply.text)")
        #expect(reply.text.contains("SELENE_PUSH_APNS_KEY"))
        let state = try await gateway.request("GET", Self.path)
        #expect(state.object["source"] as? String == "settings" && state.object["keyId"] as? String == "ABC123DEFG")
        await gateway.stop()
    }

    @Test(.enabled(if: SmallDisk.isPossible, "only root of a Linux can mount a small disk"))
    func `a full disk refuses a new key with 507 and keeps the old one`() async throws {
        try await SmallDisk.with(megabytes: 24) { disk in
            let gateway = try await LiveGateway.start(folder: disk.url, .init(), settings: ["backfill": "off"])
            let first = try await gateway.request("PUT", Self.path, Self.body(FakeAPNs.newKey()))
            let files = try Self.keys(in: disk.url)
            try disk.fill()
            let second = try await gateway.request(
                "PUT", Self.path, Self.body(FakeAPNs.newKey(), keyId: "ZZZ123DEFG"))
            let left = try Self.keys(in: disk.url)
            try disk.free()
            let state = try await gateway.request("GET", Self.path)
            let third = try await gateway.request(
                "PUT", Self.path, Self.body(FakeAPNs.newKey(), keyId: "ZZZ123DEFG"))
            await gateway.stop()
            #expect(first.status == 200 && files.count == 1, "\(first.text)")
            #expect(second.status == 507 && second.text.contains("disk_full"), "\(second.text)")
            #expect(left == files && state.object["keyId"] as? String == "ABC123DEFG")
            #expect(third.status == 200, "\(third.text)")
        }
    }

    @Test func `a folder that cannot be written refuses a new key, and the configuration stays`() async throws {
        let outer = try TemporaryFolder()
        let folder = outer.url.appending(path: "data")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let gateway = try await LiveGateway.start(folder: folder, .init(), settings: ["backfill": "off"])
        let first = try await gateway.request("PUT", Self.path, Self.body(FakeAPNs.newKey()))
        let files = try Self.keys(in: folder)
        // A plain file is in the place of the folder; the database is open already.
        let moved = outer.url.appending(path: "moved")
        try FileManager.default.moveItem(at: folder, to: moved)
        try Data("x".utf8).write(to: folder)
        let key = FakeAPNs.newKey()
        let second = try await gateway.request("PUT", Self.path, Self.body(key, keyId: "ZZZ123DEFG"))
        let state = try await gateway.request("GET", Self.path)
        try FileManager.default.removeItem(at: folder)
        try FileManager.default.moveItem(at: moved, to: folder)
        let left = try Self.keys(in: folder)
        let third = try await gateway.request("PUT", Self.path, Self.body(key, keyId: "ZZZ123DEFG"))
        await gateway.stop()
        #expect(first.status == 200 && files.count == 1, "\(first.text)")
        #expect(second.status == 503 && second.code == "key_not_kept", "\(second.text)")
        #expect(second.text.contains("what was configured before stays in use"), "\(second.text)")
        #expect(!second.text.contains(key.split(separator: "\n")[1]))
        #expect(state.object["keyId"] as? String == "ABC123DEFG" && state.object["state"] as? String == "ready")
        #expect(left == files)
        #expect(third.status == 200 && third.object["keyId"] as? String == "ZZZ123DEFG", "\(third.text)")
    }

    @Test func `a second server uses the key that a request brought to the first one`() async throws {
        let folder = try TemporaryFolder()
        let apns = try await FakeAPNs.start(FakeAPNs.Options(), folder: folder.path("tls"))
        var servers: [LiveGateway] = []
        for _ in 0..<2 {
            servers.append(
                try await LiveGateway.start(
                    folder: folder.url, .init(),
                    settings: [
                        "backfill": "off", "push_apns_origin": apns.baseURL, "push_apns_authorities": apns.authorities,
                    ]))
        }
        let (first, second) = (servers[0], servers[1])
        let before = try await second.request("GET", Self.path)
        let set = try await first.request("PUT", Self.path, Self.body(apns.key))
        let token = String(repeating: "ef", count: 32)
        let made = try await first.post("/api/v1/devices", #"{"name":"phone","apnsToken":"\#(token)"}"#)
        // Only the second server is left, and nobody asks it for its configuration.
        await first.stop()
        let sent = try await second.post("/api/v1/messages", #"{"message":{"title":"second"}}"#)
        try? await Self.wait(for: "sent", of: "second", second)
        let after = try await second.request("GET", Self.path)
        await second.stop()
        try await apns.stop()
        #expect(before.object["configured"] as? Bool == false && set.status == 200, "\(set.text)")
        #expect(made.status == 201 && sent.status == 202, "\(made.text) \(sent.text)")
        #expect(apns.book.acceptedCount == 1 && apns.book.last?.headers["apns-topic"] == "com.example.app")
        #expect(after.object["keyId"] as? String == "ABC123DEFG", "\(after.text)")
    }

    @Test func `a stored configuration that lost its key says so, and does not end the gateway`() async throws {
        try await Self.with { gateway, apns, folder in
            #expect(try await gateway.request("PUT", Self.path, Self.body(apns.key)).status == 200)
            // Another program writes what it likes.
            for document in [#"{"file":"../../etc/passwd"}"#, "[]", #"{"keyId":7}"#] {
                try await gateway.execute(
                    "UPDATE gateway_push_documents SET document = '\(document)' WHERE kind = 'setting' AND name = 'apns'"
                )
                let state = try await gateway.request("GET", Self.path)
                #expect(state.status == 200 && state.text.contains("cannot be read"), "\(state.text)")
            }
            try await gateway.execute(
                """
                UPDATE gateway_push_documents SET document = '{"keyId":"ABC123DEFG","teamId":"TEAM123456",\
                "bundleId":"a.b","environment":"production","file":"0123456789abcdef"}' WHERE name = 'apns'
                """)
            let state = try await gateway.request("GET", Self.path)
            #expect(state.text.contains("cannot be used"), "\(state.text)")
            #expect(try await gateway.request("PUT", Self.path, Self.body(apns.key)).status == 200)
            #expect(try await gateway.request("GET", Self.path).object["reason"] == nil)
        }
    }
}

/// Writes keys as their owner's files.
private enum PrivateKey {
    static func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
}
