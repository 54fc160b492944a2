import Crypto
import Storage
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A note with everything that belongs to it except its vectors, as both stores hold it.
package struct NoteRecord: Sendable, Hashable, Codable {
    /// A thread of the note.
    package struct Thread: Sendable, Hashable, Codable {
        package var id: Int64
        package var name: String

        package init(id: Int64, name: String) {
            self.id = id
            self.name = name
        }
    }

    package var id: Int64
    package var title: String
    package var content: String
    package var createdAt: String
    package var noteType: String?
    package var actionability: String?
    package var tags: [String]
    /// In the order of their ids.
    package var threads: [Thread]
    /// The names of the note in its sources, in their order.
    package var externalIDs: [String]
    package var source: String?
    /// Whether the note belongs to a test run.
    package var isHidden: Bool
    /// A JSON object of the other columns of an SQLite file; nil without any.
    package var extra: String?

    package init(
        id: Int64, title: String, content: String, createdAt: String, noteType: String? = nil,
        actionability: String? = nil, tags: [String] = [], threads: [Thread] = [], externalIDs: [String] = [],
        source: String? = nil, isHidden: Bool = false, extra: String? = nil
    ) {
        self.id = id
        self.title = title
        self.content = content
        self.createdAt = createdAt
        self.noteType = noteType
        self.actionability = actionability
        self.tags = tags
        self.threads = threads
        self.externalIDs = externalIDs
        self.source = source
        self.isHidden = isHidden
        self.extra = extra
    }

    /// The record without U+0000, which PostgreSQL's text cannot hold.
    package var storable: NoteRecord {
        var record = self
        func clean(_ text: String) -> String { text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text }
        record.title = clean(title)
        record.content = clean(content)
        record.createdAt = clean(createdAt)
        record.noteType = noteType.map(clean)
        record.actionability = actionability.map(clean)
        record.tags = tags.map(clean)
        record.threads = threads.map { Thread(id: $0.id, name: clean($0.name)) }
        record.externalIDs = externalIDs.map(clean).sorted()
        record.source = source.map(clean)
        return record
    }

    /// SHA-256 over all fields, for the comparison of two stores.
    package var hash: [UInt8] {
        var hasher = SHA256()
        func add(_ text: String?) {
            // A length before each text, so that no two records give the same bytes.
            let bytes = Array((text ?? "").utf8)
            hasher.update(data: PostgresValue.bytes(of: text == nil ? Int64(-1) : Int64(bytes.count)))
            hasher.update(data: bytes)
        }
        for number in [id, Int64(tags.count), Int64(threads.count), Int64(externalIDs.count), isHidden ? 1 : 0] {
            hasher.update(data: PostgresValue.bytes(of: number))
        }
        for text in [title, content, createdAt, noteType, actionability, source, extra] { add(text) }
        for tag in tags { add(tag) }
        for thread in threads {
            hasher.update(data: PostgresValue.bytes(of: thread.id))
            add(thread.name)
        }
        for name in externalIDs { add(name) }
        return Array(hasher.finalize())
    }

    /// Creation time in seconds since 1970; 0 for an unreadable date.
    package var created: Int64 { Timestamp.unixSeconds(createdAt) ?? 0 }

    /// The hash of the text to embed.
    package var contentHash: [UInt8] { Array(ContentHash.of(title: title, content: content)) }
}
