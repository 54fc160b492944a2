import FakeOllama
import FakeProviders
import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// The second opinion of `SELENE_CITATIONS_MODEL`: it takes support away and gives none.
@Suite(.serialized) struct ChatJudgeTests {
    private func with(
        _ lines: [FakeOllama.Script.Line], model: String = "llama3.2", settings: [String: String] = [:],
        _ body: (LiveGateway) async throws -> Void
    ) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script(lines)
        let all = settings.merging(["citations_model": model]) { $1 }
        try await LiveGateway.with(options, settings: all) { gateway in
            _ = try await gateway.store.notes.insert([
                NoteDraft(title: "tide", content: "The greatest range comes after full moon.", createdAt: 1),
                NoteDraft(title: "bread", content: "Bread of the range needs 80% hydration.", createdAt: 2),
            ])
            try await body(gateway)
        }
    }

    private let answer = "The greatest range comes after full moon [1]. Bread of the range needs 80% hydration [2]."

    @Test func `what the judge denies loses its support, and nothing else changes`() async throws {
        try await with([
            .text(answer),
            .text(#"{"verdicts":[{"sentence":1,"verdict":"supported"},{"sentence":2,"verdict":"not_supported"}]}"#),
        ]) { gateway in
            let (run, reader) = try await gateway.answer("When is the greatest range?", ["limit": 2])
            let record = try #require(run.record)
            #expect(run.state == .done && record.sentences.map(\.verdict) == [.supported, .unsupported])
            #expect(record.sentences.map(\.differences) == [[], ["judged"]])
            #expect(record.citations.map(\.verdict) == [.supported, .unsupported])
            #expect(record.judgement == ChatJudgement(model: "llama3.2", asked: 2, withdrawn: 1))
            // Readers of the stream know it before the end.
            let last = try #require(reader.all("citation").last)
            #expect("\(last)".contains("judged"))
            let asked = gateway.lastAsked
            #expect(gateway.fake.statistics.requests["/api/chat"] == 2)
            #expect(asked.contains("\"enum\":[\"supported\",\"not_supported\"]"))
            #expect(asked.contains("sentence 2 (notes 2)") && asked.contains("note 1: The greatest range"))
            // Both requests are charged.
            #expect((record.usage?.completionTokens ?? 0) > 0)
            let stored = try await gateway.run(run.id)
            #expect(stored.record?.judgement == record.judgement && stored.record?.sentences == record.sentences)
        }
    }

    @Test func `a judge gives no support`() async throws {
        try await with([
            .text("The greatest range comes before full moon [1]."),
            .text(#"{"verdicts":[{"sentence":1,"verdict":"supported"}]}"#),
        ]) { gateway in
            let run = try await gateway.answer("When is the greatest range?", ["limit": 1]).run
            #expect(run.record?.sentences.contains { $0.verdict == .supported } == false)
            // Nothing is supported, so nobody is asked.
            #expect(run.record?.judgement == nil)
        }
    }

    @Test(.slow, arguments: ["no JSON", #"{"verdicts": 3}"#, #"{"verdicts":[{"sentence":"2"}]}"#, ""])
    func `an answer in another form leaves the rules' verdicts`(text: String) async throws {
        try await with([.text(answer), .text(text)]) { gateway in
            let run = try await gateway.answer("When is the greatest range?", ["limit": 2]).run
            #expect(run.state == .done && run.record?.sentences.map(\.verdict) == [.supported, .supported])
            let judgement = try #require(run.record?.judgement)
            #expect(judgement.withdrawn == 0 && judgement.error?.isEmpty == false)
        }
    }

    @Test func `an unknown sentence number and a verdict of another word change nothing`() async throws {
        try await with([
            .text(answer),
            .text(
                #"{"verdicts":[{"sentence":9,"verdict":"not_supported"},{"sentence":1,"verdict":"perhaps"},{"sentence":9223372036854775807,"verdict":"not_supported"}]}"#
            ),
        ]) { gateway in
            let run = try await gateway.answer("When is the greatest range?", ["limit": 2]).run
            #expect(run.record?.sentences.map(\.verdict) == [.supported, .supported])
            #expect(run.record?.judgement == ChatJudgement(model: "llama3.2", asked: 2))
        }
    }

    @Test(.slow) func `a judge that is away leaves the rules' verdicts and says so`() async throws {
        let providers = #"{"gone": {"kind": "openai", "url": "http://127.0.0.1:1/v1", "local": true}}"#
        try await with([.text(answer)], model: "gone/m", settings: ["providers": providers]) { gateway in
            let run = try await gateway.answer("When is the greatest range?", ["limit": 2]).run
            #expect(run.state == .done && run.record?.sentences.map(\.verdict) == [.supported, .supported])
            #expect(run.record?.judgement?.error == "the model did not answer")
        }
    }

    @Test func `a model on another machine never judges what was answered here`() async throws {
        var options = FakeProvider.Options()
        options.key = nil
        try await FakeProvider.withServer(options) { provider in
            let providers = #"{"away": {"kind": "openai", "url": "\#(provider.baseURL)/v1"}}"#
            try await with([.text(answer)], model: "away/small", settings: ["providers": providers]) { gateway in
                let run = try await gateway.answer("When is the greatest range?", ["limit": 2]).run
                #expect(run.state == .done && run.record?.sentences.map(\.verdict) == [.supported, .supported])
                #expect(run.record?.judgement?.asked == 0 && run.record?.judgement?.error != nil)
                #expect(provider.lastRequest == nil)
            }
        }
    }
}
