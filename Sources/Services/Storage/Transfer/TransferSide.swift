package import KeyRoom

/// A store that notes can be moved out of and into: a file or a PostgreSQL database.
///
/// All methods throw the store's own error, and `CancellationError`.
package protocol TransferSide: Sendable {
    /// The place, for messages.
    var title: String { get }
    /// A random name, which stays with the database.
    func identity() async throws -> String
    /// Counts all notes, hidden ones included.
    func noteCount() async throws -> Int
    /// The highest id of a note; nil without notes.
    func lastNote() async throws -> Int64?
    /// What this store holds and the other kind of store cannot, without the tables of rooms.
    func leftBehind() async throws -> [TransferRemark]
    /// The spaces, and which of them answer queries.
    func transferSpaces() async throws -> TransferSpaces
    /// All threads, by id.
    func threadRecords() async throws -> [ThreadRecord]

    /// The end of the log of changes.
    func endOfChanges() async throws -> String
    /// The notes that changed after a position, at most some thousands.
    func changedNotes(after position: String) async throws -> TransferChanges
    /// Reads the notes after an id, up to a few megabytes of text.
    ///
    /// - Parameters:
    ///   - id: Notes up to this id are left out; nil for none.
    ///   - last: The last id to read; nil for no limit.
    func page(after id: Int64?, through last: Int64?) async throws -> TransferPage
    /// Reads notes by id, in the order of the ids.
    func transferNotes(_ ids: [Int64]) async throws -> [TransferNote]

    /// How far a migration into this store is; nil when there was none.
    func transferState() async throws -> TransferState?
    /// Begins or takes over a migration: later calls with another run fail.
    func begin(_ state: TransferState) async throws
    /// Writes notes with their vectors and deletes others, in one transaction with the state.
    func apply(_ notes: [TransferNote], removing: [Int64], _ state: TransferState) async throws
    /// Makes the threads equal to a list.
    func apply(_ threads: [ThreadRecord], _ state: TransferState) async throws
    /// Reads what was ingested under the names after a name, in the order of their bytes, some thousands at most.
    func ingests(after name: String) async throws -> [StoredIngest]
    /// Makes what was ingested under the names after a name equal to a list: up to its last name, or all if it is empty.
    func apply(_ ingests: [StoredIngest], after name: String, _ state: TransferState) async throws
    /// Makes the spaces exist.
    func ensure(_ spaces: [EmbeddingSpace]) async throws
    /// Chat sessions, their messages, and memories.
    var conversations: any ConversationTransfer { get }
    /// The tables of rooms.
    var rooms: RoomTransfer { get }
    /// The keys with their usage and browser sessions.
    var keys: KeyRoom { get }
    /// Sets the spaces that answer queries and all that numbers new rows, and stores the last state.
    func finish(_ spaces: TransferSpaces, _ state: TransferState) async throws
}

extension TransferSide {
    /// What does not move to another store.
    package func leftBehind(in other: any TransferSide) async throws -> [TransferRemark] {
        try await leftBehind() + rooms.leftBehind(in: other.rooms)
    }
}

/// A sentence about values that are not moved as they are, or not at all.
package struct TransferRemark: Sendable, Hashable {
    /// The table and column, or the subject.
    package var subject: String
    /// The number of rows.
    package var count: Int
    /// What happens to them.
    package var text: String
    /// The first ids; empty where rows have none.
    package var ids: [Int64]

    package init(_ subject: String, _ count: Int, _ text: String, ids: [Int64] = []) {
        self.subject = subject
        self.count = count
        self.text = text
        self.ids = ids
    }
}

extension [TransferRemark] {
    /// The ids that a remark names.
    private static var mostIDs: Int { 20 }

    /// Adds a remark, to one about the same subject with the same text if there is one.
    package mutating func add(_ remark: TransferRemark) {
        guard let place = firstIndex(where: { $0.subject == remark.subject && $0.text == remark.text }) else {
            return append(remark)
        }
        self[place].count += remark.count
        self[place].ids += remark.ids.prefix(Swift.max(0, Self.mostIDs - self[place].ids.count))
    }
}

/// Embedding spaces of a store.
package struct TransferSpaces: Sendable, Hashable {
    package var all: [EmbeddingSpace]
    package var active: EmbeddingSpace?
    package var previous: EmbeddingSpace?

    package init(all: [EmbeddingSpace] = [], active: EmbeddingSpace? = nil, previous: EmbeddingSpace? = nil) {
        self.all = all
        self.active = active
        self.previous = previous
    }
}

/// Changed notes of a log.
package struct TransferChanges: Sendable, Hashable {
    package var ids: Set<Int64>
    /// The position after these changes.
    package var position: String
    /// Whether the log reaches back to the asked position. If not, any note may have changed.
    package var isComplete: Bool
    /// Whether nothing follows.
    package var isAtEnd: Bool

    package init(ids: Set<Int64>, position: String, isComplete: Bool, isAtEnd: Bool) {
        self.ids = ids
        self.position = position
        self.isComplete = isComplete
        self.isAtEnd = isAtEnd
    }
}

/// Some notes in the order of their ids.
package struct TransferPage: Sendable {
    package var notes: [TransferNote]
    /// The page has all notes up to this id; nil when none are left.
    package var last: Int64?
    /// Values that were coerced or left out.
    package var remarks: [TransferRemark]

    package init(notes: [TransferNote], last: Int64?, remarks: [TransferRemark]) {
        self.notes = notes
        self.last = last
        self.remarks = remarks
    }
}

/// How far a migration is. The target stores it in the transaction of what it describes.
package struct TransferState: Sendable, Hashable, Codable {
    package enum Phase: String, Sendable, Hashable, Codable { case copying, comparing, done }

    /// The identity of the source.
    package var source: String
    /// A random name of the process that works.
    package var run: String
    package var phase = Phase.copying
    /// All notes of the source up to this id are copied.
    package var copied: Int64?
    /// The changes of the source up to here are applied.
    package var changes: String
    /// The end of the target's own changes when the migration was done.
    package var ownChanges: String?
    /// Whether chat sessions and memories are moved, too; nil in a migration of a version that left them where they were.
    package var movesConversations: Bool?
    /// A digest of the target's chat sessions and memories when the migration was done.
    package var ownConversations: String?
    /// The tables of rooms that are moved, too; nil in a migration of a version that left them where they were.
    package var rooms: [String]?
    /// A digest of the target's tables of rooms when the migration was done.
    package var ownRooms: String?

    package init(source: String, run: String, changes: String) {
        self.source = source
        self.run = run
        self.changes = changes
    }

    /// Reads the JSON of ``text``; nil for anything else.
    package init?(_ text: String?) {
        guard let text, let state = ExtraColumns.decode(Self.self, text) else { return nil }
        self = state
    }

    /// The state as JSON.
    package var text: String { ExtraColumns.encode(self) ?? "{}" }
}
