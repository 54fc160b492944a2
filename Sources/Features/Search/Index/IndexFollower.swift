import GatewayAPI
package import Logging
import Machine
import Retrieval
package import Storage

/// Keeps the index in step with the database, whichever process writes to it.
///
/// A refresh looks at the end of the change log, one small query, and applies what changed. Three events need another
/// index:
/// - The active space changed, or another process wrote the index file: the file is opened, with what changed since.
/// - Another program rebuilt its tables, which cuts the change log off: the index goes on answering with the newest notes
///   and everything that is logged from then on, while its successor is built in the background. Edits and deletions
///   from within the rebuild are in the index when the successor takes over.
/// - The database is another file, or the index file was damaged in use: the index is built before anything is answered.
package actor IndexFollower {
    /// Changes that a file may lack while others come in.
    static let changesWorthAFile = 1000
    /// How long nothing must have changed before a file is written for few changes.
    static let quiet = Duration.seconds(5)
    /// How often it is looked whether another process has written the file.
    static let fileCheckInterval = Duration.seconds(1)
    /// The pause after a successor that could not be built.
    static let buildPause = Duration.milliseconds(500)

    private let database: GatewayDatabase
    nonisolated let files: IndexFiles?
    private let builder: IndexBuilder
    private let logger: Logger
    private var followed: FollowedIndex?
    /// Names the database that ``followed`` was read from.
    private var databaseName: String?
    private var fileChecked = ContinuousClock.now
    private var lastChange = ContinuousClock.now
    /// Whether the file that has the name was seen to be changed in place: it is replaced however little it holds.
    private var isFileDamaged = false
    /// Takes the place of the one that answers at the next refresh.
    private var successor: FollowedIndex?
    private var construction = Construction()
    /// The refresh that was asked for last.
    private var latest: Task<LiveIndex, any Error>?
    /// The same, as long as it has not begun.
    private var waiting: Task<LiveIndex, any Error>?

    /// What is known of the successor that a table rebuild made necessary.
    private struct Construction {
        /// Whether the index that answers may lack edits and deletions.
        var isNeeded = false
        var isStopped = false
        var task: Task<Void, Never>?
        /// Tells the running task from those that were cancelled.
        var number = 0
        var notBefore = ContinuousClock.now
    }

    package init(
        database: GatewayDatabase, indexFolder: String?, builder: IndexBuilder, logger: Logger
    ) {
        self.database = database
        files = indexFolder.map { IndexFiles(folder: $0, database: database) }
        self.builder = builder
        self.logger = logger
    }

    /// The index as it is, without a look at the database; nil before it was opened.
    package var present: LiveIndex? { followed?.live }

    /// The index with everything that was committed before this call, except for edits and deletions that another program
    /// made while it rebuilt its tables: they follow within seconds.
    ///
    /// A refresh that runs already may have looked too early; callers that come meanwhile share the one after it.
    package func current() async throws -> LiveIndex {
        if let waiting { return try await waiting.value }
        let previous = latest
        let task = Task {
            _ = await previous?.result
            waiting = nil
            return try await refresh()
        }
        waiting = task
        latest = task
        return try await task.value
    }

    /// The index with everything that was committed before this call: waits until a successor that is being built has
    /// taken over.
    package func complete() async throws -> LiveIndex {
        while true {
            let live = try await current()
            guard construction.isNeeded, !construction.isStopped else { return live }
            if let task = construction.task {
                await task.value
            } else {
                try await Task.sleep(for: Self.buildPause)
            }
        }
    }

    /// Ends the work in the background; the index goes on answering.
    package func stop() async {
        construction.isStopped = true
        construction.task?.cancel()
        await construction.task?.value
    }

    private func refresh() async throws -> LiveIndex {
        try await takeSuccessor()
        let pulse = try await database.changes.pulse()
        guard let live = followed?.live, live.space == pulse.activeSpace else { return try await reload(pulse) }
        guard live.index.isIntact else {
            logger.warning(
                "the index file was changed while it was in use; the index is built anew",
                metadata: ["path": "\(files?.path(for: live.space) ?? "")"])
            isFileDamaged = true
            return try await rebuild(live.space)
        }
        guard !isFileReplaced(live) else { return try await reload(pulse) }
        return try await catchUp(with: pulse)
    }

    /// Applies what the log has beyond the cursor.
    private func catchUp(with pulse: DatabasePulse, isOpening: Bool = false) async throws -> LiveIndex {
        guard var next = followed else { return try await reload(pulse) }
        // A log that shrank belongs to another file in the old one's place.
        guard pulse.cursor >= next.cursor else { return try await rebuild(next.live.space) }
        if pulse.cursor != next.cursor { lastChange = .now }
        while let beginning = try await next.advance(to: pulse.cursor, in: database, logger) {
            guard !isOpening, beginning > next.cursor, await nameOfDatabase() == databaseName else {
                return try await rebuild(next.live.space)
            }
            construction.isNeeded = true
            try await next.takeNewest(in: database, logger)
            next.cursor = beginning
        }
        followed = next
        if construction.isNeeded { beginSuccessor(next.live.space) }
        return next.live
    }

    private func reload(_ pulse: DatabasePulse) async throws -> LiveIndex {
        let space = pulse.activeSpace
        guard let files else { return try await rebuild(space) }
        let started = ContinuousClock.now
        do {
            await use(try await files.open(space))
        } catch let error as RetrievalError {
            logger.debug("no index file", metadata: ["reason": "\(error.message)"])
            return try await rebuild(space)
        }
        let opened = try await catchUp(with: pulse, isOpening: true)
        builder.log("index opened", opened, started)
        return opened
    }

    private func rebuild(_ space: StoredSpace?) async throws -> LiveIndex {
        let built = try await builder.build(space, in: files)
        await use(built)
        lastChange = .now
        return built.live
    }

    /// Answers from an index that lacks nothing up to its cursor.
    private func use(_ complete: FollowedIndex) async {
        databaseName = await nameOfDatabase()
        followed = complete
        fileChecked = .now
        successor = nil
        construction.isNeeded = false
        construction.task?.cancel()
        construction.task = nil
        construction.number += 1
    }

    /// nil when a database that never had a name cannot be given one, for example on a full disk.
    private func nameOfDatabase() async -> String? { try? await database.changes.identity() }

    // MARK: The successor

    private func beginSuccessor(_ space: StoredSpace?) {
        // One that is under way sees by itself that the log was cut off again.
        guard construction.task == nil, successor == nil, !construction.isStopped,
            ContinuousClock.now >= construction.notBefore
        else { return }
        construction.number += 1
        let number = construction.number
        construction.task = Task(priority: .utility) { [builder, files] in
            do {
                endSuccessor(number, with: try await builder.buildSuccessor(space, in: files))
            } catch {
                if !Task.isCancelled {
                    logger.warning("the index cannot be built anew", metadata: ["error": "\(error)"])
                }
                endSuccessor(number, with: nil)
            }
        }
    }

    private func endSuccessor(_ number: Int, with built: FollowedIndex?) {
        guard number == construction.number else { return }
        construction.task = nil
        successor = built
        if built == nil { construction.notBefore = .now + Self.buildPause }
    }

    /// Answers from the successor, as soon as it has everything that the index before it has.
    private func takeSuccessor() async throws {
        guard var next = successor, let followed, next.live.space == followed.live.space else {
            successor = nil
            return
        }
        let isCut = try await next.advance(to: followed.cursor, in: database, logger) != nil
        successor = nil
        if isCut {
            if construction.isNeeded { beginSuccessor(followed.live.space) }
        } else {
            await use(next)
        }
    }

    // MARK: The file

    /// Whether another process has written the file anew, for example after tuning.
    private func isFileReplaced(_ live: LiveIndex) -> Bool {
        guard let files, ContinuousClock.now - fileChecked > Self.fileCheckInterval else { return false }
        fileChecked = .now
        guard let identity = FileStamp(path: files.path(for: live.space)) else { return false }
        return identity != followed?.identity
    }

    /// Whether the file lacks enough to be written anew: many changes, or some and a pause in them.
    var wantsFile: Bool {
        guard files != nil, successor == nil, !construction.isNeeded, let live = followed?.live else { return false }
        let statistics = live.index.statistics
        guard statistics.documentsBeyondFile >= (isFileDamaged ? 1 : Self.changesWorthAFile) else { return false }
        return statistics.documentsBeyondFile * 4 > statistics.documents
            && ContinuousClock.now - lastChange > .seconds(1) || ContinuousClock.now - lastChange > Self.quiet
    }

    /// Writes the file of the live index, which the next refresh then goes over to; searches and refreshes go on.
    ///
    /// - Returns: Whether it was written, and not by another process at the same time.
    /// - Throws: ``RetrievalError``, ``StorageError``.
    @discardableResult
    package func writeFile() async throws -> Bool {
        guard let files else { return false }
        _ = try await complete()
        guard let followed else { return false }
        let live = followed.live
        let started = ContinuousClock.now
        guard let written = try await files.write(live.index.image, of: live.space, at: followed.cursor) else {
            return false
        }
        isFileDamaged = false
        // What was rebuilt meanwhile is not in the file.
        if !construction.isNeeded { successor = written }
        logger.info(
            "index file written",
            metadata: [
                "path": "\(files.path(for: live.space))", "ms": "\((ContinuousClock.now - started).milliseconds)",
            ])
        return true
    }
}
