import Database
import KeyRoom
package import Storage

/// Moves notes with their threads, sources and vectors, chat sessions and memories from one store to another while the source
/// is in use.
///
/// The target records how far it is in the transaction of each batch, so a process that was killed goes on where it was.
/// First all notes are copied in the order of their ids. Then changes since the beginning are applied from the source's log,
/// every row is compared by its hash, and differences are mended, until nothing is left to apply. A comparison, not the log,
/// decides that the stores are equal: a log that was cut only costs another comparison. Of chat sessions and memories that change
/// meanwhile the next run takes the changes.
package struct StoreMigration: Sendable {
    /// The number of comparisons after which a source that changes all the time is left as it is.
    static let mostComparisons = 5
    /// How often a row is looked at again that differs, since it may be changing.
    static let looks = 4
    /// The pause between such looks.
    static let pause = Duration.milliseconds(200)
    /// Notes of the target that are compared at once.
    static let mostOthers = 4096
    /// The differing ids that are named.
    static let mostNamed = 100

    let source: any TransferSide
    let target: any TransferSide
    let options: Options
    let report: @Sendable (Progress) async -> Void

    /// What a migration may do.
    package struct Options: Sendable {
        /// Overwrite notes of the target that this migration did not write.
        package var overwrites = false

        package init(overwrites: Bool = false) { self.overwrites = overwrites }
    }

    /// How far a migration is.
    package struct Progress: Sendable {
        package enum Step: String, Sendable { case copy, sessions, memories, rooms, follow, compare }

        package var step: Step
        /// Notes, changed notes, chat sessions, memories, or rows of rooms' tables.
        package var done: Int
        package var total: Int
        package var failed: Int
    }

    /// What a migration did.
    package struct Summary: Sendable {
        /// Notes of the source.
        package var notes = 0
        package var copied = 0
        /// Changed notes that were applied from the log.
        package var followed = 0
        /// Rows whose hashes were compared and are equal.
        package var equal = 0
        /// Differing rows that were written again.
        package var mended = 0
        /// Rows that differ: by id, at most ``StoreMigration/mostNamed``.
        package var different: [Int64] = []
        package var differences = 0
        package var vectors = 0
        package var threads = 0
        package var sessions = 0
        /// Messages of chat sessions.
        package var messages = 0
        package var memories = 0
        /// Rows of rooms' tables.
        package var rows = 0
        /// Chat sessions, messages, memories and rows of rooms that were written or deleted.
        package var writtenConversations = 0
        /// Those that differ, at most ``StoreMigration/mostNamed``.
        package var differentConversations: [String] = []
        /// Keys of clients; nil when they are not moved.
        package var keys: Int?
        package var isResumed = false
        /// Values that are changed or left out.
        package var remarks: [TransferRemark] = []
        /// Whether the stores were equal at the end of the source's log.
        package var isEqual: Bool { differences == 0 }
    }

    package init(
        from source: any TransferSide, to target: any TransferSide, options: Options = Options(),
        report: @escaping @Sendable (Progress) async -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.options = options
        self.report = report
    }

    /// Moves the notes, or applies what has changed since the last call.
    ///
    /// - Throws: ``MigrationRefusal``, an error of a store, `CancellationError`. Call it again to go on.
    package func run() async throws -> Summary {
        var summary = Summary()
        var state = try await begin(&summary)
        try await target.ensure(try await source.transferSpaces().all)
        try await moveThreads(state, &summary)
        if state.phase == .copying { try await copy(&state, &summary) }
        var conversations: ConversationMigration.Outcome?
        var comparisons = 0
        while true {
            if try await !follow(&state, &summary) { state.changes = try await source.endOfChanges() }
            try await moveThreads(state, &summary)
            // Before the last changes of notes: a row without its note would pass for a deleted one.
            try await moveIngests(state)
            // After the notes and threads that rows of rooms refer to.
            if conversations == nil {
                try await moveKeys(&summary)
                conversations = try await align(state)
            }
            summary.remarks = []
            try await compare(&state, &summary)
            comparisons += 1
            // Changes that were made during the comparison.
            if try await follow(&state, &summary) || comparisons >= Self.mostComparisons { break }
        }
        let spaces = try await source.transferSpaces()
        try await target.ensure(spaces.all)
        try await moveThreads(state, &summary)
        try await moveKeys(&summary)
        if let conversations { summary.add(conversations) }
        state.ownConversations =
            summary.isEqual ? try await ConversationMigration.digest(of: target.conversations) : nil
        state.ownRooms = summary.isEqual ? try await ConversationMigration.digest(of: target) : nil
        state.phase = summary.isEqual ? .done : .comparing
        try await target.finish(spaces, state)
        return summary
    }

    /// Compares both stores row by row, without writing.
    package func verify() async throws -> Summary {
        var summary = Summary()
        summary.notes = try await source.noteCount()
        let (here, there) = (try await source.threadRecords(), try await target.threadRecords())
        summary.threads = here.count
        if !areEqual(here, there) {
            summary.differences += 1
            summary.remarks.append(TransferRemark("threads", here.count, "the threads of the two stores differ"))
        }
        try await forEachPage(&summary) { differing, summary in
            var rest = differing
            for look in 1...Self.looks where !rest.isEmpty {
                if look > 1 { try await Task.sleep(for: Self.pause) }
                rest = try await stillDiffering(rest, &summary)
            }
            note(rest, in: &summary)
        }
        summary.add(try await align(nil))
        return summary
    }

    // MARK: Steps

    /// - Parameter state: The run that may write; nil to compare only.
    private func align(_ state: TransferState?) async throws -> ConversationMigration.Outcome {
        try await ConversationMigration(
            source: source, target: target, state: state, report: report
        ).run()
    }

    /// Before the rows that refer to keys, and once more at the end for what they were used for meanwhile.
    private func moveKeys(_ summary: inout Summary) async throws {
        let credentials = try await source.keys.credentials()
        try await target.keys.add(credentials)
        summary.keys = credentials.keys.count
    }

    private func begin(_ summary: inout Summary) async throws -> TransferState {
        let identity = try await source.identity()
        let run = String(UInt64.random(in: 0 ... .max), radix: 16)
        summary.notes = try await source.noteCount()
        let stored = try await target.transferState()
        if var state = stored, state.source == identity {
            if state.phase == .done, !options.overwrites, let own = state.ownChanges {
                let changes = try await target.changedNotes(after: own)
                guard changes.isComplete, changes.ids.isEmpty else {
                    throw MigrationRefusal(
                        .targetChanged,
                        "notes in \(target.title) have changed since the migration into it; this one would undo that. "
                            + "Move them the other way, or give --overwrite")
                }
            }
            if !options.overwrites {
                try await checkConversations(state)
                try await checkRooms(state)
            }
            summary.isResumed = state.phase == .copying
            if state.phase == .done { state.phase = .comparing }
            state.run = run
            (state.movesConversations, state.rooms) = (true, RoomTransfer.tables.map(\.name))
            try await target.begin(state)
            return state
        }
        // The log position comes first, so that no change is between it and the copy.
        var state = TransferState(source: identity, run: run, changes: try await source.endOfChanges())
        (state.movesConversations, state.rooms) = (true, RoomTransfer.tables.map(\.name))
        let notes = try await target.noteCount()
        // The way back into the file that the notes came from.
        let before = try await source.transferState()
        let isOrigin = try await before?.source == target.identity()
        if !options.overwrites, !isOrigin || before?.movesConversations != true {
            try await checkOwnConversations()
        }
        if !options.overwrites { try await checkOwnRooms(but: isOrigin ? before?.rooms : nil) }
        if notes > 0 {
            guard isOrigin || options.overwrites else {
                throw MigrationRefusal(
                    .targetNotEmpty,
                    "\(target.title) has \(notes) notes of its own, which would be deleted. Choose an empty target, or give --overwrite"
                )
            }
            // Most rows are equal, so the comparison finds the others.
            state.phase = .comparing
        }
        try await target.begin(state)
        return state
    }

    /// Refuses a target whose chat sessions or memories this migration did not write, or that have changed since.
    private func checkConversations(_ state: TransferState) async throws {
        guard state.movesConversations == true else { return try await checkOwnConversations() }
        guard state.phase == .done, let own = state.ownConversations else { return }
        guard try await own == ConversationMigration.digest(of: target.conversations) else {
            throw MigrationRefusal(
                .targetChanged,
                "chat sessions or memories in \(target.title) have changed since the migration into it; this one would "
                    + "undo that. Move them the other way, or give --overwrite")
        }
    }

    private func checkOwnConversations() async throws {
        let own = try await target.conversations.counts()
        guard own.sessions + own.memories > 0 else { return }
        throw MigrationRefusal(
            .targetNotEmpty,
            "\(target.title) has \(own.sessions) chat sessions and \(own.memories) memories of its own; those that "
                + "\(source.title) lacks would be deleted. Choose an empty target, or give --overwrite")
    }

    /// Refuses a target whose rooms' tables have rows that this migration did not write, or that have changed since.
    private func checkRooms(_ state: TransferState) async throws {
        try await checkOwnRooms(but: state.rooms)
        guard state.phase == .done, let own = state.ownRooms else { return }
        guard try await own == ConversationMigration.digest(of: target) else {
            throw MigrationRefusal(
                .targetChanged,
                "\(RoomTransfer.subjects) in \(target.title) have changed since the migration into it; this one would undo "
                    + "that. Move them the other way, or give --overwrite")
        }
    }

    /// - Parameter tables: The tables whose rows came from the source.
    private func checkOwnRooms(but tables: [String]?) async throws {
        let own = try await target.rooms.counts().filter { tables?.contains($0.table.name) != true }
        guard !own.isEmpty else { return }
        let list = own.map { "\($0.table.name) (\($0.count))" }.joined(separator: ", ")
        throw MigrationRefusal(
            .targetNotEmpty,
            "\(target.title) has rows of its own in \(list); those that \(source.title) lacks would be deleted. "
                + "Choose an empty target, or give --overwrite")
    }

    private func moveThreads(_ state: TransferState, _ summary: inout Summary) async throws {
        let threads = try await source.threadRecords()
        summary.threads = threads.count
        guard try await !areEqual(threads, target.threadRecords()) else { return }
        try await target.apply(threads, state)
    }

    /// Moves what was ingested from files, so that the next ingest keeps edited notes and leaves deleted ones deleted.
    private func moveIngests(_ state: TransferState) async throws {
        var name = ""
        while true {
            try Task.checkCancellation()
            let part = try await source.ingests(after: name)
            try await target.apply(part, after: name, state)
            guard let last = part.last else { return }
            name = last.externalID
        }
    }

    /// A server keeps all columns of a file's thread; a file has defaults in those that a server's thread lacks.
    private func areEqual(_ here: [ThreadRecord], _ there: [ThreadRecord]) -> Bool {
        let isFile = target is FileTransfer
        return here.count == there.count
            && zip(here, there).allSatisfy { $0.isSame(as: $1, inFile: isFile) }
    }

    private func copy(_ state: inout TransferState, _ summary: inout Summary) async throws {
        // Notes that are added meanwhile are followed.
        guard let bound = try await source.lastNote() else {
            state.phase = .comparing
            return
        }
        let first = state.copied
        var done = try await first == nil ? 0 : target.noteCount()
        var upcoming = try await source.page(after: first, through: bound)
        while let last = upcoming.last {
            try Task.checkCancellation()
            let page = upcoming
            state.copied = last
            let now = state
            // The next page is read while this one is written.
            async let next = source.page(after: last, through: bound)
            try await target.apply(page.notes, removing: [], now)
            summary.copied += page.notes.count
            done += page.notes.count
            await report(Progress(step: .copy, done: done, total: max(done, summary.notes), failed: 0))
            upcoming = try await next
        }
        state.phase = .comparing
        try await target.begin(state)
    }

    /// Applies changes until the end of the log.
    ///
    /// - Returns: Whether the log had all changes.
    private func follow(_ state: inout TransferState, _ summary: inout Summary) async throws -> Bool {
        var applied = 0
        while true {
            try Task.checkCancellation()
            let changes = try await source.changedNotes(after: state.changes)
            guard changes.isComplete else { return false }
            let ids = changes.ids.sorted()
            state.changes = changes.position
            for start in stride(from: 0, to: ids.count, by: 200) {
                let part = Array(ids[start..<min(start + 200, ids.count)])
                var before = state
                // The position counts only after its last note.
                if start + 200 < ids.count {
                    before.changes = try await target.transferState()?.changes ?? state.changes
                }
                try await write(part, before)
            }
            applied += ids.count
            summary.followed += ids.count
            if !ids.isEmpty { await report(Progress(step: .follow, done: applied, total: applied, failed: 0)) }
            if changes.isAtEnd {
                try await target.apply([], removing: [], state)
                return true
            }
        }
    }

    /// Makes some notes of the target equal to the source's.
    private func write(_ ids: [Int64], _ state: TransferState) async throws {
        let notes = try await source.transferNotes(ids)
        let gone = Set(ids).subtracting(notes.map(\.record.id))
        try await target.ensure(Self.spaces(of: notes))
        try await target.apply(notes, removing: gone.sorted(), state)
    }

    private static func spaces(of notes: [TransferNote]) -> [EmbeddingSpace] {
        Array(Set(notes.flatMap { $0.vectors.map(\.space) }))
    }

    private func compare(_ state: inout TransferState, _ summary: inout Summary) async throws {
        (summary.equal, summary.differences, summary.different, summary.vectors) = (0, 0, [], 0)
        summary.notes = try await source.noteCount()
        let state = state
        try await forEachPage(&summary) { differing, summary in
            var rest = differing
            for look in 1...Self.looks where !rest.isEmpty {
                if look > 1 { try await Task.sleep(for: Self.pause) }
                for start in stride(from: 0, to: rest.count, by: 200) {
                    try await write(Array(rest[start..<min(start + 200, rest.count)]), state)
                }
                let before = rest.count
                rest = try await stillDiffering(rest, &summary)
                summary.mended += before - rest.count
            }
            note(rest, in: &summary)
        }
    }

    private func note(_ ids: [Int64], in summary: inout Summary) {
        summary.differences += ids.count
        summary.different += ids.prefix(max(0, Self.mostNamed - summary.different.count))
    }

    /// Reads rows of both stores again; returns those that still differ.
    private func stillDiffering(_ ids: [Int64], _ summary: inout Summary) async throws -> [Int64] {
        var rest: [Int64] = []
        for start in stride(from: 0, to: ids.count, by: 200) {
            let part = Array(ids[start..<min(start + 200, ids.count)])
            let (here, there) = (try await source.transferNotes(part), try await target.transferNotes(part))
            let (left, right) = (Self.hashes(here), Self.hashes(there))
            let still = part.filter { left[$0] != right[$0] }
            summary.equal += part.filter { left[$0] != nil && left[$0] == right[$0] }.count
            rest += still
        }
        return rest
    }

    private static func hashes(_ notes: [TransferNote]) -> [Int64: [UInt8]] {
        Dictionary(notes.map { ($0.record.id, $0.hash) }) { $1 }
    }

    /// Calls a closure with the differing ids of each page of both stores.
    private func forEachPage(
        _ summary: inout Summary, _ body: ([Int64], inout Summary) async throws -> Void
    ) async throws {
        // Notes that are added meanwhile are followed; a comparison that chased them might never end.
        let bound = try await source.lastNote()
        var (position, done) = (Int64?.none, 0)
        while true {
            try Task.checkCancellation()
            let page =
                bound == nil
                ? TransferPage(notes: [], last: nil, remarks: [])
                : try await source.page(after: position, through: bound)
            var (mine, others, reached) = (page.notes, [TransferNote](), position)
            while others.count < Self.mostOthers {
                let part = try await target.page(after: reached, through: page.last)
                guard let last = part.last else { break }
                others += part.notes
                reached = last
                if last == page.last { break }
            }
            if let end = page.last {
                // A target with many notes of its own is read in parts.
                if others.count < Self.mostOthers { reached = end }
                mine.removeAll { $0.record.id > reached ?? end }
            } else {
                // Beyond the source's last note: the target may have more, which may be new in the source, too.
                guard !others.isEmpty else { return }
                mine = try await source.transferNotes(others.map(\.record.id))
            }
            let (left, right) = (Self.hashes(mine), Self.hashes(others))
            let differing = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
            summary.equal += left.count - differing.filter { left[$0] != nil }.count
            summary.vectors += mine.reduce(0) { $0 + $1.vectors.reduce(0) { $0 + $1.passages } }
            if reached == page.last { for remark in page.remarks { summary.remarks.add(remark) } }
            try await body(differing, &summary)
            done += mine.count
            await report(
                Progress(step: .compare, done: done, total: max(done, summary.notes), failed: summary.differences))
            position = reached
        }
    }
}

/// Why a migration does not begin.
package struct MigrationRefusal: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// The target has notes that are not of this source.
        case targetNotEmpty = "target_not_empty"
        /// The target was used after the migration.
        case targetChanged = "target_changed"
    }

    package var code: Code
    package var message: String
    package var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

extension StoreMigration.Summary {
    mutating func add(_ outcome: ConversationMigration.Outcome) {
        (sessions, messages) = (outcome.counts.sessions, outcome.counts.messages)
        (memories, rows) = (outcome.counts.memories, outcome.rows)
        equal += outcome.equal
        writtenConversations = outcome.written
        differences += outcome.differences
        differentConversations = outcome.different
    }
}
