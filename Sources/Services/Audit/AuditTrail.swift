package import AuditRoom
package import GatewayAPI
package import Logging
import Synchronization

/// Writes entries of the audit beside the changes that they tell of.
///
/// An entry follows its change. A failure to write it is logged with the whole entry, and takes nothing back; a caller waits for
/// ``maxWait`` at most, and the write goes on. So a crash between the two loses the entry, and a full disk or a locked file never
/// stops an administrator.
package final class AuditTrail: Sendable {
    /// The longest that a change waits for its entry.
    package static let maxWait = Duration.seconds(1)
    /// The number of entries that wait to be written; those beyond go to the log alone.
    static let maxPending = 200

    private let room: AuditRoom
    private let logger: Logger
    private let wait: Duration
    private let state = Mutex(State())

    private struct State {
        var pending: [UInt64: Task<Void, Never>] = [:]
        var last: UInt64 = 0
    }

    /// - Parameter wait: How long ``record(_:)`` waits at most.
    package init(_ room: AuditRoom, wait: Duration = AuditTrail.maxWait, logger: Logger) {
        (self.room, self.wait, self.logger) = (room, wait, logger)
    }

    /// Writes an entry. Returns when it is written, when that failed, or after a bounded wait. Cancelling the caller does not end
    /// the write.
    package func record(_ entry: AuditEntry) async {
        guard let write = begin(entry) else { return }
        if await !Self.isDone([write], within: wait), !Task.isCancelled {
            logger.warning("an entry of the audit waits to be written", metadata: ["action": "\(entry.action)"])
        }
    }

    /// Writes an entry beside its caller, which does not wait.
    package func recordLater(_ entry: AuditEntry) { _ = begin(entry) }

    /// Waits for the entries that are not written yet, for a limited time.
    package func drain(within time: Duration) async {
        _ = await Self.isDone(state.withLock { Array($0.pending.values) }, within: time)
    }

    /// Nil when too many wait.
    private func begin(_ entry: AuditEntry) -> Task<Void, Never>? {
        let write = state.withLock { state -> Task<Void, Never>? in
            guard state.pending.count < Self.maxPending else { return nil }
            state.last &+= 1
            let number = state.last
            let write = Task {
                do {
                    try await self.room.append(entry)
                } catch {
                    self.lost(entry, "\(error)")
                }
                _ = self.state.withLock { $0.pending.removeValue(forKey: number) }
            }
            state.pending[number] = write
            return write
        }
        if write == nil { lost(entry, "too many entries wait") }
        return write
    }

    private func lost(_ entry: AuditEntry, _ reason: String) {
        var metadata: Logger.Metadata = ["reason": "\(reason)"]
        for (name, value) in [
            ("action", entry.action), ("by", entry.by), ("key_id", entry.keyID.map(String.init)),
            ("object", entry.object), ("object_id", entry.objectID), ("detail", entry.detail),
            ("outcome", entry.outcome), ("status", entry.status.map(String.init)), ("request_id", entry.requestID),
        ] {
            // The log has no keys either.
            if let value { metadata[name] = "\(AuditRoom.clean(value))" }
        }
        logger.error("an entry of the audit was not written", metadata: metadata)
    }

    /// Whether tasks end within a time, or before the caller is cancelled.
    private static func isDone(_ tasks: [Task<Void, Never>], within time: Duration) async -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let waiting = Task {
            for task in tasks { await task.value }
            end.yield(true)
            end.finish()
        }
        let timeout = Task {
            try? await Task.sleep(for: time)
            end.finish()
        }
        defer {
            timeout.cancel()
            waiting.cancel()
        }
        for await isDone in ends { return isDone }
        return false
    }
}
