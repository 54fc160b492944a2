import Foundation
import GRDB

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
        try await database.read { database in
            let now = clock()
            let groups = try Row.fetchAll(
                database,
                sql: """
                    SELECT DISTINCT digest_due, device_id FROM gateway_push_deliveries
                    WHERE state = 3 AND digest_id IS NULL AND digest_due <= ? ORDER BY digest_due, device_id LIMIT ?
                    """, arguments: [now, limit])
            return try groups.compactMap { group in
                guard let due = group.integer(0), let id = group.integer(1),
                    let device = try PushDeviceStore.all(database, where: "d.id = ?", [id]).first
                else { return nil }
                let rows = try Row.fetchCursor(
                    database,
                    sql: """
                        SELECT \(StoredPushDelivery.columns), \(StoredPushMessage.columns)
                        FROM gateway_push_deliveries v JOIN gateway_push_messages m ON m.id = v.message_id
                        WHERE v.state = 3 AND v.digest_id IS NULL AND v.digest_due = ? AND v.device_id = ?
                        ORDER BY v.id LIMIT ?
                        """, arguments: [due, id, Self.maxDigest])
                var parts: [(delivery: StoredPushDelivery, message: StoredPushMessage)] = []
                while let row = try rows.next() {
                    guard let delivery = StoredPushDelivery(row), let message = StoredPushMessage(row) else { continue }
                    parts.append((delivery, message))
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
        try await database.write { database in
            let message = try Self.submit(own, now: clock(), database)
            let update = try database.makeStatement(
                sql: """
                    UPDATE gateway_push_deliveries SET digest_id = ?, updated_at = ?
                    WHERE id = ? AND state = 3 AND digest_id IS NULL
                    """)
            for id in ids { try update.execute(arguments: [message.message.id, clock(), id]) }
        }
    }
}
