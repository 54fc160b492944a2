import Foundation
import GatewayTestSupport
import NIOCore
import StoreTestSupport
import TestSupport
import Testing
import Transport

/// Two gateways whose notifications are in PostgreSQL.
@Suite(.serialized, .enabled("needs a PostgreSQL server") { await PostgresServer.isPossible })
struct SharedPush {
    private func with(_ body: (_ first: LiveGateway, _ second: LiveGateway) async throws -> Void) async throws {
        let server = try #require(await PostgresServer.shared())
        let settings = ["store": try await server.migrated()]
        try await LiveGateway.with(settings: settings) { first in
            try await LiveGateway.with(settings: settings) { second in try await body(first, second) }
        }
    }

    private func device(_ name: String, _ gateway: LiveGateway) async throws -> String {
        let made = try await gateway.post("/api/v1/devices", #"{"name":"\#(name)","stream":true}"#)
        return try #require(made.object["id"] as? String, "\(made.text)")
    }

    /// A time of day in UTC, some hours from now.
    private static func clock(_ hours: Int) -> String {
        let minutes = Int(Date().timeIntervalSince1970) / 60 + hours * 60
        return String(format: "%02d:%02d", minutes / 60 % 24, minutes % 60)
    }

    @Test func `what one gateway stores, one of them sends, and both show`() async throws {
        try await with { first, second in
            let tab = try await device("tab", first)
            let quiet = try await device("quiet", second)
            // Around now, since rules leave a minute of the week in which to send.
            let window = #"{"start":"\#(Self.clock(-2))","end":"\#(Self.clock(8))"}"#
            let rules = #"{"settings":{"zone":"UTC","quietHours":{"windows":[\#(window)]}}}"#
            let changed = try await first.request("PUT", "/api/v1/devices/\(quiet)", rules)
            #expect(changed.status == 200, "\(changed.text)")
            let listed = try await second.request("GET", "/api/v1/devices").objects("devices")
            #expect(listed.map { $0["id"] as? String } == [tab, quiet])
            var ids: [String] = []
            for number in 0..<20 {
                let gateway = number % 2 == 0 ? first : second
                let sent = try await gateway.post("/api/v1/messages", #"{"message":{"title":"Tide \#(number)"}}"#)
                ids.append(try #require(sent.object["id"] as? String, "\(sent.text)"))
            }
            try await waitUntil {
                let sent = try await second.request("GET", "/api/v1/log?status=sent&limit=100").objects("log")
                return sent.count == 20 && sent.allSatisfy { $0["device"] as? String == tab }
            }
            try await waitUntil {
                let all = try await first.request("GET", "/api/v1/log?limit=100").objects("log")
                return all.filter { $0["device"] as? String == quiet }.allSatisfy {
                    ($0["reason"] as? String)?.isEmpty == false
                }
            }
            for gateway in [first, second] {
                let found = try await gateway.request("GET", "/api/v1/log?q=tide%201&status=sent&limit=100")
                // Those of 1 and of 10 to 19.
                #expect(found.objects("log").count == 11, "\(found.text)")
            }
            let stream = try await second.open("GET", "/api/v1/stream?device=\(tab)&since=0", headers: [])
            var text = ""
            for try await chunk in stream.body {
                text += String(decoding: chunk.readableBytesView, as: UTF8.self)
                if (0..<20).allSatisfy({ text.contains("\"Tide \($0)\"") }) { break }
            }
            #expect((0..<20).allSatisfy { text.components(separatedBy: "\"Tide \($0)\"").count == 2 }, "\(text)")
            let recalled = try await first.request("DELETE", "/api/v1/messages/\(ids[0])")
            #expect(recalled.object["status"] as? String == "recalled", "\(recalled.text)")
            #expect(try await second.request("GET", "/metrics").text.contains("push"))
        }
    }

    @Test func `templates, schedules, triggers and repeats are those of both`() async throws {
        try await with { first, second in
            let tab = try await device("tab", first)
            let headers = [(name: "Idempotency-Key", value: "k1")]
            let body = #"{"message":{"title":"a"}}"#
            let stored = try await first.request("POST", "/api/v1/messages", body, headers: headers)
            let again = try await second.request("POST", "/api/v1/messages", body, headers: headers)
            #expect(stored.status == 202 && again.object["isRepeat"] as? Bool == true, "\(again.text)")
            let schedule = try await first.post(
                "/api/v1/schedules", #"{"name":"water","cron":"0 8 * * *","message":{"title":"water"}}"#)
            let id = try #require(schedule.object["id"] as? String, "\(schedule.text)")
            let shown = try await second.request("GET", "/api/v1/schedules/\(id)")
            #expect((shown.object["schedule"] as? [String: Any])?["name"] as? String == "water", "\(shown.text)")
            #expect(try await second.request("DELETE", "/api/v1/schedules/\(id)").status < 300)
            #expect(try await first.request("GET", "/api/v1/schedules/\(id)").status == 404)
            let triggers = try await first.request(
                "PUT", "/api/v1/triggers", #"{"triggers":{"jobDone":{"enabled":true}}}"#)
            #expect(triggers.status == 200, "\(triggers.text)")
            let read = try await second.request("GET", "/api/v1/triggers").text
            #expect(read.contains(#""jobDone":{"enabled":true"#), "\(read)")
            let deleted = try await second.request("DELETE", "/api/v1/devices/\(tab)")
            #expect(deleted.status == 204)
            #expect(try await first.post("/api/v1/messages", body).status == 409)
        }
    }
}
