import Folders
import GatewayAPI
import Logging
import Machine
import SourceRoom
import Storage
import Synchronization

/// Follows one source until its task is cancelled: looks at what was touched, and at everything from time to time.
///
/// The state is behind one lock.
final class FollowedSource: Sendable {
    /// How long a path must be quiet before it is looked at.
    static let quiet = Duration.milliseconds(400)
    /// How long to wait for a path to be quiet, and for a folder to come back.
    private static let (pause, away) = (Duration.milliseconds(150), Duration.seconds(10))
    /// The time between two looks at everything: with events, and at least without them.
    private static let (rest, leastRest) = (Duration.seconds(600), Duration.seconds(2))
    /// A look at everything takes at most one part in this many of the time.
    private static let restShare = 500
    /// Above this number of touched paths, everything is looked at.
    private static let mostPaths = 2000

    private let look: SourceLook
    private let room: SourceRoom
    private let logger: Logger
    private let latest: Mutex<StoredSource>
    private let pokes: AsyncStream<Void>
    private let poke: AsyncStream<Void>.Continuation

    init(_ source: StoredSource, _ look: SourceLook, _ room: SourceRoom, logger: Logger) {
        (self.look, self.room, self.logger) = (look, room, logger)
        latest = Mutex(source)
        (pokes, poke) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Takes the source as it is stored now, and lets it be looked at.
    func update(_ source: StoredSource) {
        latest.withLock { $0 = source }
        poke.yield()
    }

    func run() async {
        var watch: FolderWatch?
        var next = ContinuousClock.now
        var said: String?
        poke.yield()
        for await _ in pokes {
            if Task.isCancelled { break }
            let source = latest.withLock { $0 }
            let wait: Duration
            do {
                wait = try await step(source, &watch, &next)
                said = nil
            } catch is CancellationError {
                break
            } catch {
                if Task.isCancelled { break }
                // A folder that is away, or a server, may be so for days: it is said once.
                if said != "\(error)" {
                    logger.warning(
                        "a source cannot be followed for now",
                        metadata: ["source": "\(source.source.name)", "reason": "\(error)"])
                }
                said = "\(error)"
                watch?.end()
                watch = nil
                next = .now + Self.away
                wait = .zero
            }
            if wait > .zero { wake(after: wait) }
        }
        watch?.end()
    }

    private func wake(after time: Duration) {
        Task { [poke] in
            try? await Task.sleep(for: time)
            poke.yield()
        }
    }

    /// Does what must be done now. Returns how long to wait for paths that are still touched; zero for none.
    private func step(
        _ source: StoredSource, _ watch: inout FolderWatch?, _ next: inout ContinuousClock.Instant
    ) async throws -> Duration {
        let isDue = ContinuousClock.now >= next || source.isWanted
        let (touched, isWaiting) = watch?.take(quietFor: Self.quiet) ?? (nil, false)
        if isDue || touched.map({ $0.isAll || $0.paths.count > Self.mostPaths }) ?? false {
            if touched?.isAll == true {
                // The folder may be another one under its name.
                watch?.end()
                watch = nil
            }
            if watch == nil, source.source.kind == .folder {
                watch = FolderWatch(root: try look.walk(of: source.source).root) { [poke] in poke.yield() }
            }
            let start = ContinuousClock.now
            let outcome = try await look.all(source) { [watch] in watch?.watch($0) }
            say(outcome, source)
            let isTold = watch.map { !$0.isFull } ?? false
            let took = ContinuousClock.now - start
            let rest = max(took * Self.restShare, isTold ? Self.rest : Self.leastRest)
            next = .now + (outcome.missing > 0 ? min(rest, Self.away) : rest)
            for path in outcome.unsettled { watch?.touch(path) }
            return isWaiting || !outcome.unsettled.isEmpty ? Self.pause : .zero
        }
        guard let touched else { return isWaiting ? Self.pause : .zero }
        let outcome = try await look.some(touched.paths, of: source) { [watch] in watch?.watch($0) }
        say(outcome, source)
        for path in outcome.unsettled { watch?.touch(path) }
        return isWaiting || !outcome.unsettled.isEmpty ? Self.pause : .zero
    }

    private func say(_ outcome: LookOutcome, _ source: StoredSource) {
        let stored = outcome.stored
        guard stored.inserted + stored.updated + outcome.removed + outcome.restored + outcome.missing > 0 else {
            return
        }
        logger.info(
            "notes follow their source",
            metadata: [
                "source": "\(source.source.name)", "new": "\(stored.inserted)", "changed": "\(stored.updated)",
                "removed": "\(outcome.removed)", "restored": "\(outcome.restored)", "missing": "\(outcome.missing)",
            ])
    }
}
