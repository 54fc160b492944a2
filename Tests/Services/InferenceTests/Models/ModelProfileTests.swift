import Testing

@testable import Inference

@Suite struct Profiles {
    @Test(arguments: [
        ("nomic-embed-text", "search_query: q"), ("library/nomic-embed-text:v1.5", "search_query: q"),
        ("bge-m3", "q"), ("bge-large", "Represent this sentence for searching relevant passages: q"),
        ("all-minilm:latest", "q"), ("unknown", "q"), ("embeddinggemma:300m", "task: search result | query: q"),
    ])
    func `a model's queries get its prefix`(model: String, expected: String) {
        #expect(ModelProfile(model: model).prepared("q", kind: .query) == expected)
    }

    @Test func `documents get theirs`() {
        #expect(ModelProfile(model: "nomic-embed-text").prepared("d", kind: .document) == "search_document: d")
        #expect(ModelProfile(model: "multilingual-e5-large").prepared("d", kind: .document) == "passage: d")
    }
}
