import Foundation
import GatewayAPI
import Testing

@Suite struct WireTypes {
    @Test func `a retrieved note is one flat object and survives a round trip`() throws {
        let note = Note(
            id: 7, title: "潮 table", content: "e\u{301} 🎻", createdAt: "2026-01-02 03:04:05", noteType: "idea",
            tags: ["a"], threads: [.init(id: 1, name: "Petrel")])
        let hit = RetrievedNote(
            note: note, score: 0.5,
            explanation: .init(
                vector: .init(rank: 1, score: 0.9, normalised: 1, weight: 0.5), keyword: nil, relevance: 0.5,
                matchedTerms: ["é"],
                spans: [.init(field: "content", start: 0, end: 3, term: "é")]))
        let data = try JSONEncoder().encode(hit)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["note_type"] as? String == "idea")
        #expect(object["score"] as? Double == 0.5)
        #expect(object["note"] == nil)
        #expect(try JSONDecoder().decode(RetrievedNote.self, from: data) == hit)
    }

    @Test func `whole numbers stay whole through a JSON value`() throws {
        let text = #"{"a":[1,-2,9007199254740993],"b":1.5,"c":null,"d":true,"e":"x"}"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
    }

    @Test(arguments: [(#""idea""#, ["idea"]), (#"["idea","task"]"#, ["idea", "task"]), ("[]", [])])
    func `a filter is one string or a list of strings`(text: String, values: [String]) throws {
        let decoded = try JSONDecoder().decode(RetrieveRequest.OneOrMore.self, from: Data(text.utf8))
        #expect(decoded.values == values)
    }

    @Test(
        arguments: [
            ("true", RerankOption(isOn: true)), ("false", false),
            (#"{"candidates":50}"#, .init(isOn: true, candidates: 50)),
        ] as [(String, RerankOption)])
    func `a reranker is wanted, not wanted, or wanted for a number of results`(text: String, option: RerankOption)
        throws
    {
        #expect(try JSONDecoder().decode(RerankOption.self, from: Data(text.utf8)) == option)
        #expect(String(decoding: try JSONEncoder().encode(option), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(RerankOption.self, from: Data("{}".utf8)) == true)
        for wrong in ["7", #""yes""#, "[]", "null", #"{"candidates":"x"}"#] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(RerankOption.self, from: Data(wrong.utf8)) }
        }
    }

    @Test func `a filter of another type is refused`() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(RetrieveRequest.OneOrMore.self, from: Data("7".utf8))
        }
    }

    @Test func `requests use the names that existing clients send`() throws {
        let text = #"""
            {"query":"tide","limit":3,"noteType":"idea","timeScope":{"days":7},"keywords":["neap"],"mode":"hybrid"}
            """#
        let request = try JSONDecoder().decode(RetrieveRequest.self, from: Data(text.utf8))
        #expect(request.noteType?.values == ["idea"])
        #expect(request.timeScope?.days == 7)
        #expect(request.mode == .hybrid)
        let generate = try JSONDecoder().decode(
            GenerateRequest.self, from: Data(#"{"prompt":"hi","keep_alive":-1,"options":{"num_ctx":8192}}"#.utf8))
        #expect(generate.keepAlive == .integer(-1))
        #expect(generate.options == ["num_ctx": .integer(8192)])
    }
}
