package import Storage

/// Checks the claims of drafts to be exports of this gateway.
package typealias ClaimCheck = @Sendable ([NoteDraft]) async throws -> [NoteDraft]

/// What came of the files of a source.
package struct IngestTally: Sendable, Hashable {
    package var outcome = InsertOutcome()
    /// Notes that cannot be read.
    package var problems: [String] = []
    /// What was not read as it was written; the notes have all of their text.
    package var warnings: [String] = []
    /// Notes without text.
    package var empty: [String] = []
    /// Fields that have no place in a note, with the number of their notes.
    package var unreadFields: [String: Int] = [:]

    package init() {}
}

/// Reads all notes of a source and stores them in batches. The next batch is read while one is stored.
package struct NoteFileIngest: Sendable {
    /// Notes that are stored in one transaction.
    private static let batch = 2000

    private let notes: any NoteBook
    private let claims: ClaimCheck

    package init(notes: any NoteBook, claims: @escaping ClaimCheck) { (self.notes, self.claims) = (notes, claims) }

    /// - Parameter report: Called after each batch with the bytes read, and the tally so far.
    /// - Throws: ``StorageError``, and for notes elsewhere the server's own error. What was stored before stays.
    package func run(_ source: NoteFileReader, report: (Int, IngestTally) -> Void = { _, _ in }) async throws
        -> IngestTally
    {
        var tally = IngestTally()
        var upcoming = Task { await source.next(Self.batch) }
        while true {
            let batch = await upcoming.value
            if batch.isAtEnd { break }
            try Task.checkCancellation()
            upcoming = Task { await source.next(Self.batch) }
            tally.problems += batch.problems
            tally.warnings += batch.warnings
            tally.empty += batch.empty
            tally.unreadFields.merge(batch.unreadFields, uniquingKeysWith: +)
            tally.outcome += try await notes.insert(try await claims(batch.drafts))
            report(batch.bytesRead, tally)
        }
        return tally
    }
}
