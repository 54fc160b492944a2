import Folders
package import GatewayAPI
import Machine
package import SourceRoom
package import Storage

/// Looks at a source once in this process, or waits for the gateway that follows it.
package struct SingleLook: Sendable {
    /// How often to look again at files that are still being written, and how long to wait between.
    private static let (repeats, pause) = (5, Duration.milliseconds(500))

    private let store: any GatewayStore
    private let look: SourceLook

    package init(store: any GatewayStore, claims: @escaping ClaimCheck) {
        self.store = store
        look = SourceLook(store: store, claims: claims)
    }

    /// Looks at all files.
    ///
    /// - Parameters:
    ///   - report: Called with how much is done of how much.
    ///   - waiting: Called before the wait for the gateway that follows the source.
    /// - Returns: The source with its counts, and what this process found; nil when another one looked, or there is nothing to
    ///   look at.
    /// - Throws: ``StorageError``, `notFound` for a folder that is away; a server's own error.
    package func run(
        _ source: StoredSource, report: (Int, Int) -> Void, waiting: () -> Void
    ) async throws -> (source: Source, outcome: LookOutcome?) {
        let (room, worker) = (store.sources, WorkerName())
        guard source.source.state != .paused, source.source.kind != .script else {
            return (try await room.figures(of: source).source, nil)
        }
        guard let claimed = try await room.claim(source.id, as: worker) else {
            waiting()
            return (try await wait(source), nil)
        }
        do {
            let outcome = try await all(claimed, report)
            try await room.release(source.id, from: worker)
            let now = try await room.find(source.source.name) ?? source
            return (try await room.figures(of: now).source, outcome)
        } catch {
            try? await room.release(source.id, from: worker)
            if let fault = error as? FolderFault { throw StorageError(.notFound, fault.description) }
            throw error
        }
    }

    private func all(_ source: StoredSource, _ report: (Int, Int) -> Void) async throws -> LookOutcome {
        var total = LookOutcome()
        for turn in 0...Self.repeats {
            total.add(try await look.all(source, report: report))
            guard !total.unsettled.isEmpty, turn < Self.repeats else { break }
            try await Task.sleep(for: Self.pause)
        }
        return total
    }

    private func wait(_ source: StoredSource) async throws -> Source {
        let room = store.sources
        let wish = try await room.want(source.id)
        while true {
            guard let now = try await room.find(source.source.name) else {
                throw StorageError(.notFound, "the source \(source.source.name) was removed")
            }
            if now.lookedAt ?? 0 >= wish { return try await room.figures(of: now).source }
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
