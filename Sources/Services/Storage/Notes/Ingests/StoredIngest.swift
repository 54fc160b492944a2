import Cryptography

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What was ingested under one name in a source.
package struct StoredIngest: Sendable, Hashable {
    package var externalID: String
    package var note: Int64
    /// The hash of what the source said.
    package var sourceHash: [UInt8]
    /// The hash of the note as it was stored then; empty for one that had been edited by then.
    package var noteHash: [UInt8]
    /// The hash of the source's text alone; empty for a source without one.
    package var textHash: [UInt8]

    package init(externalID: String, note: Int64, sourceHash: [UInt8], noteHash: [UInt8], textHash: [UInt8]) {
        self.externalID = externalID
        self.note = note
        self.sourceHash = sourceHash
        self.noteHash = noteHash
        self.textHash = textHash
    }
}

/// The part of a note that an ingest compares and overwrites.
package struct IngestedText: Sendable, Hashable {
    package var id: Int64
    package var title: String
    package var content: String
    package var tags: [String]
    /// When the note was written, in seconds since 1970; nil for an unreadable date.
    package var created: Int64?
    /// When the note was stored, in seconds since 1970; nil where nothing says so.
    package var imported: Int64?

    package init(id: Int64, title: String, content: String, tags: [String], created: Int64?, imported: Int64?) {
        self.id = id
        self.title = title
        self.content = content
        self.tags = tags
        self.created = created
        self.imported = imported
    }

    /// SHA-256 of all but the times of storing.
    package var hash: [UInt8] {
        var hasher = SHA256()
        hasher.add(title)
        hasher.add(content)
        hasher.add(created ?? .min)
        for tag in tags { hasher.add(tag) }
        return Array(hasher.finalize())
    }
}

/// What a person should know about a draft that was stored, or was not.
package struct IngestRemark: Sendable, Hashable {
    /// What happened.
    package enum Kind: String, Sendable, Hashable {
        /// The note was edited in the gateway and its file changed: both are kept, as two notes.
        case bothKept
        /// The note differs from its file, which has not changed since it was stored: the note is kept.
        case editKept
        /// The note has the source's text and other tags, which a person gave it: its tags are kept.
        case tagsKept
        /// The note was ingested before hashes were kept, and its file is newer: the file's text replaced the note's, which
        /// is in the note's history.
        case replaced
        /// The note was deleted in the gateway and its file has not changed: it stays deleted.
        case deletedHere
        /// The file was renamed or moved: its note follows.
        case moved
        /// The file names a note of which it is no export of this database.
        case foreignExport
    }

    /// What happened.
    package var kind: Kind
    /// The draft's name in its source.
    package var name: String
    /// The note that was there.
    package var note: Int64
    /// The note of the file's text, where it is another.
    package var other: Int64?
    /// The file's earlier name.
    package var formerName: String?

    package init(_ kind: Kind, name: String, note: Int64, other: Int64? = nil, formerName: String? = nil) {
        self.kind = kind
        self.name = name
        self.note = note
        self.other = other
        self.formerName = formerName
    }
}

/// A claim of a draft to be the export of a note.
package struct ExportClaim: Sendable, Hashable {
    /// Whether the claim is true.
    package enum Evidence: Sendable, Hashable {
        /// This database exported no such file.
        case none
        /// This database exported this file, and the note was not edited since.
        case unedited
        /// This database exported this file, and the note was edited since.
        case edited
    }

    /// The claimed note.
    package var note: Int64
    /// What speaks for the claim.
    package var evidence: Evidence

    package init(note: Int64, evidence: Evidence) {
        self.note = note
        self.evidence = evidence
    }
}

extension NoteDraft {
    /// The hash of what the source says. A date that the source does not say does not count.
    package var sourceHash: [UInt8] {
        var hasher = SHA256()
        for text in [title, content, noteType, actionability] { hasher.add(text) }
        hasher.add(isDateGuessed ? .min : createdAt ?? .min)
        for list in [tags, threads] {
            hasher.add(Int64(list.count))
            for text in list { hasher.add(text) }
        }
        return Array(hasher.finalize())
    }

    /// The hash of the text alone, by which a renamed file is known; nil for a text that says too little.
    package var textHash: [UInt8]? {
        content.utf8.count < 8 ? nil : Array(SHA256.hash(data: Data(content.utf8)))
    }

    /// Whether a note has the draft's text. White space at the ends does not count: readers of files drop it.
    package func isSameText(as note: IngestedText) -> Bool {
        title == note.title && (content == note.content || content.trimmed == note.content.trimmed)
    }

    /// Whether a note is what an earlier version read from the same file: the text without its front matter, or with another of
    /// its lines as the title.
    package func isLaterReading(of note: IngestedText) -> Bool {
        guard title == note.title || content.contains(note.title), content.hasSuffix(note.content) else { return false }
        let header = content.dropLast(note.content.count).trimmed
        return header.isEmpty || (header.hasPrefix("---") && (header.hasSuffix("---") || header.hasSuffix("...")))
    }

    /// Whether a note may be an earlier or an edited form of the draft, by its words.
    package func resembles(_ note: IngestedText) -> Bool {
        let words = Set(content.split(whereSeparator: \.isWhitespace))
        guard !words.isEmpty else { return title == note.title }
        let known = Set(note.content.split(whereSeparator: \.isWhitespace))
        let share = Double(words.intersection(known).count) / Double(words.count)
        return share >= (title == note.title ? 0.5 : 0.8)
    }

    /// Whether a note may be an earlier state of the same file: it has half of the words of the shorter text.
    package func isAlike(_ note: IngestedText) -> Bool {
        let words = Set(content.split(whereSeparator: \.isWhitespace))
        let known = Set(note.content.split(whereSeparator: \.isWhitespace))
        return 2 * words.intersection(known).count >= min(words.count, known.count)
    }

    /// The draft without U+0000, at which the text of a database ends.
    package var storable: NoteDraft {
        func hasNUL(_ text: String) -> Bool { text.utf8.contains(0) }
        let texts = [title, content, noteType ?? "", actionability ?? "", externalID ?? ""] + tags + threads
        guard texts.contains(where: hasNUL) else { return self }
        var draft = self
        (draft.title, draft.content) = (NoteRecord.clean(title), NoteRecord.clean(content))
        (draft.noteType, draft.actionability) = (noteType.map(NoteRecord.clean), actionability.map(NoteRecord.clean))
        (draft.tags, draft.threads) = (tags.map(NoteRecord.clean), threads.map(NoteRecord.clean))
        draft.externalID = externalID.map(NoteRecord.clean)
        return draft
    }
}

extension StringProtocol where SubSequence == Substring {
    fileprivate var trimmed: Substring {
        var rest = self[...].drop(while: \.isWhitespace)
        while rest.last?.isWhitespace == true { rest = rest.dropLast() }
        return rest
    }
}
