package import Folders
package import Storage

/// What a look at the files of a source found and did.
package struct LookOutcome: Sendable, Hashable {
    /// New, changed and unchanged notes of the files that were read.
    package var stored = InsertOutcome()
    /// The number of files that are there.
    package var files = 0
    /// The number of files that were read.
    package var read = 0
    /// The number of notes that went to the bin.
    package var removed = 0
    /// The number of notes that came back from it.
    package var restored = 0
    /// Files that could not be read, with the reason.
    package var problems: [String] = []
    /// Files without text.
    package var empty: [String] = []
    /// What was not read as it was written; the notes have all of their text.
    package var warnings: [String] = []
    /// Files that are gone and whose notes were edited in the gateway: the notes are kept.
    package var edited: [String] = []
    /// Files that somebody may still be writing. They are to be looked at again.
    package var unsettled: [FilePath] = []
    /// The number of missing files that were not taken for gone, since they are too many; 0 else.
    package var missing = 0

    package init() {}

    /// The most entries of each list that are kept.
    static let maxListed = 1000

    /// Adds what a later look found: its files, problems and unsettled files take the place of these.
    mutating func add(_ later: LookOutcome) {
        stored += later.stored
        read += later.read
        removed += later.removed
        restored += later.restored
        edited += later.edited
        add(later.warnings)
        empty += later.empty
        (files, missing, problems, unsettled) = (later.files, later.missing, later.problems, later.unsettled)
    }

    mutating func note(empty: String) { if self.empty.count < Self.maxListed { self.empty.append(empty) } }

    mutating func note(problem: String) { if problems.count < Self.maxListed { problems.append(problem) } }

    mutating func add(_ warnings: [String]) {
        self.warnings += warnings.prefix(max(0, Self.maxListed - self.warnings.count))
    }
}
