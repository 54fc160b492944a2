package import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds what is stored about drafts.
package protocol IngestLookup {
    /// What was ingested under a name.
    func ingest(_ name: String) throws -> StoredIngest?
    /// The note of a name in a source.
    func note(named name: String) throws -> Int64?
    func note(_ id: Int64) throws -> IngestedText?
    /// Whether a note has other names in sources than these.
    func isShared(_ id: Int64, besides names: [String]) throws -> Bool
    /// What was ingested with a text.
    func ingests(ofText hash: [UInt8]) throws -> [StoredIngest]
    /// The first note with the title and the text of a draft that a client sent.
    func twin(of draft: NoteDraft) throws -> Int64?
}

/// What to do with a draft that has a name in its source, by one rule for all stores:
///
/// - A source that did not change touches nothing. So an edit made in the gateway stays, and a deleted note stays deleted.
/// - A source that changed updates its note, if nobody edited the note since.
/// - If both changed, both are kept: the source's text becomes a note of its own, which follows the source from then on.
/// - A note that several sources have is never overwritten for one of them.
/// - A file that a client sent stands for the note that another source of the same text has. It overwrites only a note that is
///   alike: two folders can have files of one path.
/// - Without a hash, from before these were kept, the note is kept if its file was not modified since it was stored.
package struct IngestStep: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        /// Writes no text.
        case keep
        /// Stores the draft as a new note.
        case insert
        /// Overwrites the text of a note.
        case update(Int64)
    }

    package var action = Action.insert
    /// The note that the name stands for; nil for a new one.
    package var note: Int64?
    /// Whether the name, its note and the hashes are recorded.
    package var isRecorded = true
    /// Whether the note differs from the source because a person edited it.
    package var isEdited = false
    /// Names that stand for the note no more.
    package var dropped: [String] = []
    package var remark: IngestRemark?

    /// Decides about a draft.
    ///
    /// - Parameter taken: The names and notes that earlier drafts of the batch have taken over.
    package init(_ draft: NoteDraft, named name: String, _ lookup: some IngestLookup, taken: inout Taken) throws {
        let known = try lookup.ingest(name)
        if draft.isUpload, known?.sourceHash != draft.sourceHash, let (row, note) = try Self.same(draft, name, lookup) {
            (action, self.note, isEdited) = (.keep, note.id, row.map { $0.noteHash != note.hash } ?? false)
        } else if let known {
            try follow(draft, name, known, lookup)
        } else if let id = try lookup.note(named: name), let note = try lookup.note(id) {
            adopt(draft, name, note, former: nil)
        } else if let (former, note) = try Self.former(draft, lookup, taken) {
            adopt(draft, name, note, former: former)
        } else if let claim = draft.export, !taken.notes.contains(claim.note), let note = try lookup.note(claim.note) {
            take(draft, name, note, claim.evidence)
        } else if let moved = try Self.moved(draft, name, lookup, taken) {
            guard let note = try lookup.note(moved.note) else {
                // A deleted note does not come back under another name.
                (action, isRecorded, self.note) = (.keep, false, moved.note)
                remark = IngestRemark(.deletedHere, name: name, note: moved.note)
                return
            }
            self.note = note.id
            dropped = [moved.externalID]
            isEdited = note.hash != moved.noteHash
            // A title may be the file's name.
            action = isEdited || moved.sourceHash == draft.sourceHash ? .keep : .update(note.id)
            // The lines of an export under another name are no news.
            if draft.isFile {
                remark = IngestRemark(.moved, name: name, note: note.id, formerName: moved.externalID)
            }
        }
        if case .update(let id) = action, try lookup.isShared(id, besides: [name] + dropped) {
            // Other sources have this text too, and keep it.
            let shared = try lookup.note(id)
            let isSame =
                shared.map { $0.title.hasSameBytes(as: draft.title) && $0.content.hasSameBytes(as: draft.content) }
                ?? false
            (action, note) = isSame ? (.keep, id) : (.insert, nil)
            (dropped, remark) = ([], nil)
        }
        taken.names.formUnion(dropped.map(ByteText.init))
        if let note { taken.notes.insert(note) }
    }

    /// What earlier drafts of a batch have taken over.
    package struct Taken {
        package var names: Set<ByteText> = []
        package var notes: Set<Int64> = []

        package init() {}
    }

    /// A source that was ingested before.
    private mutating func follow(
        _ draft: NoteDraft, _ name: String, _ known: StoredIngest, _ lookup: some IngestLookup
    ) throws {
        let note = try lookup.note(known.note)
        guard known.sourceHash != draft.sourceHash else {
            (action, isRecorded, self.note) = (.keep, false, known.note)
            if note == nil { remark = IngestRemark(.deletedHere, name: name, note: known.note) }
            return
        }
        if let row = try Self.sibling(draft, name, lookup), let sibling = try lookup.note(row.note) {
            // The first of several lines of one id is gone, and the next one has its name now.
            (action, self.note, dropped) = (.keep, sibling.id, [row.externalID])
            isEdited = sibling.hash != row.noteHash
            return
        }
        guard let note else { return }
        if note.hash == known.noteHash {
            // A file of another folder becomes a note of its own.
            guard !draft.isUpload || draft.isAlike(note) else { return }
            (action, self.note) = (.update(note.id), note.id)
        } else if draft.isSameText(as: note) {
            (action, self.note, isEdited) = (.keep, note.id, note.tags != draft.tags)
            if isEdited { remark = IngestRemark(.tagsKept, name: name, note: note.id) }
        } else {
            remark = IngestRemark(.bothKept, name: name, note: note.id)
        }
    }

    /// A note that has a name in a source and no hash.
    private mutating func adopt(_ draft: NoteDraft, _ name: String, _ note: IngestedText, former: String?) {
        let names = former.map { [$0] } ?? []
        if draft.isSameText(as: note) {
            // Tags that only the note has were added in the gateway.
            isEdited = !Set(note.tags).isSubset(of: draft.tags)
            (action, self.note, dropped) = (former == nil && !isEdited ? .update(note.id) : .keep, note.id, names)
            if isEdited { remark = IngestRemark(.tagsKept, name: name, note: note.id) }
            return
        }
        guard let modified = draft.modifiedAt else {
            // Not from a file.
            (action, self.note, dropped) = (.update(note.id), note.id, names)
            return
        }
        if draft.isLaterReading(of: note), modified <= note.imported ?? .max {
            (action, self.note, dropped) = (.keep, note.id, names)
            // A person may have given it another title, and tags.
            let hasTags = !Set(note.tags).isSubset(of: draft.tags)
            isEdited = hasTags || draft.title != note.title
            if isEdited { remark = IngestRemark(hasTags ? .tagsKept : .editKept, name: name, note: note.id) }
            return
        }
        guard draft.resembles(note) || (former == nil && draft.title == note.title) else {
            // Another file of that name, or one that was rewritten: nothing is lost.
            if former == nil { remark = IngestRemark(.bothKept, name: name, note: note.id) }
            return
        }
        guard let imported = note.imported else {
            remark = IngestRemark(.bothKept, name: name, note: note.id)
            return
        }
        (self.note, dropped) = (note.id, names)
        if modified <= imported {
            (action, isEdited) = (.keep, true)
            remark = IngestRemark(.editKept, name: name, note: note.id)
        } else {
            action = .update(note.id)
            remark = IngestRemark(.replaced, name: name, note: note.id)
        }
    }

    /// A file that says that it is the export of a note.
    private mutating func take(
        _ draft: NoteDraft, _ name: String, _ note: IngestedText, _ evidence: ExportClaim.Evidence
    ) {
        if draft.isSameText(as: note), Set(note.tags).isSubset(of: draft.tags) {
            (action, self.note, isRecorded) = (.keep, note.id, evidence != .none)
            return
        }
        switch evidence {
        case .unedited: (action, self.note) = (.update(note.id), note.id)
        case .edited: remark = IngestRemark(.bothKept, name: name, note: note.id)
        case .none: remark = IngestRemark(.foreignExport, name: name, note: note.id)
        }
    }

    /// The note that an earlier version of the gateway gave another name of the source.
    private static func former(
        _ draft: NoteDraft, _ lookup: some IngestLookup, _ taken: Taken
    ) throws -> (String, IngestedText)? {
        for name in draft.formerIDs where !taken.names.contains(ByteText(name)) {
            if try lookup.ingest(name) == nil, let id = try lookup.note(named: name), let note = try lookup.note(id) {
                return (name, note)
            }
        }
        return nil
    }

    /// What was ingested with the same text from a source that is gone: from a file under any title, from a line with the same
    /// title or an unchanged one. One whose note was deleted comes last, and only for an unchanged source.
    private static func moved(
        _ draft: NoteDraft, _ name: String, _ lookup: some IngestLookup, _ taken: Taken
    ) throws -> StoredIngest? {
        guard let hash = draft.textHash else { return nil }
        var deleted: StoredIngest?
        for row in try lookup.ingests(ofText: hash)
        where !row.externalID.hasSameBytes(as: name) && !taken.names.contains(ByteText(row.externalID))
            && isGone(row.externalID)
        {
            let isSame = row.sourceHash == draft.sourceHash
            guard let note = try lookup.note(row.note) else {
                if isSame { deleted = deleted ?? row }
                continue
            }
            if draft.isFile || isSame || note.title == draft.title { return row }
        }
        return deleted
    }

    /// The note that another source with the draft's text has, or one with its title and text from elsewhere.
    private static func same(
        _ draft: NoteDraft, _ name: String, _ lookup: some IngestLookup
    ) throws -> (StoredIngest?, IngestedText)? {
        for row in try draft.textHash.map({ try lookup.ingests(ofText: $0) }) ?? [] where row.externalID != name {
            if let note = try lookup.note(row.note), row.sourceHash == draft.sourceHash || note.title == draft.title {
                return (row, note)
            }
        }
        return try lookup.twin(of: draft).flatMap { try lookup.note($0) }.map { (nil, $0) }
    }

    /// The row of another line with the name's id and the draft's text.
    private static func sibling(
        _ draft: NoteDraft, _ name: String, _ lookup: some IngestLookup
    ) throws -> StoredIngest? {
        guard !draft.isFile, let hash = draft.textHash else { return nil }
        return try lookup.ingests(ofText: hash).first {
            $0.sourceHash == draft.sourceHash && $0.externalID.hasPrefix(name + "#")
        }
    }

    /// Whether a name is the path of a file that is there no more, or that of such a file with `#` and the id of a line.
    package static func isGone(_ name: String) -> Bool {
        guard name.hasPrefix("/"), !FileManager.default.fileExists(atPath: name) else { return false }
        // Paths and ids may have a # too. No path is longer than this.
        let start = name.prefix(4096)
        return !start.indices.contains { start[$0] == "#" && isFile(String(start[..<$0])) }
    }

    private static func isFile(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path) && !FileManager.default.fileExists(atPath: path + "/.")
    }
}
