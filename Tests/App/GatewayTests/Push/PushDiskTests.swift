import FakeOllama
import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// A disk without room: notifications are refused, and what was accepted is sent.
@Suite(.serialized, .enabled(if: SmallDisk.isPossible, "only root of a Linux can mount a small disk"))
struct PushDisk {
    @Test(.ofFile) func `messages are refused with 507, and what was accepted is sent when there is room again`()
        async throws
    {
        try await SmallDisk.with(megabytes: 24) { disk in
            let gateway = try await LiveGateway.start(folder: disk.url, .init(), settings: ["backfill": "off"])
            do {
                let made = try await gateway.post("/api/v1/devices", #"{"name":"tab","stream":true}"#)
                #expect(made.status == 201, "\(made.text)")
                var accepted: Set<String> = []
                var refusals = 0
                let text = String(repeating: "x", count: 3000)
                func send(_ number: Int) async throws {
                    let reply = try await gateway.post(
                        "/api/v1/messages", #"{"message":{"title":"\#(number)","body":"\#(text)"}}"#)
                    switch reply.status {
                    case 202: accepted.formUnion(reply.objects("deliveries").compactMap { $0["id"] as? String })
                    case 507: refusals += 1
                    default: Issue.record("\(reply.status) \(reply.text)")
                    }
                }
                for number in 0..<20 { try await send(number) }
                #expect(accepted.count == 20)
                try disk.fill()
                // A log that was used before has room for some.
                for number in 20..<3000 where refusals < 3 { try await send(number) }
                #expect(refusals == 3)
                #expect(try await gateway.request("GET", "/api/v1/health").status == 200)
                try disk.free()
                let before = accepted.count
                try await waitUntil {
                    try await send(9999)
                    return accepted.count > before
                }
                try await waitUntil(within: .seconds(90)) {
                    let queued = try await gateway.request("GET", "/api/v1/log?status=queued&limit=1")
                    let sending = try await gateway.request("GET", "/api/v1/log?status=sending&limit=1")
                    return queued.objects("log").isEmpty && sending.objects("log").isEmpty
                }
                var sent: Set<String> = []
                var cursor: String? = ""
                while let next = cursor {
                    let page = try await gateway.request(
                        "GET", "/api/v1/log?limit=100\(next.isEmpty ? "" : "&cursor=\(next)")")
                    for line in page.objects("log") {
                        #expect(line["status"] as? String == "sent", "\(line)")
                        if let id = line["id"] as? String { sent.insert(id) }
                    }
                    cursor = page.object["nextCursor"] as? String
                }
                // What was refused left nothing behind.
                #expect(sent == accepted)
            } catch {
                await gateway.stop()
                throw error
            }
            await gateway.stop()
        }
    }
}
