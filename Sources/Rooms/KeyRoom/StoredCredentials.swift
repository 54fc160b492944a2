import Database

/// Keys with their usage and browser sessions, as they move to another store.
package struct StoredCredentials: Sendable {
    /// Keys, revoked ones included, by id.
    package var keys: [KeyRecord]
    package var usage: [(place: KeyDay, usage: KeyUsage)]
    package var sessions: [WebSessionRecord]

    /// These credentials as they fit into a store that has some: a known key keeps its id there, another one its own id or
    /// the next free one, and a live name that is taken gets a number.
    func placed(among existing: [KeyRecord]) throws(StorageError) -> StoredCredentials {
        let known = Dictionary(existing.map { ($0.hash, $0) }) { first, _ in first }
        var taken = Set(existing.map(\.id))
        var names = Set(existing.filter { $0.revokedAt == nil }.map(\.name))
        var next = max(existing.map(\.id).max() ?? 0, keys.map(\.id).max() ?? 0)
        var ids: [Int64: Int64] = [:]
        var placed = self
        for place in placed.keys.indices {
            let old = placed.keys[place].id
            if let before = known[placed.keys[place].hash] {
                placed.keys[place].id = before.id
                if before.revokedAt == nil { names.remove(before.name) }
            } else if taken.contains(old) {
                next += 1
                placed.keys[place].id = next
            }
            taken.insert(placed.keys[place].id)
            if placed.keys[place].revokedAt == nil {
                placed.keys[place].name = try KeyRoom.freeName(placed.keys[place].name, among: names)
                names.insert(placed.keys[place].name)
            }
            ids[old] = placed.keys[place].id
        }
        // A maker that is not among the keys is an id of no row, so the key counts as revoked.
        for place in placed.keys.indices { placed.keys[place].parent = placed.keys[place].parent.map { ids[$0] ?? -1 } }
        placed.usage = usage.compactMap { row in
            ids[row.place.key].map { (place: KeyDay(key: $0, day: row.place.day), usage: row.usage) }
        }
        placed.sessions = sessions.compactMap { session in
            guard case .key(let id) = session.owner else { return session }
            return ids[id].map {
                var session = session
                session.owner = .key($0)
                return session
            }
        }
        return placed
    }
}

extension KeyRoom {
    /// Returns the keys with their usage and browser sessions.
    package func credentials() async throws -> StoredCredentials {
        try await store.quickSnapshot { session in
            StoredCredentials(
                keys: try Self.all(session), usage: try Self.usage(since: UTCDay(unixSeconds: 0), session),
                sessions: try WebSessionRoom.all(session))
        }
    }

    /// Adds keys, or brings those that are known up to date. Other keys stay.
    package func add(_ credentials: StoredCredentials) async throws {
        try await store.transaction { session in
            try Self.lock(session)
            let placed = try credentials.placed(among: Self.all(session))
            let changed = (["name", "last_used_at", "revoked_at", "parent"] + KeyGrant.columns())
                .map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
            for key in placed.keys {
                try session.run(
                    """
                    INSERT INTO gateway_keys (\(KeyRecord.valueColumns), id) VALUES (\((key.values + [.integer(key.id)]).places))
                    ON CONFLICT (id) DO UPDATE SET \(changed)
                    """, key.values + [.integer(key.id)])
            }
            if let last = placed.keys.map(\.id).max() {
                _ = try session.rows(session.dialect.numbersRows(of: "gateway_keys", "id"), [.integer(max(last, 1))])
            }
            try session.run(
                """
                INSERT INTO gateway_key_usage (\(Self.usageColumns))
                \(session.dialect.list("$1", Self.usageFields, texts: ["day"])) WHERE true
                ON CONFLICT (day, key_id) DO UPDATE SET requests = excluded.requests, refused = excluded.refused,
                prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens, cost = excluded.cost
                """, [.list(placed.usage.map { Self.values($0.place, $0.usage) })])
            for place in placed.sessions { _ = try WebSessionRoom.insert(place, session) }
        }
    }
}
