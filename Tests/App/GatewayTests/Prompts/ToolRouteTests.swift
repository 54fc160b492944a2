import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import Testing

/// Tools by hand, by the rules of a chat.
@Suite(.serialized) struct ToolRoutes {
    private func with(_ body: (LiveGateway) async throws -> Void) async throws {
        try await LiveGateway.with { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(title: "spring tide", content: "The greatest range comes after full moon.", createdAt: 1),
                NoteDraft(title: "letter", content: "The moon and my father.", createdAt: 2, tags: ["private"]),
            ])
            try await body(gateway)
        }
    }

    private func call(_ gateway: LiveGateway, _ tool: String, _ body: String) async throws -> ToolCallResponse {
        try JSONDecoder().decode(
            ToolCallResponse.self, from: try await gateway.done("POST", "/api/tools/\(tool)", body).data)
    }

    @Test func `the tools are those of chats, with their schemas`() async throws {
        try await with { gateway in
            let tools = try await gateway.done("GET", "/api/tools").objects("tools")
            let names = tools.compactMap { $0["name"] as? String }
            #expect(Set(names).isSuperset(of: ["search_notes", "find_text", "read_note", "list_threads"]))
            let search = try #require(tools.first { $0["name"] as? String == "search_notes" })
            let schema = try #require(search["arguments"] as? [String: Any])
            #expect(schema["type"] as? String == "object" && schema["required"] as? [String] == ["query"])
        }
    }

    @Test func `a call is checked, coerced and answered with passages`() async throws {
        try await with { gateway in
            let found = try await call(gateway, "find_text", #"{"arguments":{"text":"moon","limit":"2"}}"#)
            #expect(found.passages.map(\.number) == [1, 2] && Set(found.passages.map(\.note)) == [1, 2])
            #expect(found.arguments == .object(["text": .string("moon"), "limit": .integer(2)]))
            #expect(found.withheld.isEmpty && found.milliseconds >= 0)
            let shown = try await call(
                gateway, "find_text", #"{"arguments":{"text":"moon"},"withholds_private":true}"#)
            #expect(shown.passages.map(\.note) == [1] && shown.withheld == [2])
            let listed = try await gateway.done("POST", "/api/tools/list_threads")
            #expect(listed.object["name"] as? String == "list_threads")
        }
    }

    @Test func `an unknown tool and wrong arguments are refused with what is expected`() async throws {
        try await with { gateway in
            let unknown = try await gateway.post("/api/tools/serch_notes", "{}")
            #expect(unknown.status == 404 && unknown.error.contains("Did you mean \"search_notes\"?"))
            for (arguments, word) in [
                ("{}", "query"), (#"{"query":"x","limit":1000}"#, "from 1 to 20"), ("[]", "object"),
            ] {
                let wrong = try await gateway.post("/api/tools/search_notes", #"{"arguments":\#(arguments)}"#)
                #expect(wrong.status == 400 && wrong.error.contains(word), "\(wrong.text)")
            }
        }
    }
}
