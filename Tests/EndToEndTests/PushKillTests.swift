import FakeAPNs
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// `kill -9` of a gateway while it sends notifications: what was answered with 202 reaches APNs, and what comes twice has
/// the same id.
@Suite(.serialized) struct PushKills {
    @Test(.slow) func `nothing that was accepted is lost over kills, and a repeat has the same id`() async throws {
        let home = try SeleneHome()
        let folder = home.url.appending(path: "apns")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var options = FakeAPNs.Options()
        options.latency = 20
        let apns = try await FakeAPNs.start(options, folder: folder.path)
        let key = folder.appending(path: "AuthKey.p8")
        try Data(apns.key.utf8).write(to: key)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
        let environment = [
            "SELENE_BACKFILL": "off", "SELENE_PUSH_APNS_KEY": key.path, "SELENE_PUSH_APNS_KEY_ID": options.keyID,
            "SELENE_PUSH_APNS_TEAM_ID": options.teamID, "SELENE_PUSH_APNS_ORIGIN": apns.baseURL,
            "SELENE_PUSH_APNS_AUTHORITIES": apns.authorities, "SELENE_PUSH_BUNDLE_ID": "com.example.app",
        ]
        var accepted: Set<String> = []
        for round in 0..<3 {
            try await ServeProcess.with(environment, home: home) { server in
                if round == 0 {
                    for device in 0..<5 {
                        let token = String(repeating: "0\(device)", count: 32)
                        let made = try await server.request(
                            "POST", "/api/v1/devices", #"{"name":"phone \#(device)","apnsToken":"\#(token)"}"#)
                        #expect(made.status == 201, "\(made.text)")
                    }
                }
                for number in 0..<40 {
                    let reply = try await server.request(
                        "POST", "/api/v1/messages", #"{"message":{"title":"\#(round) \#(number)"}}"#)
                    guard reply.status == 202 else {
                        Issue.record("\(reply.status) \(reply.text)")
                        return
                    }
                    accepted.formUnion(reply.objects("deliveries").compactMap { $0["id"] as? String })
                }
                try await server.end(SIGKILL)
            }
        }
        #expect(accepted.count == 600)
        try await ServeProcess.with(environment, home: home) { server in
            try await waitUntil(within: .seconds(120)) { apns.book.account.acceptedIDs.count >= accepted.count }
            try await waitUntil(within: .seconds(60)) {
                let queued = try await server.request("GET", "/api/v1/log?status=queued&limit=1")
                let sending = try await server.request("GET", "/api/v1/log?status=sending&limit=1")
                return queued.objects("log").isEmpty && sending.objects("log").isEmpty
            }
            let failed = try await server.request("GET", "/api/v1/log?status=failed&limit=5")
            #expect(failed.objects("log").isEmpty, "\(failed.text)")
        }
        let account = apns.book.account
        #expect(Set(account.acceptedIDs.keys) == accepted)
        // A kill repeats what was on its way, 200 deliveries at most each time.
        #expect(account.accepted <= accepted.count + 3 * 200)
        try await apns.stop()
    }
}
