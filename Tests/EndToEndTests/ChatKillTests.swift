import ChatRoom
import FakeOllama
import Foundation
import GatewayTestSupport
import Storage
import TestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// `kill -9` of a gateway while it writes an answer: the text is kept to the last second, and the answer goes on.
@Suite(.serialized) struct ChatKills {
    @Test func `a killed gateway leaves an interrupted run with its text, which the next one continues`()
        async throws
    {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 40
        options.tokens = 100_000
        let script = FakeOllama.Script([])
        options.script = script
        let fake = try await FakeOllama.start(options)
        let home = try SeleneHome()
        let environment = ["OLLAMA_HOST": fake.baseURL, "SELENE_BACKFILL": "off"]
        let path = "/api/chat/runs/kill-1"
        try await ServeProcess.with(environment, home: home) { server in
            let begun = try await server.request(
                "POST", "/api/chat/runs", #"{"id":"kill-1","question":"tell me","session":"s","kind":"plain"}"#)
            #expect(begun.status == 201)
            // What is in the database counts, not what the process has in memory.
            let database = try GatewayDatabase(path: home.database)
            try await waitUntil { try await database.answers.find("kill-1")?.text.utf8.count ?? 0 > 100 }
            try database.close()
            try await server.end(SIGKILL)
        }
        #expect(try integrity(of: home.database) == "ok")
        script.append([.text(" and that was all.")])
        try await ServeProcess.with(environment, home: home) { server in
            let kept = try await server.request("GET", path)
            let text = try #require(kept.object["text"] as? String)
            #expect(kept.object["state"] as? String == "interrupted" && text.utf8.count > 100)
            let messages = try await server.request("GET", "/api/sessions/s/messages").objects("messages")
            #expect(messages.map { $0["content"] as? String } == ["tell me", text])
            #expect(try await server.request("POST", path + "/continue").status == 200)
            try await waitUntil { try await server.request("GET", path).object["state"] as? String == "done" }
            let end = try await server.request("GET", path).object
            #expect((end["text"] as? String)?.hasPrefix(text) == true && end["life"] as? Int == 1)
            // The session takes the next question.
            let next = try await server.request(
                "POST", "/api/chat/runs", #"{"id":"kill-2","question":"more","session":"s","kind":"plain"}"#)
            #expect(next.status == 201)
        }
        await fake.shutdown()
    }
}
