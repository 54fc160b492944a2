import GatewayAPI
package import Logging
import Machine
import Retrieval
package import Storage

/// Keeps the index up to date with the notes, whichever process writes them, in a file or in a server.
///
/// A refresh reads the end of the change log with one small query and applies new changes. Three events need another
/// index:
/// - The active space changed, or another process wrote the index file: the file is opened and later changes are
///   applied.
/// - Another program rebuilt its tables, which cuts the change log: the index keeps answering, with the newest notes
///   and all changes logged from then on. A successor is built in the background. Edits and deletions from within the
///   rebuild appear when the successor takes over.
/// - The database is another file, or the index file was damaged in use: the index is rebuilt before the next answer.
package actor IndexFollower {
    /// The interval between checks for a file written by another process.
    static let fileCheckInterval = Duration.seconds(1)
    /// The pause before a successor is built, in which answers after the table rebuild have the cores for themselves.
    static let rebuildPause = Duration.milliseconds(500)
    /// The pause after a failed build of a successor.
    static let buildPause = Duration.milliseconds(500)

    private let notes: any NoteChanges
    nonisolated let files: IndexFiles?
    private let builder: IndexBuilder
    private let logger: Logger
    private var followed: FollowedIndex?
    /// The name of the database from which ``followed`` was read.
    private var databaseName: String?
    private var fileChecked = ContinuousClock.now
    private var lastChange = ContinuousClock.now
    /// Whether the file was changed in place. The file is then replaced, however few changes it lacks.
    private var isFileDamaged = false
    private var writing = FileWriting()
    /// Replaces the current index at the next refresh.
    private var successor: FollowedIndex?
    private var construction = Construction()
    /// The last requested refresh.
    private var latest: Task<LiveIndex, any Error>?
    /// The last requested refresh, if it has not begun.
    private var waiting: Task<LiveIndex, any Error>?

    /// The state of the successor that a table rebuild made necessary.
    private struct Construction {
        /// Whether the current index may lack edits and deletions.
        var isNeeded = false
        var isStopped = false
        var task: Task<Void, Never>?
        /// Identifies the running task, because cancelled ones may still end.
        var number = 0
        var notBefore = ContinuousClock.now
    }

    package init(
        notes: any NoteChanges, indexFolder: String?, builder: IndexBuilder, logger: Logger
    ) {
        self.notes = notes
        files = indexFolder.map { IndexFiles(folder: $0, notes: notes) }
        self.builder = builder
        self.logger = logger
    }

    /// The current index, without a look at the database; nil before the first opening.
    package var present: LiveIndex? { followed?.live }

    /// The index with everything committed before this call, except edits and deletions that another program made while
    /// it rebuilt its tables. Those follow within seconds.
    ///
    /// A refresh in progress may have read the log too early, so callers that arrive meanwhile share the next refresh.
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

    /// The index with everything committed before this call. Waits until a successor under construction has taken over.
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

    /// Stops the background work; the index keeps answering.
    package func stop() async {
        construction.isStopped = true
        construction.task?.cancel()
        await construction.task?.value
    }

    private func refresh() async throws -> LiveIndex {
        try await takeSuccessor()
        let changeState = try await notes.changeState()
        guard let live = followed?.live, live.space == changeState.activeSpace else {
            return try await reload(changeState)
        }
        guard live.index.isIntact else {
            logger.warning(
                "the index file was changed while it was in use; it is being rebuilt",
                metadata: ["path": "\(files?.path(for: live.space) ?? "")"])
            isFileDamaged = true
            return try await rebuild(live.space)
        }
        guard !isFileReplaced(live) else { return try await reload(changeState) }
        return try await catchUp(with: changeState)
    }

    /// Applies the log's entries beyond the cursor.
    private func catchUp(with changeState: DatabaseChangeState, isOpening: Bool = false) async throws -> LiveIndex {
        guard var next = followed else { return try await reload(changeState) }
        // A log that shrank belongs to a new database file at the same path.
        guard changeState.cursor >= next.cursor else { return try await rebuild(next.live.space) }
        if changeState.cursor != next.cursor { lastChange = .now }
        while let beginning = try await next.advance(to: changeState.cursor, in: notes, logger) {
            guard !isOpening, beginning >= next.cursor, await nameOfDatabase() == databaseName else {
                return try await rebuild(next.live.space)
            }
            construction.isNeeded = true
            try await next.takeNewest(in: notes, logger)
            next.cursor = beginning
        }
        followed = next
        if construction.isNeeded { beginSuccessor(next.live.space) }
        return next.live
    }

    private func reload(_ changeState: DatabaseChangeState) async throws -> LiveIndex {
        let space = changeState.activeSpace
        guard let files else { return try await rebuild(space) }
        let started = ContinuousClock.now
        do {
            await use(try await files.open(space))
        } catch let error as RetrievalError {
            logger.debug("no index file", metadata: ["reason": "\(error.message)"])
            return try await rebuild(space)
        }
        let opened = try await catchUp(with: changeState, isOpening: true)
        builder.log("index opened", opened, started)
        return opened
    }

    private func rebuild(_ space: StoredSpace?) async throws -> LiveIndex {
        let built = try await builder.build(space, in: files)
        await use(built)
        lastChange = .now
        return built.live
    }

    /// Makes an index current. The index must be complete up to its cursor.
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

    /// The database's name. Nil when a database without a name cannot store one, for example on a full disk.
    private func nameOfDatabase() async -> String? { try? await notes.identity() }

    // MARK: The successor

    private func beginSuccessor(_ space: StoredSpace?) {
        // A running build notices that the log was cut again.
        guard construction.task == nil, successor == nil, !construction.isStopped,
            ContinuousClock.now >= construction.notBefore
        else { return }
        construction.number += 1
        let number = construction.number
        construction.task = Task(priority: .utility) { [builder, files] in
            do {
                try await Task.sleep(for: Self.rebuildPause)
                endSuccessor(number, with: try await builder.buildSuccessor(space, in: files))
            } catch {
                if !Task.isCancelled {
                    logger.warning("the index cannot be rebuilt", metadata: ["error": "\(error)"])
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

    /// Makes the successor current once it has every change of the current index.
    private func takeSuccessor() async throws {
        guard var next = successor, let followed, next.live.space == followed.live.space else {
            successor = nil
            return
        }
        let isCut = try await next.advance(to: followed.cursor, in: notes, logger) != nil
        successor = nil
        if isCut {
            if construction.isNeeded { beginSuccessor(followed.live.space) }
        } else {
            await use(next)
        }
    }

    // MARK: The file

    /// Whether another process replaced the file, for example after tuning.
    private func isFileReplaced(_ live: LiveIndex) -> Bool {
        guard let files, ContinuousClock.now - fileChecked > Self.fileCheckInterval else { return false }
        fileChecked = .now
        guard let identity = FileStamp(path: files.path(for: live.space)) else { return false }
        return identity != followed?.identity
    }

    /// Whether the file should be rewritten.
    var wantsFile: Bool {
        guard files != nil, successor == nil, !construction.isNeeded, let live = followed?.live else { return false }
        let statistics = live.index.statistics
        return writing.isDue(
            statistics.documentsBeyondFile, of: statistics.documents, isDamaged: isFileDamaged, lastChange: lastChange,
            now: .now)
    }

    /// Writes the file of the current index; the next refresh then uses the file. Searches and refreshes continue.
    ///
    /// - Returns: Whether the file was written; false when another process was writing.
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
        writing.wrote(from: started, to: .now)
        // The file lacks the changes made during a table rebuild.
        if !construction.isNeeded { successor = written }
        logger.info(
            "index file written",
            metadata: [
                "path": "\(files.path(for: live.space))", "ms": "\((ContinuousClock.now - started).milliseconds)",
            ])
        return true
    }
}
