/// The limits of requests to the notes API, as documented in openapi.yaml.
package enum NotesLimits {
    /// The largest number of rows in a page.
    package static let maxPage = 500
    /// The largest number of notes in a request for threads.
    package static let maxIDs = 1000
    /// The longest title of a note or a session in bytes.
    package static let maxTitleBytes = 4096
    /// The longest search text in bytes.
    package static let maxSearchBytes = 1024
    /// The longest `Idempotency-Key` in bytes.
    package static let maxRequestNameBytes = 255
    /// The longest word in bytes, such as a type, a tag or a thread's name.
    package static let maxWordBytes = 512
    /// The largest number of tags, or of threads, of a note.
    package static let maxWords = 100
    /// The largest number of days back in time.
    package static let maxDays = 100_000.0
    /// The longest session id in bytes.
    package static let maxSessionIDBytes = 200
    /// The longest memory in bytes.
    package static let maxMemoryBytes = 65_536
    /// The largest number of dimensions of a vector.
    static let maxDimensions = 8192
    /// The longest query for memories in bytes.
    package static let maxQueryBytes = 16 << 10
    /// The longest device token in bytes.
    package static let maxTokenBytes = 512
}
