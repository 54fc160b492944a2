package import ChatRoom

/// Where everything is kept: the SQLite file, or a database that several gateways share.
///
/// Both have the same order, cursors, limits and errors. Methods throw ``StorageError`` for what the file's stores document,
/// and a shared database's own error while it is away.
package protocol GatewayStore: ChatStore {
    associatedtype Notes: NoteBook
    associatedtype History: NoteHistory
    associatedtype Threads: ThreadBook
    associatedtype Changes: NoteChanges
    associatedtype Embeddings: EmbeddingAdministration
    associatedtype Sessions: ConversationSessions
    associatedtype Messages: ConversationMessages

    var notes: Notes { get }
    /// The earlier versions of notes.
    var noteHistory: History { get }
    var threads: Threads { get }
    /// Which notes change.
    var changes: Changes { get }
    /// The embedding spaces and the queue of the notes.
    var embeddings: Embeddings { get }
    /// The chat sessions.
    var sessions: Sessions { get }
    /// The messages of chat sessions.
    var messages: Messages { get }
}

extension GatewayDatabase: GatewayStore {}
