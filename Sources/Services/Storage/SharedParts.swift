import Synchronization

/// What a database uses in place of its own while the notes are elsewhere, shared by several gateways.
package struct SharedParts: Sendable {
    package var store: any SQLStore
    /// The embedding spaces and the queue.
    package var embeddings: any EmbeddingAdministration
    package var notes: any NoteBook
    package var noteChanges: any NoteChanges
    package var noteHistory: any NoteHistory
    package var threads: any ThreadBook

    package init(
        store: any SQLStore, embeddings: any EmbeddingAdministration, notes: any NoteBook,
        noteChanges: any NoteChanges, noteHistory: any NoteHistory, threads: any ThreadBook
    ) {
        self.store = store
        self.embeddings = embeddings
        self.notes = notes
        self.noteChanges = noteChanges
        self.noteHistory = noteHistory
        self.threads = threads
    }
}

/// Holds the shared parts of a database.
final class SharedSource: Sendable {
    private let state = Mutex<SharedParts?>(nil)

    var parts: SharedParts? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension GatewayDatabase {
    /// Uses shared parts from now on; those of the file stay and are not used.
    package func share(_ parts: SharedParts) { shared.parts = parts }

    /// The store of rooms: the server that gateways share, else the file.
    package var store: any SQLStore { shared.parts?.store ?? self }

    /// The embedding spaces and the queue of the notes, wherever the notes are.
    package var embeddings: any EmbeddingAdministration { shared.parts?.embeddings ?? FileEmbeddings(database: self) }

    /// The notes, wherever they are.
    package var noteBook: any NoteBook { shared.parts?.notes ?? notes }

    /// Which notes change, wherever they are.
    package var noteChanges: any NoteChanges { shared.parts?.noteChanges ?? changes }

    /// The threads of the notes, wherever the notes are.
    package var threadBook: any ThreadBook { shared.parts?.threads ?? threads }
}
