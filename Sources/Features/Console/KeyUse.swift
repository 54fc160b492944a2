package import GatewayAPI
package import KeyRoom

/// What each key has used today, for `GET /api/admin/stats`.
package enum KeyUse {
    /// The keys that are not revoked; none while the database cannot be read.
    ///
    /// - Parameter now: In seconds since 1970.
    package static func today(_ store: KeyRoom, now: Int64) async -> [StatsResponse.Key] {
        let today = UTCDay(unixSeconds: now)
        guard let records = try? await store.all(), let usage = try? await store.usage(since: today)
        else { return [] }
        var spent: [Int64: KeyUsage] = [:]
        for (place, count) in usage { spent[place.key, default: KeyUsage()].add(count) }
        return records.filter { $0.revokedAt == nil }.map { record in
            let usage = spent[record.id] ?? KeyUsage()
            return .init(
                id: record.id, name: record.name, requests: usage.requests, refused: usage.refused,
                tokens: usage.tokens, lastUsedAt: record.lastUsedAt)
        }
    }
}
