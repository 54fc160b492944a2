import GatewayAPI
import TestSupport
import Testing

@testable import Inference

/// What servers answer to `/rerank`, and the order that follows.
@Suite struct RerankAnswers {
    private func answer(_ json: String, texts: Int = 3) throws -> RerankAnswer? {
        try RerankAnswer(#require(JSONDocument(parsing: Array(json.utf8)).value), texts: texts)
    }

    @Test(arguments: [
        #"{"model":"m","results":[{"index":2,"relevance_score":0.9},{"index":0,"relevance_score":-1}],"usage":{"total_tokens":7}}"#,
        #"{"object":"list","data":[{"index":0,"relevance_score":-1,"document":"x"},{"index":2,"relevance_score":0.9}],"usage":{"prompt_tokens":7}}"#,
        #"{"results":[{"index":2,"score":0.9,"document":{"text":"x"}},{"index":0,"score":-1.0}],"usage":{"total_tokens":7}}"#,
    ])
    func `the forms of several servers are read`(json: String) throws {
        let answer = try #require(try answer(json))
        #expect(answer.scores == [-1, nil, 0.9] && answer.tokens == 7)
    }

    @Test func `a plain list is read`() throws {
        let answer = try #require(try answer(#"[{"index":1,"score":0.25},{"index":0,"score":4,"text":"x"}]"#))
        #expect(answer.scores == [4, 0.25, nil] && answer.tokens == nil && answer.count == 2)
    }

    @Test(
        arguments: [
            (#"{"results":[{"index":7,"relevance_score":1},{"index":-1,"relevance_score":1}]}"#, [nil, nil, nil]),
            (#"{"results":[{"index":9223372036854775807,"relevance_score":1}]}"#, [nil, nil, nil]),
            (#"{"results":[{"index":1,"relevance_score":2},{"index":1,"relevance_score":9}]}"#, [nil, 2, nil]),
            (
                #"{"results":[{"index":1,"relevance_score":null},{"index":0,"relevance_score":"0.5"}]}"#,
                [nil, nil, nil]
            ),
            (#"{"results":[{"relevance_score":2},{"index":"1","relevance_score":2},3,null,[]]}"#, [nil, nil, nil]),
            (
                #"{"results":[{"index":0,"relevance_score":1e999},{"index":2,"relevance_score":1e-300}]}"#,
                [nil, nil, 1e-300]
            ),
            (#"{"results":[]}"#, [nil, nil, nil]),
        ] as [(String, [Double?])])
    func `what fits no text is left out`(json: String, scores: [Double?]) throws {
        // A parser may refuse a number that no Double holds; then there is no answer at all.
        guard let value = try? JSONDocument(parsing: Array(json.utf8)).value else { return }
        #expect(RerankAnswer(value, texts: 3)?.scores == scores)
    }

    @Test(arguments: ["{}", "7", "null", #"{"results":{}}"#, #"{"results":null}"#, #"{"error":"x"}"#])
    func `an answer without a list is none`(json: String) throws {
        #expect(try answer(json) == nil)
    }

    @Test func `the order has every place once, and those without a score keep theirs`() {
        #expect(RerankOrder.places(by: []) == [])
        #expect(RerankOrder.places(by: [nil, nil]) == [0, 1])
        #expect(RerankOrder.places(by: [1, 1, 1]) == [0, 1, 2])
        #expect(RerankOrder.places(by: [1, nil, 3, 2]) == [2, 1, 3, 0])
        var random = SeededGenerator(1)
        for _ in 0..<500 {
            let scores = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                Bool.random(using: &random) ? Double(Int.random(in: -3...3, using: &random)) : nil
            }
            let order = RerankOrder.places(by: scores)
            #expect(order.sorted() == Array(scores.indices))
            for place in scores.indices where scores[place] == nil { #expect(order[place] == place) }
            let ranked = order.filter { scores[$0] != nil }
            for (before, after) in zip(ranked, ranked.dropFirst()) {
                let (a, b) = (scores[before] ?? 0, scores[after] ?? 0)
                #expect(a > b || a == b && before < after)
            }
        }
    }
}
