import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import TestSupport
import Testing

/// The model that reads what the parser leaves, through the routes.
@Suite(.serialized) struct GoalModelTests {
    private static let settings = ["goals_zone": "UTC", "goals_model": "llama3.2", "goals_confirm": "at_once"]
    private static let path = "/api/actions/parse"
    private static let words = #"{"text":"zorbed 5 km downhill","turn":"t1"}"#

    private static func proposal(_ reply: LiveGateway.Reply) throws -> GoalProposal {
        try JSONDecoder().decode(GoalProposal.self, from: reply.data)
    }

    @Test func `the missing fields come from the model, and a person confirms`() async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([
            .text(#"{"activity":"run","minutes":null,"day":null,"time":"07:30","goal":null}"#)
        ])
        try await LiveGateway.with(options, settings: Self.settings) { gateway in
            let found = try Self.proposal(try await gateway.done("POST", Self.path, Self.words))
            #expect(found.fromModel == ["activity", "time"] && found.state == "open", "\(found)")
            #expect(found.action?.amounts == [GoalAmount(amount: 5, unit: "km")])
            let body = gateway.lastAsked
            #expect(
                body.contains(#""format""#) && body.contains("zorbed 5 km downhill") && !body.contains(#""amounts""#))
            #expect(try Self.proposal(try await gateway.done("POST", Self.path, Self.words)).id == found.id)
            #expect(gateway.fake.statistics.requests["/api/chat"] == 1)
            // The parser needs no model for this.
            let plain = try Self.proposal(try await gateway.done("POST", Self.path, #"{"text":"ran 5 km"}"#))
            #expect(plain.state == "confirmed" && gateway.fake.statistics.requests["/api/chat"] == 1)
        }
    }

    @Test func `a model that is gone or babbles leaves what the parser read`() async throws {
        try await LiveGateway.with(settings: Self.settings) { gateway in
            for faults in [["drop@/api/show"], ["drop@/api/chat"], ["status=500@/api/chat"], ["cut=1@/api/chat"]] {
                #expect(gateway.fake.setFaults(faults))
                let reply = try await gateway.done(
                    "POST", Self.path, #"{"text":"zorbed 5 km downhill","confirm":false}"#)
                let found = try Self.proposal(reply)
                #expect(found.fromModel == nil && found.unread == ["zorbed", "downhill"], "\(faults) \(reply.text)")
                #expect(found.action?.amounts == [GoalAmount(amount: 5, unit: "km")])
            }
        }
    }

    @Test func `a client that leaves ends the call`() async throws {
        try await LiveGateway.with(settings: Self.settings) { gateway in
            #expect(gateway.fake.setFaults(["stall-first=600@/api/chat"]))
            let work = Task { try await gateway.request("POST", Self.path, Self.words) }
            try await waitUntil { gateway.fake.statistics.requests["/api/chat"] == 1 }
            work.cancel()
            try await waitUntil { gateway.fake.statistics.cancelled >= 1 }
            _ = await work.result
            #expect(gateway.fake.setFaults([]))
            let open = try await gateway.done("GET", "/api/goals/proposals")
            #expect(open.objects("proposals").isEmpty)
        }
    }

    @Test func `a model of a provider elsewhere is not asked, and without a model nobody is`() async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let providers = #"{"away": {"kind": "openai", "url": "\#(provider.baseURL)/v1"}}"#
            let settings = ["goals_zone": "UTC", "goals_model": "away/small", "providers": providers]
            try await LiveGateway.with(settings: settings) { gateway in
                let found = try Self.proposal(try await gateway.done("POST", Self.path, Self.words))
                #expect(found.fromModel == nil && provider.lastRequest == nil)
            }
        }
        try await LiveGateway.with(settings: ["goals_zone": "UTC"]) { gateway in
            _ = try await gateway.done("POST", Self.path, Self.words)
            #expect(gateway.fake.statistics.requests["/api/chat"] == nil)
        }
    }
}
