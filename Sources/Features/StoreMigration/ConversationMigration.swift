import Database
import Storage

/// Makes the chat sessions, messages, memories and the tables of rooms of one store those of another.
///
/// No log has their changes, so all rows of both stores are read and compared. Only those that differ are written, so a
/// process that was killed does not write again what it has written.
struct ConversationMigration {
    let source: any TransferSide
    let target: any TransferSide
    /// The run that may write; nil to compare only.
    let state: TransferState?
    let report: @Sendable (StoreMigration.Progress) async -> Void

    /// What a migration did, or what a comparison found.
    struct Outcome {
        var counts = ConversationCounts(sessions: 0, messages: 0, memories: 0)
        /// The rows of rooms' tables.
        var rows = 0
        /// Rows that are equal in both stores.
        var equal = 0
        var written = 0
        var differences = 0
        /// Rows that differ, at most ``StoreMigration/mostNamed``.
        var different: [String] = []

        static func += (left: inout Outcome, right: Outcome) {
            left.counts.sessions += right.counts.sessions
            left.counts.messages += right.counts.messages
            left.counts.memories += right.counts.memories
            left.equal += right.equal
            left.written += right.written
            left.differences += right.differences
            left.different += right.different.prefix(max(0, StoreMigration.mostNamed - left.different.count))
        }
    }

    /// The sessions whose messages are compared at a time: most of that time goes into waiting for the server.
    private static let sessionsAtOnce = 4

    func run() async throws -> Outcome {
        var outcome = Outcome()
        var progress = StoreMigration.Progress(step: .sessions, done: 0, total: 0, failed: 0)
        let (here, there) = (source.conversations, target.conversations)
        progress.total = try await here.counts().sessions
        try await align(here.sessions, there.sessions, &outcome) { sessions, outcome in
            for found in try await messages(of: sessions, here, there) { outcome += found }
            outcome.counts.sessions += sessions.count
            progress.done = outcome.counts.sessions
            progress.failed = outcome.differences
            await report(progress)
        }
        progress = .init(step: .memories, done: 0, total: try await here.counts().memories, failed: 0)
        try await align(here.memories, there.memories, &outcome) { memories, outcome in
            outcome.counts.memories += memories.count
            progress.done = outcome.counts.memories
            progress.failed = outcome.differences
            await report(progress)
        }
        if let state { try await there.reserve(try await here.highest(), state) }
        try await alignRooms(&outcome)
        return outcome
    }

    private func alignRooms(_ outcome: inout Outcome) async throws {
        var progress = StoreMigration.Progress(step: .rooms, done: 0, total: 0, failed: 0)
        progress.total = try await source.rooms.counts().reduce(0) { $0 + $1.count }
        if state != nil {
            // First of all, since a trigger may add rows to a table that comes later.
            for table in RoomTransfer.tables { try await reserve(table) }
        }
        let spaces = try await source.transferSpaces().all
        for table in RoomTransfer.tables {
            for space in table.space == nil ? [nil] : spaces.map(Optional.some) {
                guard let here = try await source.rooms.rows(of: table, in: space),
                    let there = try await target.rooms.rows(of: table, in: space)
                else { continue }
                try await align(here, there, &outcome) { rows, outcome in
                    outcome.rows += rows.count
                    progress.done = outcome.rows
                    progress.failed = outcome.differences
                    await report(progress)
                }
            }
            if state != nil { try await reserve(table) }
        }
    }

    private func reserve(_ table: RoomTable) async throws {
        try await target.rooms.reserve(try await source.rooms.lastNumber(of: table), of: table)
    }

    /// Makes the messages of sessions those of the source. Returns what was done for each session.
    private func messages(
        of sessions: [SessionRecord], _ source: any ConversationTransfer, _ target: any ConversationTransfer
    ) async throws -> [Outcome] {
        try await withThrowingTaskGroup(of: (place: Int, outcome: Outcome).self) { group in
            var (outcomes, next) = (Array(repeating: Outcome(), count: sessions.count), 0)
            func begin() {
                guard next < sessions.count else { return }
                let (place, key) = (next, sessions[next].key)
                next += 1
                group.addTask {
                    var outcome = Outcome()
                    try await align(source.messages(of: key), target.messages(of: key), &outcome) {
                        $1.counts.messages += $0.count
                    }
                    return (place, outcome)
                }
            }
            for _ in 0..<Self.sessionsAtOnce { begin() }
            while let (place, outcome) = try await group.next() {
                outcomes[place] = outcome
                begin()
            }
            return outcomes
        }
    }

