/// What was ingested under a name, and whose note exists.
package struct IngestedName: Sendable, Hashable {
    package var name: String
    package var note: Int64
    /// The hash of the source's text alone; empty for a source without one.
    package var textHash: [UInt8]

    package init(name: String, note: Int64, textHash: [UInt8]) {
        (self.name, self.note, self.textHash) = (name, note, textHash)
    }
}

/// What became of the note of a source that is gone, by one rule for all stores: a note that a person has edited stays, and so
/// does one that another source has.
package struct IngestRemoval: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        /// The note is among the deleted ones.
        case removed
        /// The note was edited in the gateway, and stays.
        case edited
        /// The note is another source's, too, and stays; the name is forgotten.
        case shared
        /// There is no such name, or its note was deleted before.
        case missing
    }

    package var name: String
    package var outcome: Outcome

    package init(name: String, outcome: Outcome) { (self.name, self.outcome) = (name, outcome) }

    /// - Parameter note: The note as it is; nil for a deleted one.
    package static func outcome(of row: StoredIngest, _ note: IngestedText?, isShared: Bool) -> Outcome {
        guard let note else { return .missing }
        if isShared { return .shared }
        return note.hash == row.noteHash ? .removed : .edited
    }
}
