import GRDB

extension GatewayDatabase {
    /// The notes that came from somewhere with a name of their own, by that name; see ``NoteDraft/externalID``.
    public func notesByExternalID() async throws -> [String: Int64] {
        try await read { database in
            let rows = try Row.fetchCursor(database, sql: "SELECT external_id, note_id FROM gateway_note_sources")
            var notes: [String: Int64] = [:]
            while let row = try rows.next() {
                if let name = row.text(0), let note = row.integer(1) { notes[name] = note }
            }
            return notes
        }
    }
}
