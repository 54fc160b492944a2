package import Database
package import GatewayAPI

extension SQLStore {
    /// The audit of administrative changes.
    package var audit: AuditRoom { AuditRoom(store: self) }
}

/// Which entries are wanted; nil for any.
package struct AuditFilter: Sendable, Hashable {
    /// What was done.
    package var action: AuditAction?
    /// The row of the caller's key.
    package var keyID: Int64?
    /// The earliest time, in milliseconds since 1970.
    package var since: Int64?

    package init(action: AuditAction? = nil, keyID: Int64? = nil, since: Int64? = nil) {
        (self.action, self.keyID, self.since) = (action, keyID, since)
    }
}

/// Stores administrative changes. Entries are added and never changed; the oldest beyond ``maxEntries`` go.
///
/// The bound is a number and not an age: a wrong clock cannot empty the table. Methods throw ``StorageError``, and a server's own
/// error while it is away.
package struct AuditRoom: Sendable {
    /// The number of the latest entries to keep.
    package static let maxEntries = 100_000
    /// The longest stored text, in bytes; longer ones are cut.
    package static let maxBytes = 300

    let store: any SQLStore
    /// The number of the latest entries that this room keeps.
    package let most: Int

    /// - Parameter most: ``maxEntries`` except in tests.
    package init(store: any SQLStore, most: Int = AuditRoom.maxEntries) { (self.store, self.most) = (store, most) }

    /// Adds an entry. Its id and time are the store's, whatever the entry says. Texts are shortened, and what looks like a key in
    /// them is masked.
    ///
    /// - Returns: The id.
    @discardableResult
    package func append(_ entry: AuditEntry) async throws -> Int64 {
        let texts = [
            entry.by, entry.action, entry.object, entry.objectID, entry.detail, entry.outcome, entry.requestID,
        ].map { SQLValue.text($0.map(Self.clean)) }
        let most = Int64(most)
        return try await store.transaction { session in
            // One after another, so that the order of the ids is that of the entries.
            try session.lock("gateway_audit")
            let row = try session.first(
                """
                INSERT INTO gateway_audit (by_name, action, object, object_id, detail, outcome, request_id, at, key_id, status)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id
                """,
                texts + [.integer(try session.clock().now), .integer(entry.keyID), .count(entry.status)])
            guard let id = row?.integer(0) else {
                throw StorageError(.failed, "the id of a new entry of the audit cannot be read")
            }
            try session.run("DELETE FROM gateway_audit WHERE id <= $1", [.integer(id - most)])
            return id
        }
    }

    /// Returns entries, the latest first.
    ///
    /// - Throws: ``StorageError/Code/invalid`` for the cursor of another list.
    package func page(_ filter: AuditFilter = .init(), after cursor: PageCursor?, limit: Int) async throws -> Page<
        AuditEntry
    > {
        try cursor?.check(numbers: 1)
        let rows = try await store.rows(
            """
            SELECT \(Self.columns) FROM gateway_audit WHERE ($1 IS NULL OR id < $1) AND ($2 IS NULL OR action = $2)
            AND ($3 IS NULL OR key_id = $3) AND ($4 IS NULL OR at >= $4) ORDER BY id DESC LIMIT $5
            """,
            [
                .integer(cursor?.numbers.first), .text(filter.action?.rawValue), .integer(filter.keyID),
                .integer(filter.since), .count(limit + 1),
            ])
        let found = rows.compactMap { row in
            Self.entry(row).map { (item: $0, cursor: PageCursor(before: $0.id)) }
        }
        return Page(found, limit: limit) { _ in Self.maxBytes }
    }

    // MARK: Rows

    private static let columns =
        "id, at, by_name, key_id, action, object, object_id, detail, outcome, status, request_id"

    /// Nil without an id.
    private static func entry(_ row: SQLRow) -> AuditEntry? {
        row.integer(0).map {
            AuditEntry(
                id: $0, at: Timestamp.milliseconds(row.integer(1) ?? 0), by: row.text(2) ?? "", keyID: row.integer(3),
                action: row.text(4) ?? "", object: row.text(5), objectID: row.text(6), detail: row.text(7),
                outcome: row.text(8) ?? "", status: row.integer(9).map { Int(clamping: $0) }, requestID: row.text(10))
        }
    }

    // MARK: Texts

    /// The starts of secrets: keys, keys for paths, sessions.
    private static let secrets = ["slk_", "slp_", "slw_"]
    /// The shortest rest that makes such a start a secret: the beginning that lists of keys show is none.
    private static let secretLength = 12

    /// Cuts a text, drops control characters, and masks what looks like a key: somebody may paste one as a name.
    package static func clean(_ text: String) -> String {
        var short = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars where scalar.properties.generalCategory != .control {
            bytes += String(scalar).utf8.count
            guard bytes <= maxBytes else { break }
            short.append(scalar)
        }
        let kept = String(short)
        guard secrets.contains(where: kept.contains) else { return kept }
        var (masked, rest) = ("", kept[...])
        while let place = secrets.compactMap({ rest.firstRange(of: $0) }).min(by: { $0.lowerBound < $1.lowerBound }) {
            masked += rest[..<place.upperBound]
            rest = rest[place.upperBound...]
            let secret = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
            masked += secret.count < secretLength ? secret : "…"
            rest = rest[secret.endIndex...]
        }
        return masked + rest
    }
}
