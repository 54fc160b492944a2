import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Testing

/// Prompts, tools and benchmarks through the client library.
@Suite struct PromptService {
    @Test func `every call answers with its type`() async throws {
        try await ConnectedClient.with(settings: ["backfill": "off"]) { setting in
            let service = RemotePromptService(try setting.connection())
            let all = try await service.prompts()
            #expect(all.count == all.prompts.count && all.count >= 24)
            #expect(try await service.prompts(kind: "creative", query: "letter").prompts.map(\.id) == ["letter"])
            var change = PromptChange(title: "Moon & sea", kind: "specific", text: "What of {{topic}}?")
            let first = try await service.save("moon", change)
            change.text = "When was {{topic}}?"
            change.base = first.version
            let second = try await service.save("moon", change)
            #expect(first.number == 1 && second.number == 2 && second.title == "Moon & sea")
            #expect(try await service.prompt("moon") == second)
            #expect(try await service.prompt("moon", version: "1") == first)
            #expect(try await service.versions(of: "moon").versions.map(\.number) == [2, 1])
            let diff = try await service.diff(of: "moon", from: "1", to: second.version)
            #expect(diff.lines.suffix(2).map(\.change) == [.removed, .added])
            #expect(try await service.render("moon", ["topic": "full moon"]).text == "When was full moon?")
            // A repeated call is no conflict; another change of the same base is one.
            #expect(try await service.save("moon", change) == second)
            let other = PromptChange(title: "M", kind: "specific", text: "Where?", base: first.version)
            let late = await #expect(throws: GatewayClientError.self) { _ = try await service.save("moon", other) }
            #expect(late?.status == 409)
            #expect(try await service.delete("moon").status == "deleted")
            let missing = await #expect(throws: GatewayClientError.self) { _ = try await service.prompt("moon") }
            #expect(missing?.status == 404)

            _ = try await setting.data.createNote(NewNote(title: "spring tide", content: "full moon"))
            #expect(try await service.tools().tools.contains { $0.name == "find_text" })
            let found = try await service.call(
                "find_text", ToolCallRequest(arguments: .object(["text": .string("moon")])))
            #expect(found.passages.map(\.title) == ["spring tide"])

            let stored = try await service.store(NewBenchRun(name: "b", report: .object(["x": .number(0.5)])))
            #expect(try await service.benchRun(stored.id) == stored)
            #expect(try await service.benchRuns().runs.map(\.id) == [stored.id])
            #expect(try await service.deleteBenchRun(stored.id).id == stored.id)
        }
    }
}
