import Database

/// The deliveries that go into one digest.
package struct DueDigest: Sendable {
    package var device: StoredPushDevice
    /// When it is due, in milliseconds since 1970.
    package var due: Int64
    package var parts: [(delivery: StoredPushDelivery, message: StoredPushMessage)]

    /// What makes it unique over all servers.
    package var origin: String { "digest/\(device.id)/\(due)" }
}

extension PushOutbox {
    /// Deliveries in one digest at most; more of them follow in another one.
    package static let maxDigest = 500

    /// Returns the digests that are due, at most `limit`.
    package func dueDigests(limit: Int) async throws -> [DueDigest] {
        try await store.snapshot { session in
            let groups = try session.rows(
                """
                SELECT DISTINCT digest_due, device_id FROM gateway_push_deliveries
                WHERE state = 3 AND digest_id IS NULL AND digest_due <= $1 ORDER BY digest_due, device_id LIMIT $2
                """, [.integer(try session.clock().now), .count(limit)])
            let words = session.dialect
            return try groups.compactMap { group in
                guard let due = group.integer(0), let id = group.integer(1),
                    let device = try PushDeviceStore.all(session, where: "d.id = $1", [.integer(id)]).first
                else { return nil }
                let rows = try session.rows(
                    """
                    SELECT \(StoredPushDelivery.columns(words)), \(StoredPushMessage.columns(words))
                    FROM gateway_push_deliveries v JOIN gateway_push_messages m ON m.id = v.message_id
                    WHERE v.state = 3 AND v.digest_id IS NULL AND v.digest_due = $1 AND v.device_id = $2
                    ORDER BY v.id LIMIT $3
                    """, [.integer(due), .integer(id), .count(Self.maxDigest)])
                let parts = rows.compactMap { row -> (delivery: StoredPushDelivery, message: StoredPushMessage)? in
                    guard let delivery = StoredPushDelivery(row),
                        let message = StoredPushMessage(row, from: StoredPushDelivery.columnCount)
                    else { return nil }
                    return (delivery, message)
                }
                return parts.isEmpty ? nil : DueDigest(device: device, due: due, parts: parts)
            }
        }
    }

    /// Stores the message of a digest and marks its parts, in one transaction. Another server may have done so before;
    /// then nothing changes.
    package func store(_ digest: DueDigest, as draft: PushDraft) async throws {
        var draft = draft
        draft.origin = "\(digest.origin)/\(digest.parts.first?.delivery.id ?? 0)"
        let (own, ids) = (draft, digest.parts.map(\.delivery.id))
        try await store.transaction { session in
            let now = try session.clock().now
            let message = try Self.submit(own, now: now, session).message.id
            for id in ids {
                try session.run(
                    """
                    UPDATE gateway_push_deliveries SET digest_id = $1, updated_at = $2
                    WHERE id = $3 AND state = 3 AND digest_id IS NULL
                    """, [.integer(message), .integer(now), .integer(id)])
            }
        }
    }
}
