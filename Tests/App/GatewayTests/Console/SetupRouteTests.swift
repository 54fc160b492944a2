import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing

/// `GET /api/admin/config` and `GET /api/admin/doctor`.
@Suite(.serialized) struct SetupRoutes {
    private func settings(_ gateway: LiveGateway) async throws -> (
        report: ConfigurationReport, byKey: [String: SettingInForce]
    ) {
        let header = [(name: "Authorization", value: "Bearer a secret of many letters")]
        let reply = try await gateway.request("GET", "/api/admin/config", headers: header)
        #expect(reply.status == 200 && !reply.text.contains("a secret of many letters"), "\(reply.text)")
        let report = try JSONDecoder().decode(ConfigurationReport.self, from: reply.data)
        return (report, Dictionary(report.settings.map { ($0.key, $0) }) { first, _ in first })
    }

    @Test(.slow) func `settings in force, what a reload would change, and why it would be refused`() async throws {
        let token = ["api_token": "a secret of many letters"]
        try await LiveGateway.with(settings: token, files: ["config.json": "{}"]) { gateway in
            let (report, byKey) = try await settings(gateway)
            #expect(report.file?.hasSuffix("/config.json") == true && report.problem == nil)
            #expect(byKey["api_token"]?.value == "********" && byKey["api_token"]?.origin == "flag")
            #expect(byKey["max_in_flight"]?.isLive == true && byKey["max_connections"]?.isLive == false)
            #expect(report.settings.allSatisfy { $0.next == nil })
            // The gateway looks at its file once a second, so either value may be in force.
            let file = gateway.folder.appending(path: "config.json")
            try Data(#"{"max_connections": 100, "generate_model": "gemma3"}"#.utf8).write(to: file)
            let changed = try await settings(gateway).byKey
            #expect(changed["max_connections"]?.value == "4096")
            #expect(changed["max_connections"]?.next == .init(value: "100", origin: "file"))
            let model = try #require(changed["generate_model"])
            #expect(model.value == "gemma3" || model.next?.value == "gemma3")
            try await waitUntil { try await settings(gateway).byKey["generate_model"]?.value == "gemma3" }
            let after = try await settings(gateway)
            #expect(after.byKey["generate_model"]?.next == nil)
            #expect(after.byKey["max_connections"]?.value == "4096" && after.byKey["max_connections"]?.next != nil)
            try Data(#"{"max_connections": "x"}"#.utf8).write(to: file)
            let broken = try await settings(gateway)
            #expect(broken.report.problem?.contains("a whole number") == true)
            #expect(broken.byKey["generate_model"]?.value == "gemma3")
        }
    }

    @Test func `an administrator changes a setting in the file, which stays as a person wrote it`() async throws {
        let token = ["api_token": "a secret of many letters", "log_level": "critical"]
        let text = "# mine\ngenerate_model: llama3.2   # small\nmax_connections: 100\n"
        try await LiveGateway.with(settings: token, files: ["config.json": text]) { gateway in
            let header = [(name: "Authorization", value: "Bearer a secret of many letters")]
            func change(_ body: String) async throws -> LiveGateway.Reply {
                try await gateway.request("PATCH", "/api/admin/config", body, headers: header)
            }
            let file = gateway.folder.appending(path: "config.json")
            let before = try await settings(gateway).byKey
            #expect(before["generate_model"]?.isEditable == true && before["generate_model"]?.fallback == "llama3.2")
            for key in ["database", "max_connections", "api_token", "log_level", "providers"] {
                #expect(before[key]?.isEditable == false, "\(key)")
            }
            // One that a running gateway takes over, and one that needs a restart.
            let model = try await change(#"{"key":"generate_model","value":"gemma3"}"#)
            #expect(model.status == 200, "\(model.text)")
            let now = try await settings(gateway).byKey
            #expect(now["generate_model"]?.value == "gemma3" && now["generate_model"]?.origin == "file")
            let later = try await change(#"{"key":"briefing_at","value":"06:30"}"#)
            #expect(later.status == 200 && later.text.contains("06:30"), "\(later.text)")
            let stored = try String(contentsOf: file, encoding: .utf8)
            #expect(
                stored == "# mine\n#generate_model: llama3.2   # small\ngenerate_model: gemma3\n"
                    + "max_connections: 100\nbriefing_at: 06:30\n")
            // What is wrong changes nothing.
            for (body, status, words) in [
                (#"{"key":"briefing_at","value":"noon"}"#, 400, "a time of day"),
                (#"{"key":"breifing_at","value":"07:00"}"#, 400, "did you mean"),
                (#"{"key":"briefing_at","value":"07:00\nhost: 0.0.0.0"}"#, 400, "one line"),
                (#"{"key":"export","value":"/tmp/x"}"#, 409, "own machine"),
                (#"{"key":"log_level","value":"info"}"#, 409, "a flag"),
                (#"{"key":"max_connections","value":"9"}"#, 409, "own machine"),
                (#"{"key":"briefing_at","valu":"07:00"}"#, 400, "valu"), (#"{"key":7}"#, 400, "key"),
                ("{}", 400, "key"),
            ] {
                let reply = try await change(body)
                #expect(reply.status == status && reply.error.contains(words), "\(body): \(reply.text)")
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == stored)
            #expect(try await change(#"{"key":"generate_model"}"#).status == 200)
            let back = try #require(try await settings(gateway).byKey["generate_model"])
            #expect(back.value == "llama3.2" && back.origin == "default")
            // Two at once: none is lost.
            async let one = change(#"{"key":"week_start","value":"sunday"}"#)
            async let other = change(#"{"key":"goals_confirm","value":"at_once"}"#)
            let replies = try await [one, other]
            #expect(replies.map(\.status) == [200, 200])
            let both = try String(contentsOf: file, encoding: .utf8)
            #expect(both.contains("week_start: sunday") && both.contains("goals_confirm: at_once"), "\(both)")
            #expect(try await gateway.request("PATCH", "/api/admin/config", "{}").status == 401)
        }
    }

    @Test func `the first change makes the file`() async throws {
        try await LiveGateway.with { gateway in
            let reply = try await gateway.request(
                "PATCH", "/api/admin/config", #"{"key":"week_start","value":"sunday"}"#)
            #expect(reply.status == 200, "\(reply.text)")
            let file = gateway.folder.appending(path: ".selene/config.yaml")
            #expect(reply.object["file"] as? String == file.path)
            #expect(try String(contentsOf: file, encoding: .utf8).hasSuffix("\n\nweek_start: sunday\n"))
        }
    }

    @Test func `a gateway without checks says so, and other keys see nothing`() async throws {
        try await LiveGateway.with { gateway in
            let doctor = try await gateway.request("GET", "/api/admin/doctor")
            #expect(doctor.status == 503 && doctor.code == "no_doctor")
            let wrong = try await gateway.request("GET", "/api/admin/doctor?deep=perhaps")
            #expect(wrong.status == 400)
            let key = try await gateway.store.keys.create(name: "phone")
            try await gateway.waitForKeys()
            for path in ["/api/admin/config", "/api/admin/doctor"] {
                let header = [(name: "Authorization", value: "Bearer \(key.secret)")]
                let reply = try await gateway.request("GET", path, headers: header)
                #expect(reply.status == 403)
            }
        }
    }
}