    /// Compares the rows of two tables and writes those that differ.
    ///
    /// - Parameter each: Called with the source's rows of each page after they were written.
    private func align<Row: TransferRow>(
        _ source: any TransferTable<Row>, _ target: any TransferTable<Row>, _ outcome: inout Outcome,
        each: ([Row], inout Outcome) async throws -> Void
    ) async throws {
        var position: Row.Key?
        while true {
            try Task.checkCancellation()
            let mine = try await source.page(after: position, through: nil)
            let theirs = try await target.page(after: position, through: mine.last)
            // Beyond the end of one page the other may lack rows.
            guard let end = [mine.last, theirs.last].compactMap(\.self).min() else { return }
            let here = mine.rows.filter { $0.key <= end }
            let differing = Self.differing(here, theirs.rows.filter { $0.key <= end })
            outcome.equal += here.count - here.count { differing.contains($0.key) }
            try await mend(differing, source, target, &outcome)
            try await each(here, &outcome)
            position = end
        }
    }

    /// The keys of rows that one of the lists lacks or has otherwise.
    private static func differing<Row: TransferRow>(_ some: [Row], _ others: [Row]) -> Set<Row.Key> {
        let (left, right) = (byKey(some), byKey(others))
        return Set(left.keys).union(right.keys).filter { key in
            guard let one = left[key], let other = right[key] else { return true }
            return !one.isSame(as: other)
        }
    }

    private static func byKey<Row: TransferRow>(_ rows: [Row]) -> [Row.Key: Row] {
        Dictionary(rows.map { ($0.key, $0) }) { first, _ in first }
    }

    /// Writes rows of the target until they are those of the source, which may be changing.
    private func mend<Row: TransferRow>(
        _ keys: Set<Row.Key>, _ source: any TransferTable<Row>, _ target: any TransferTable<Row>,
        _ outcome: inout Outcome
    ) async throws {
        var (rest, last) = (keys, [Row]())
        for look in 1...StoreMigration.looks where !rest.isEmpty {
            if look > 1 { try await Task.sleep(for: StoreMigration.pause) }
            let order = rest.sorted()
            last = try await source.rows(order)
            if let state {
                let gone = rest.subtracting(last.map(\.key))
                // A row that the source cannot hold never came from there, nor could it go there.
                let own = gone.isEmpty ? [] : try await target.rows(gone.sorted()).filter { !source.canHold($0) }
                try await target.apply(last, removing: gone.subtracting(own.map(\.key)).sorted(), state)
            }
            let here = try await source.rows(order)
            let still = Self.differing(here, try await target.rows(order))
            if state != nil { outcome.written += rest.count - still.count }
            outcome.equal += here.count { !still.contains($0.key) }
            rest = still
        }
        outcome.differences += rest.count
        let names = Self.byKey(last).merging(Self.byKey(try await named(rest, target))) { first, _ in first }
        outcome.different += rest.sorted().compactMap { names[$0]?.title }
            .prefix(max(0, StoreMigration.mostNamed - outcome.different.count))
    }

    private func named<Row: TransferRow>(_ keys: Set<Row.Key>, _ target: any TransferTable<Row>) async throws -> [Row] {
        keys.isEmpty ? [] : try await target.rows(keys.sorted())
    }

    /// A digest of the chat sessions and memories of a store.
    static func digest(of store: any ConversationTransfer) async throws -> String {
        var digest = TransferDigest()
        func add<Row: TransferRow>(_ table: any TransferTable<Row>, then: (Row) async throws -> Void) async throws {
            try await forEach(in: table) { row in
                digest.add(row.hash)
                try await then(row)
            }
        }
        try await add(store.sessions) { session in
            try await add(store.messages(of: session.key)) { _ in }
        }
        try await add(store.memories) { _ in }
        return digest.text
    }

    /// A digest of the rooms' tables of a store.
    static func digest(of store: any TransferSide) async throws -> String {
        var digest = TransferDigest()
        let spaces = try await store.transferSpaces().all
        for table in RoomTransfer.tables {
            for space in table.space == nil ? [nil] : spaces.map(Optional.some) {
                guard let rows = try await store.rooms.rows(of: table, in: space) else { continue }
                try await forEach(in: rows) { digest.add($0.hash) }
            }
        }
        return digest.text
    }

    private static func forEach<Row: TransferRow>(
        in table: any TransferTable<Row>, _ body: (Row) async throws -> Void
    ) async throws {
        var position: Row.Key?
        while true {
            try Task.checkCancellation()
            let page = try await table.page(after: position, through: nil)
            guard let last = page.last else { return }
            for row in page.rows { try await body(row) }
            position = last
        }
    }
}
