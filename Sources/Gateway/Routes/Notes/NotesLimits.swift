/// What bounds the requests of the notes API; openapi.yaml says the same.
enum NotesLimits {
    /// Rows of a page at most.
    static let maxPage = 500
    /// Notes in one question about threads at most.
    static let maxIDs = 1000
    /// Bytes of a title, or of a session's.
    static let maxTitleBytes = 4096
    /// Bytes of a text that is searched for.
    static let maxSearchBytes = 1024
    /// Bytes of a word such as a type, a tag or a thread's name.
    static let maxWordBytes = 512
    /// Tags, or threads, of a note.
    static let maxWords = 100
    /// Days back in time.
    static let maxDays = 100_000.0
    /// Bytes of a session's id.
    static let maxSessionIDBytes = 200
    /// Bytes of a memory.
    static let maxMemoryBytes = 65_536
    /// Numbers of a vector.
    static let maxDimensions = 8192
    /// Bytes of a question to the memories.
    static let maxQueryBytes = 16 << 10
    /// Memories that one retrieval looks at, the newest first.
    static let maxScannedMemories = 50_000
    /// Bytes of a device's token.
    static let maxTokenBytes = 512
}
