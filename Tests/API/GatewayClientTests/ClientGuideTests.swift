import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import TestSupport
import Testing

/// The Swift guide of Documentation/Client.md, compiled and run as it stands there.
@Suite struct ClientGuide {
    // guide begins
    func ask(_ question: String, at address: String) async throws -> String {
        let gateway = try GatewayConnection(address, tokens: EnvironmentTokenStore())
        let notes = RemoteDataService(gateway)
        let models = RemoteOllamaService(gateway)
        let found = try await notes.retrieve(RetrieveRequest(query: question, limit: 3))
        let prompt = found.results.map(\.note.content).joined(separator: "\n") + "\n\n" + question
        var answer = ""
        do {
            for try await piece in try await models.generateStream(GenerateRequest(prompt: prompt)) {
                answer += piece.response
            }
        } catch let error as GatewayClientError where error.kind == .cut {
            answer += " … (\(error.message))"
        }
        return answer
    }
    // guide ends

    @Test func `the guide compiles as it is printed, and works`() async throws {
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let begin = try #require(source.range(of: "    // guide begins\n"))
        let end = try #require(source.range(of: "    // guide ends\n"))
        let code = source[begin.upperBound..<end.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("    ") ? $0.dropFirst(4) : $0 }.joined(separator: "\n")
        let guide = try String(contentsOf: Repository.root.appending(path: "Documentation/Client.md"), encoding: .utf8)
        #expect(guide.contains(code))
        // The last request that the model got is the question: nothing is embedded beside it.
        try await ConnectedClient.with(settings: ["backfill": "off"]) { setting in
            _ = try await setting.data.createNote(NewNote(title: "tide", content: "full moon"))
            #expect(try await !ask("tide?", at: setting.address).isEmpty)
            #expect(setting.fake.statistics.lastBody.contains("full moon"))
        }
    }
}
