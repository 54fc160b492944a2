/// What bounds the requests of the notes API; openapi.yaml says the same.
package enum NotesLimits {
    /// Rows of a page at most.
    package static let maxPage = 500
    /// Notes in one question about threads at most.
    package static let maxIDs = 1000
    /// Bytes of a title, or of a session's.
    package static let maxTitleBytes = 4096
    /// Bytes of a text that is searched for.
    package static let maxSearchBytes = 1024
    /// Bytes of a word such as a type, a tag or a thread's name.
    package static let maxWordBytes = 512
    /// Tags, or threads, of a note.
    package static let maxWords = 100
    /// Days back in time.
    package static let maxDays = 100_000.0
    /// Bytes of a session's id.
    package static let maxSessionIDBytes = 200
    /// Bytes of a memory.
    package static let maxMemoryBytes = 65_536
    /// Numbers of a vector.
    static let maxDimensions = 8192
    /// Bytes of a question to the memories.
    package static let maxQueryBytes = 16 << 10
    /// Bytes of a device's token.
    package static let maxTokenBytes = 512
}
