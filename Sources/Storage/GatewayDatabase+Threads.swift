import Foundation
import GRDB

extension GatewayDatabase {
    /// The threads that are meant by any of the words: a thread's id in digits, or its name compared without case and
    /// without the white space around it. A word that is the id of one thread and the name of another means both.
    ///
    /// - Returns: Their ids; empty when nothing fits, or the file has no threads.
    public func threadIDs(matching namesOrIDs: [String]) async throws -> Set<Int64> {
        let words = Set(namesOrIDs.map(Self.folded)).subtracting([""])
        guard !words.isEmpty, columns.threads.contains("id") else { return [] }
        let name = columns.threads.contains("name") ? "name" : "NULL"
        return try await read { database in
            var found: Set<Int64> = []
            let rows = try Row.fetchCursor(
                database, sql: "SELECT id, \(name) FROM threads WHERE typeof(id) = 'integer'")
            while let row = try rows.next() {
                let id: Int64 = row[0]
                let name: String? = row[1]
                if words.contains(String(id)) || name.map({ words.contains(Self.folded($0)) }) == true {
                    found.insert(id)
                }
            }
            return found
        }
    }

    private static func folded(_ name: String) -> String {
        name.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    }
}
