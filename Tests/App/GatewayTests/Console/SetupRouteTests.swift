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
