import Cryptography
package import GatewayAPI

/// A chat session as both kinds of store hold it. Times are seconds since 1970.
package struct SessionRecord: TransferRow {
    package var key: TextKey
    package var name: String
    package var created: Int64
    package var updated: Int64
    package var isPinned: Bool
    package var compressionState: String
    package var compressed: Int64?
    package var messagesJSON: String
    package var summaryText: String?
    package var messageCount: Int
    /// Whether the store has a place for ``messageCount``; others count.
    package var hasMessageCount: Bool

    /// Reads a session. What it lacks is what a new one has; without dates it is from 1970.
    package init(_ session: Session, hasMessageCount: Bool = true) {
        key = TextKey(session.id)
        name = NoteRecord.clean(session.title)
        created = TransferTime.seconds(session.createdAt) ?? 0
        updated = TransferTime.seconds(session.updatedAt) ?? created
        isPinned = session.isPinned
        compressionState = session.compressionState.map(NoteRecord.clean) ?? "full"
        compressed = TransferTime.seconds(session.compressedAt)
        messagesJSON = session.messagesJSON.map(NoteRecord.clean) ?? "[]"
        summaryText = session.summaryText.map(NoteRecord.clean)
        messageCount = max(0, session.messageCount)
        self.hasMessageCount = hasMessageCount
    }

    package var title: String { "session \(key.text)" }

    package var hash: [UInt8] {
        var hasher = SHA256()
        for text in [key.text, name, compressionState, messagesJSON, summaryText] { hasher.add(text) }
        for number in [created, updated, isPinned ? 1 : 0, compressed ?? Int64.min] { hasher.add(number) }
        return Array(hasher.finalize())
    }

    package func isSame(as other: Self) -> Bool {
        hash == other.hash
            && (messageCount == other.messageCount || !hasMessageCount || !other.hasMessageCount)
    }
}

/// A message of a chat session as both kinds of store hold it.
package struct MessageRecord: TransferRow {
    package var key: Int64
    package var role: String
    package var content: String
    /// Seconds since 1970.
    package var created: Int64
    /// The message that it follows; nil for none.
    package var parent: Int64?
    /// The run whose answer it is.
    package var run: String?
    /// Whether ``parent`` counts. A message of a client follows the one before it.
    package var isLinked: Bool

    package init(_ message: Message, isLinked: Bool) {
        (key, parent, self.isLinked) = (message.id, message.parent, isLinked)
        run = message.run.map(NoteRecord.clean)
        role = NoteRecord.clean(message.role)
        content = NoteRecord.clean(message.content)
        created = TransferTime.seconds(message.createdAt) ?? 0
    }

    package var title: String { "message \(key)" }

    package var hash: [UInt8] {
        var hasher = SHA256()
        for number in [key, created, isLinked ? 1 : 0, parent ?? Int64.min] { hasher.add(number) }
        for text in [role, content, run] { hasher.add(text) }
        return Array(hasher.finalize())
    }

    package func isSame(as other: Self) -> Bool { hash == other.hash }
}

/// A memory as both kinds of store hold it. Times are seconds since 1970.
package struct MemoryRecord: TransferRow {
    package var key: Int64
    package var content: String
    package var type: String
    package var confidence: Double
    package var sourceSession: String?
    package var vector: [Float]?
    package var created: Int64
    /// The last change; nil if the store has no column for it.
    package var updated: Int64?
    /// The last use; nil if the store has no column for it.
    package var accessed: Int64?

    /// Reads a memory. What it lacks is what a new one has; times that it lacks are that of its creation.
    package init(_ memory: Memory, vector: [Float]?, hasUpdated: Bool = true, hasAccessed: Bool = true) {
        key = memory.id
        content = NoteRecord.clean(memory.content)
        type = memory.type.map(NoteRecord.clean) ?? "fact"
        confidence = memory.confidence
        sourceSession = memory.sourceSessionID.map(NoteRecord.clean)
        self.vector = vector
        created = TransferTime.seconds(memory.createdAt) ?? 0
        updated = hasUpdated ? TransferTime.seconds(memory.updatedAt) ?? created : nil
        accessed = hasAccessed ? TransferTime.seconds(memory.lastAccessedAt) ?? created : nil
    }

    package var title: String { "memory \(key)" }

    /// Without the last change and use: not all stores have them.
    private var common: SHA256 {
        var hasher = SHA256()
        for number in [key, Int64(bitPattern: confidence.bitPattern), created] { hasher.add(number) }
        for text in [content, type, sourceSession] { hasher.add(text) }
        hasher.add(vector.map { Int64($0.count) } ?? -1)
        for number in vector ?? [] { hasher.add(Int64(number.bitPattern)) }
        return hasher
    }

    package var hash: [UInt8] {
        var hasher = common
        for time in [updated, accessed] { hasher.add(time ?? .min) }
        return Array(hasher.finalize())
    }

    package func isSame(as other: Self) -> Bool {
        common.finalize() == other.common.finalize()
            && (updated == other.updated || updated == nil || other.updated == nil)
            && (accessed == other.accessed || accessed == nil || other.accessed == nil)
    }
}

private enum TransferTime {
    /// Seconds since 1970; nil for none, and for a text that is no date.
    static func seconds(_ text: String?) -> Int64? { text.flatMap(Timestamp.unixSeconds) }
}
