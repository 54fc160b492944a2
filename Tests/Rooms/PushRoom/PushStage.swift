import Database
import Foundation
import GatewayAPI
import Machine
import PushRoom
import Storage
import StoreTestSupport
import TestSupport

/// Notifications in a store, as two gateways see them.
struct PushStage {
    let room: PushRoom
    /// The room of another gateway on the same store.
    let other: PushRoom
    private let stage: StoreStage

    /// What the rooms are on.
    var store: any GatewayStore { stage.store }

    /// Makes an empty store; nil where there can be no server.
    init?(_ place: NotesPlace, owners: PushOwners = PushOwners(may: { _, _, _ in true }, family: { [$0] })) async throws
    {
        guard let stage = try await StoreStage(place) else { return nil }
        self.stage = stage
        room = PushRoom(stage.store, clock: { Timestamp.milliseconds }, owners: { owners })
        other = PushRoom(stage.other, clock: { Timestamp.milliseconds }, owners: { owners })
    }

    static func device(_ name: String, _ room: PushRoom, owner: Int64? = nil) async throws -> StoredPushDevice {
        var registration = PushRegistration(name: name, channel: "stream", address: name, target: "{}")
        registration.owner = owner
        return try await room.devices.register(registration).device
    }

    static func draft(
        _ devices: [StoredPushDevice], _ body: String = #"{"title":"a"}"#, priority: Int = 3
    ) -> PushDraft {
        PushDraft(
            topic: "default", priority: priority, body: Data(body.utf8), source: "api", devices: devices.map(\.id))
    }

    /// Takes all that is due, as one worker.
    static func take(_ room: PushRoom, lease: Int64 = 60_000, limit: Int = 100) async throws -> [PushWork] {
        try await room.outbox.take(limit, of: "stream", lease: lease, as: WorkerName())
    }

    /// What a worker records of a delivery.
    static func record(_ work: PushWork, _ state: PushState, event: String? = nil) -> PushRecord {
        var record = PushRecord(work.delivery, revision: work.message.revision)
        record.delivery.state = state
        record.delivery.attempts += 1
        record.delivery.due = 0
        if state == .sent { record.delivery.sentAt = work.message.createdAt }
        record.event = event.map { ($0, "") }
        return record
    }
}
