package import GatewayAPI

/// The notes of either kind of store, read and written one by one.
///
/// Methods throw ``StorageError``, and for notes elsewhere the server's own error.
package protocol NoteBook: Sendable {
    /// Returns notes by id, in the order of `ids`, up to a size. Missing notes and those of test runs are left out.
    func find(ids: [Int64], maxBytes: Int) async throws -> [Note]
    /// Returns a page of notes, newest first, without those of test runs.
    func page(_ selection: NoteSelection, after cursor: PageCursor?, limit: Int) async throws -> Page<Note>
    /// Notes by what a link calls them, without those of test runs: their titles, or the last parts of their names in a source
    /// without `.md`, ignoring the case of ASCII letters.
    ///
    /// - Parameter names: At most 100 without line ends.
    func named(_ names: [String]) async throws -> [NoteName]
    /// Stores drafts in one transaction: all of them, or none when this throws.
    ///
    /// A draft with a known external id updates its note, by the rules of ``IngestStep``. A draft without an external id is a
    /// duplicate when a note with the same title and content exists.
    func insert(_ drafts: [NoteDraft]) async throws -> InsertOutcome
    /// The names that begin with a text, of what was ingested and whose notes exist, in their order.
    func ingested(beginningWith prefix: String) async throws -> [(name: String, note: Int64)]
    /// What was ingested under names, and whose notes exist.
    func ingested(_ names: [String]) async throws -> [IngestedName]
    /// Deletes the notes of sources that are gone, in one transaction, by the rule of ``IngestRemoval``.
    ///
    /// - Parameter forgets: Whether what was ingested is forgotten with its note, so that the same source makes a new one. Else a
    ///   note that is restored follows its source again.
    func removeIngested(_ names: [String], forgets: Bool) async throws -> [IngestRemoval]
    /// Creates a note, unless one with its title and content exists. A repeated request returns the note of the first one.
    func create(_ draft: NoteDraft, testRun: String?, request: NoteRequest?) async throws -> NoteCreation
    /// Changes a note; with a revision, only while it has that. Returns false when the note does not exist.
    func update(_ id: Int64, _ change: NoteChange, revision: String?) async throws -> Bool
    /// Deletes a note; with a revision, only while it has that. Returns false when the note does not exist.
    func delete(_ id: Int64, revision: String?) async throws -> Bool
}

/// What a note is called.
package struct NoteName: Sendable, Hashable {
    package let id: Int64
    package let title: String
    /// Its name in a source, such as the path of a file.
    package let file: String?

    package init(id: Int64, title: String, file: String?) {
        (self.id, self.title, self.file) = (id, title, file)
    }
}

extension NoteBook {
    package func find(ids: [Int64]) async throws -> [Note] { try await find(ids: ids, maxBytes: 64 << 20) }

    /// Deletes the notes of sources that are gone, which may come back.
    package func removeIngested(_ names: [String]) async throws -> [IngestRemoval] {
        try await removeIngested(names, forgets: false)
    }

    package func page(after cursor: PageCursor?, limit: Int) async throws -> Page<Note> {
        try await page(NoteSelection(), after: cursor, limit: limit)
    }

    /// Returns the threads of notes, ordered by note and thread. Hidden notes are left out.
    package func threadAssignments(of ids: [Int64]) async throws -> [ThreadAssignment] {
        let notes = try await find(ids: Array(Set(ids)).sorted())
        return notes.flatMap { note in
            note.threads.sorted { $0.id < $1.id }.map {
                ThreadAssignment(noteId: note.id, threadId: $0.id, threadName: $0.name)
            }
        }
    }
}

extension NoteStore: NoteBook {}
