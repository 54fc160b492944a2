import Cryptography
import GatewayAPI
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A note with everything that belongs to it except its vectors, as both stores hold it.
package struct NoteRecord: Sendable, Hashable, Codable {
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
        record.title = Self.clean(title)
        record.content = Self.clean(content)
        record.createdAt = Self.clean(createdAt)
        record.noteType = noteType.map(Self.clean)
        record.actionability = actionability.map(Self.clean)
        record.tags = tags.map(Self.clean)
        record.threads = threads.map { Thread(id: $0.id, name: Self.clean($0.name)) }
        record.externalIDs = Self.ordered(externalIDs.map(Self.clean))
        record.source = source.map(Self.clean)
        return record
    }

    /// Whether title and text have the same bytes.
    package func hasSameTitleAndContent(as other: NoteRecord) -> Bool {
        title.hasSameBytes(as: other.title) && content.hasSameBytes(as: other.content)
    }

    package static func == (left: NoteRecord, right: NoteRecord) -> Bool { left.hash == right.hash }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// SHA-256 over the bytes of all fields, for the comparison of two stores.
    package var hash: [UInt8] {
        var hasher = SHA256()
        for number in [id, Int64(tags.count), Int64(threads.count), Int64(externalIDs.count), isHidden ? 1 : 0] {
            hasher.add(number)
        }
        for text in [title, content, createdAt, noteType, actionability, source, extra] { hasher.add(text) }
        for tag in tags { hasher.add(tag) }
        for thread in threads {
            hasher.add(thread.id)
            hasher.add(thread.name)
        }
        for name in externalIDs { hasher.add(name) }
        return Array(hasher.finalize())
    }

    /// Creation time in seconds since 1970; 0 for an unreadable date.
    package var created: Int64 { Timestamp.unixSeconds(createdAt) ?? 0 }

    /// The hash of the text to embed.
    package var contentHash: [UInt8] { Array(ContentHash.of(title: title, content: content)) }
}

extension SHA256 {
    /// Adds a text with its length before it, so that no two lists of texts give the same bytes.
    mutating func add(_ text: String?) {
        add(text.map { Int64($0.utf8.count) } ?? -1)
        if let text { update(data: Array(text.utf8)) }
    }

    mutating func add(_ number: Int64) {
        update(data: (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * Int64($0))) })
    }
}
