package import ChatRoom
import Database
package import Finding
package import GatewayAPI
import Questions
import Text

/// Finds memories for the search over all kinds, by the search of the memories.
package struct MemoriesFinder: FindSource {
    /// The least cosine of a memory that has no word of the text. The search ranks all memories, however far they are.
    private static let minSimilarity = 0.5
    /// The most memories of a search: they are short and few are meant.
    private static let most = 30

    package let kind = FindKind.memories
    package let usesMeaning = true
    package let scans = false
    private let retrieval: MemoryRetrieval
    private let store: MemoryRoom

    package init(retrieval: MemoryRetrieval, store: MemoryRoom) { (self.retrieval, self.store) = (retrieval, store) }

    package func find(_ question: FindQuestion, byMeaning: Bool) async throws -> FindCandidates {
        let filters = question.operators.filters
        guard filters.allSatisfy({ $0.name == .type }) else { return FindCandidates() }
        guard !question.words.isEmpty else {
            return FindCandidates(try await store.page(limit: FindCandidates.most).items.map(Self.candidate))
        }
        var query = MemoryRetrieval.Query(
            text: question.text, limit: question.operators.hasOperators ? FindCandidates.most : Self.most,
            types: Set(question.operators.values(.type)), account: question.account)
        query.usesVectors = byMeaning
        let reply = try await retrieval.retrieve(query)
        let near = reply.results.filter { found in
            guard let similarity = found.similarity else { return true }
            return similarity >= Self.minSimilarity
                || question.words.contains { $0.weight == 1 && $0.needle.isIn(found.memory.content) }
        }
        return FindCandidates(
            near.map { Self.candidate($0.memory) }, wordsOnly: near.isEmpty ? nil : reply.fallbackReason)
    }

    private static func candidate(_ memory: Memory) -> FindCandidate {
        var candidate = FindCandidate(id: String(memory.id), title: "", text: memory.content)
        candidate.createdAt = memory.createdAt
        candidate.labels.types = [memory.type].compactMap(\.self)
        candidate.labels.time = memory.createdAt.flatMap(Timestamp.unixSeconds)
        return candidate
    }
}
