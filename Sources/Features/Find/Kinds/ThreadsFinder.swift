import Database
package import Finding
package import GatewayAPI
package import Storage
import Text

/// Finds threads by the words of their names, summaries and reasons.
package struct ThreadsFinder: FindSource {
    /// The most threads that are looked at, the newest first.
    private static let maxThreads = 5000

    package let kind = FindKind.threads
    package let usesMeaning = false
    package let scans = true
    private let store: any GatewayStore

    package init(store: any GatewayStore) { self.store = store }

    package func find(_ question: FindQuestion, byMeaning: Bool) async throws -> FindCandidates {
        let words = GroupNeedles(question.groups)
        let found = try await store.snapshot { session in
            var found: [(isActive: Bool, inName: Int, candidate: FindCandidate)] = []
            let tables = try session.noteTables()
            try session.each(
                """
                SELECT t.id, t.name, t.summary, t.why, t.is_active, t.time FROM \(tables.threads) t
                ORDER BY t.id DESC LIMIT $1
                """, [.count(Self.maxThreads)]
            ) { row in
                guard found.count < FindCandidates.most, let id = row.integer(0) else { return }
                let name = row.text(1) ?? ""
                let text = [row.text(2), row.text(3)].compactMap(\.self).joined(separator: "\n")
                guard words.areIn([name, text]) else { return }
                var candidate = FindCandidate(id: String(id), title: name, text: text)
                candidate.labels.threads = [name, String(id)]
                candidate.labels.places = [name]
                if let time = row.integer(5), time > 0 {
                    candidate.labels.time = time
                    candidate.createdAt = Timestamp.text(time)
                }
                found.append((row.bool(4), words.count(in: name), candidate))
            }
            return found
        }
        let ordered = found.enumerated().sorted { a, b in
            if a.element.inName != b.element.inName { return a.element.inName > b.element.inName }
            if a.element.isActive != b.element.isActive { return a.element.isActive }
            return a.offset < b.offset
        }
        return FindCandidates(ordered.map(\.element.candidate))
    }
}
