import Retrieval

extension IndexFollower {
    /// The maximum number of attempts of a search whose index file is changed meanwhile.
    static let attemptsWithDamagedFiles = 3

    /// Runs the body again if the index file was changed meanwhile; each refresh takes an intact index.
    nonisolated func withIntactIndex<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 0..<Self.attemptsWithDamagedFiles {
            do {
                return try await body()
            } catch let error as RetrievalError where error.code == .damaged {
                continue
            }
        }
        return try await body()
    }
}
