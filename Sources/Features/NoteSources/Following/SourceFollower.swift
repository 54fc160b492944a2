import GatewayAPI
package import Logging
import Machine
import ServiceLifecycle
import SourceRoom
package import Storage

/// Follows all sources of this machine until graceful shutdown.
///
/// Of several gateways on one store, each source is followed by one.
package struct SourceFollower: Service {
    /// How often the list of sources is read.
    private static let interval = Duration.seconds(2)

    private let room: SourceRoom
    private let isShared: Bool
    private let look: SourceLook
    private let logger: Logger
    private let worker = WorkerName()

    /// - Parameter isShared: Whether other machines use the store, so that paths of sources may be theirs.
    package init(
        store: any GatewayStore, isShared: Bool, claims: @escaping ClaimCheck, logger: Logger
    ) {
        room = store.sources
        self.isShared = isShared
        self.logger = logger
        look = SourceLook(store: store, claims: claims)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { await follow() }
    }

    /// A source that is followed here.
    private struct Followed {
        var source: FollowedSource
        var task: Task<Void, Never>
        /// What its task goes by: with another path or other patterns it begins anew.
        var basis: Source
    }

    private func follow() async {
        var followed: [Int64: Followed] = [:]
        var said: String?
        var renewed = ContinuousClock.now
        while !Task.isCancelled {
            do {
                if !followed.isEmpty, ContinuousClock.now - renewed > SourceRoom.lease / 3 {
                    try await room.renew(as: worker)
                    renewed = .now
                }
                try await renew(&followed)
                said = nil
            } catch is CancellationError {
                break
            } catch {
                if said != "\(error)" { logger.warning("the sources cannot be read", metadata: ["reason": "\(error)"]) }
                said = "\(error)"
            }
            try? await Task.sleep(for: Self.interval)
        }
        for (id, one) in followed { await end(one, id) }
    }

    private func renew(_ followed: inout [Int64: Followed]) async throws {
        var wanted: [Int64: StoredSource] = [:]
        for source in try await room.all()
        where source.source.kind != .script && source.source.state != .paused
            && (!isShared || source.host == nil || source.host == worker.host)
        {
            wanted[source.id] = source
        }
        for (id, one) in followed
        where wanted[id].map({ Self.basis($0.source) != one.basis || $0.owner != worker }) ?? true {
            await end(one, id)
            followed[id] = nil
        }
        for (id, source) in wanted {
            if let known = followed[id] {
                known.source.update(source)
            } else if let claimed = try await room.claim(id, as: worker) {
                let one = FollowedSource(claimed, look, room, logger: logger)
                followed[id] = Followed(
                    source: one, task: Task { await one.run() }, basis: Self.basis(claimed.source))
            }
        }
    }

    private func end(_ one: Followed, _ id: Int64) async {
        one.task.cancel()
        await one.task.value
        let (room, worker) = (room, worker)
        // This task may be cancelled, and the source must be free for the next process.
        await Task { try? await room.release(id, from: worker) }.value
    }

    private static func basis(_ source: Source) -> Source {
        Source(
            id: source.id, name: source.name, kind: source.kind, path: source.path, format: source.format,
            ignore: source.ignore, state: .following, message: nil, files: 0, unread: 0, removed: 0, createdAt: "",
            lookedAt: nil)
    }
}
