import Foundation
import GRDB
import Text

extension ThreadStore {
    /// Finds the threads that match any of the words: a thread's id in digits, or its name. Names ignore case and
    /// surrounding white space. A word that is one thread's id and another's name matches both.
    ///
    /// - Returns: The threads' ids; empty when nothing matches or the file has no threads.
    package func ids(matching namesOrIDs: [String]) async throws -> Set<Int64> {
        try await matches(of: Set(namesOrIDs.map(Self.folded)).subtracting([""])).ids
    }

    /// The words that match no thread, by the rules of ``ids(matching:)``, in their order.
    package func unknown(among namesOrIDs: [String]) async throws -> [String] {
        let known = try await matches(of: Set(namesOrIDs.map(Self.folded)).subtracting([""])).words
        return namesOrIDs.filter { !known.contains(Self.folded($0)) }
    }

    /// The threads that match folded words, and the words that match.
    private func matches(of words: Set<String>) async throws -> (ids: Set<Int64>, words: Set<String>) {
        guard !words.isEmpty else { return ([], []) }
        return try await database.read { database, layout in
            let threads = layout.schema.threads
            guard threads.names.contains("id") else { return ([], []) }
            let name = threads.bounded("t", "name")
            var (ids, known): (Set<Int64>, Set<String>) = ([], [])
            let rows = try Row.fetchCursor(
                try database.cachedStatement(
                    sql: "SELECT t.id, \(name) FROM threads t WHERE typeof(t.id) = 'integer'"))
            while let row = try rows.next() {
                guard let id = row.integer(0) else { continue }
                let found = words.intersection([String(id)] + (row.text(1).map { [Self.folded($0)] } ?? []))
                guard !found.isEmpty else { continue }
                ids.insert(id)
                known.formUnion(found)
            }
            return (ids, known)
        }
    }

    private static func folded(_ name: String) -> String {
        TextFolding.folded(name.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
