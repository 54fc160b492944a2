import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// `kill -9` of a gateway while actions are logged: what was answered is there, and repeated requests add nothing.
@Suite(.serialized) struct GoalKills {
    @Test func `a killed gateway keeps each answered action, with its history and its match`() async throws {
        let fake = try await FakeOllama.start()
        let home = try SeleneHome()
        let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_BACKFILL": "off", "SELENE_GOALS_ZONE": "UTC"]
        let ids = (0..<60).map { _ in UUID().uuidString }
        let bodies = ids.map { #"{"id":"\#($0)","title":"Run","amounts":[{"amount":1,"unit":"km"}]}"# }
        var goal = ""
        var answered = 0
        try await ServeProcess.with(environment, home: home) { server in
            let added = try await server.request(
                "POST", "/api/goals", #"{"title":"Run","target":{"amount":50,"unit":"km"},"keywords":["run"]}"#)
            #expect(added.status == 201)
            goal = try #require(added.object["id"] as? String)
            for body in bodies.prefix(20) {
                let reply = try await server.request("POST", "/api/actions", body)
                if reply.status == 201 { answered += 1 }
            }
            // The rest is under way when the process ends.
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for body in bodies.dropFirst(20) {
                    group.addTask {
                        let reply = try? await server.request("POST", "/api/actions", body)
                        return reply?.status == 201
                    }
                }
                try await waitUntil {
                    let list = try await server.request("GET", "/api/actions?limit=200")
                    return (list.object["actions"] as? [Any])?.count ?? 0 > 20
                }
                try await server.end(SIGKILL)
                for try await isAnswered in group where isAnswered { answered += 1 }
            }
        }
        try await ServeProcess.with(environment, home: home) { server in
            let list = try await server.request("GET", "/api/actions?limit=200")
            let stored = (list.object["actions"] as? [Any])?.count ?? 0
            #expect(stored >= answered && answered >= 20)
            for body in bodies { _ = try await server.request("POST", "/api/actions", body) }
            let progress = try await server.request("GET", "/api/goals/\(goal)/progress")
            #expect(progress.object["entries"] as? Int == 60 && progress.object["achieved"] as? Double == 60)
            let rebuilt = try await server.request("POST", "/api/goals/rebuild")
            #expect(rebuilt.object["changed"] as? Int == 0 && rebuilt.object["contributions"] as? Int == 60)
        }
        await fake.shutdown()
    }
}
