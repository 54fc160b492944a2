import ChatRoom
import ChatRun
import GatewayAPI

/// What the model thinks before its text, for the one reader that shows it. Nothing of it is stored.
struct RunThoughts {
    /// The largest thoughts of a run in UTF-8 bytes, as large as its text can be. What follows is left out.
    static let maxBytes = 1 << 20

    /// Whether the run has such a reader.
    let isKept: Bool
    /// The number of that reader; nil before it is attached.
    var reader: UInt64?
    /// What the reader does not have.
    private(set) var unread = ""
    private var bytes = 0
    /// Whether the next piece begins a new turn.
    private var separatesTurns = false

    init(isKept: Bool) { self.isKept = isKept }

    /// Sets what follows apart from earlier turns.
    mutating func beginTurn() { separatesTurns = bytes > 0 }

    /// Appends a piece. Returns whether it was kept.
    mutating func append(_ piece: String) -> Bool {
        guard isKept, !piece.isEmpty else { return false }
        let piece = separatesTurns ? "\n\n" + piece : piece
        guard piece.utf8.count <= Self.maxBytes - bytes else {
            bytes = Self.maxBytes
            return false
        }
        separatesTurns = false
        bytes += piece.utf8.count
        unread += piece
        return true
    }

    /// Takes what the reader does not have.
    mutating func take() -> String {
        defer { unread = "" }
        return unread
    }
}

/// The reader of an answer, which shows what the model thinks.
extension LiveRun {
    /// Attaches the reader. Returns its number, and the thoughts and frames until now.
    func attachAnswer() -> (reader: UInt64, thoughts: String, read: RunRead) {
        let (reader, read) = attach(lastEventID: nil)
        feed.thoughts.reader = reader
        return (reader, feed.thoughts.take(), read)
    }

    /// Returns what the reader lacks, thoughts first; waits like ``read(_:after:)``.
    func readAnswer(_ reader: UInt64, after position: RunPosition) async -> (thoughts: String, read: RunRead) {
        if feed.thoughts.unread.isEmpty { await waitForFrames(reader, after: position) }
        return (feed.thoughts.take(), feed.log.read(after: position))
    }

    /// Takes a piece of thinking. Behind the first text there is no place for it in an answer.
    func think(_ piece: String) {
        if row.record.timingsMilliseconds["first_thought"] == nil, !feed.hasText {
            row.record.timingsMilliseconds["first_thought"] = basis.age.milliseconds
        }
        handle(.thought)
        feed.think(piece)
    }
}
