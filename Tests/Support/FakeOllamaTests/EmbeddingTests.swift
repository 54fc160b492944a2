import FakeOllama
import Testing

@Suite struct EmbeddingTests {
    private func cosine(_ one: String, _ other: String) -> Float {
        let embedding = HashedEmbedding(dimensions: 384)
        return zip(embedding.vector(for: one), embedding.vector(for: other)).reduce(0) { $0 + $1.0 * $1.1 }
    }

    @Test func `related texts are nearer than unrelated ones`() {
        let related = cosine("how to sleep better at night", "Notes on better sleep and dark nights")
        let unrelated = cosine("how to sleep better at night", "Feed the sourdough starter with rye flour")
        #expect(related > unrelated + 0.2)
    }

    @Test func `an inflected word is near its stem`() {
        #expect(cosine("sleep", "sleeping") > cosine("sleep", "mountain") + 0.2)
    }

    @Test(arguments: ["search_query: ", "search_document: ", "query: ", "passage: "])
    func `a model's prefix does not change the vector`(prefix: String) {
        #expect(cosine(prefix + "a spring tide", "a spring tide") > 0.9999)
    }

    @Test(arguments: [1, 7, 384, 1024])
    func `vectors have the length asked for and the norm one`(dimensions: Int) {
        for text in ["a spring tide", "", "…"] {
            let vector = HashedEmbedding(dimensions: dimensions).vector(for: text)
            #expect(vector.count == dimensions)
            let isFinite = vector.allSatisfy { $0.isFinite }
            #expect(isFinite)
        }
        let vector = HashedEmbedding(dimensions: dimensions).vector(for: "tide")
        let norm: Float = vector.reduce(0) { $0 + $1 * $1 }
        #expect(abs(norm - 1) < 1e-5)
    }
}
