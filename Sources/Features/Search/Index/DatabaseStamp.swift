import Machine

/// Identifies the state of a database's files, without opening them.
///
/// Each commit of any process changes the size or the time of one of them. Only two commits within one tick of the file
/// system's clock, in the same place of the write-ahead log, may look alike.
struct DatabaseStamp: Equatable {
    private let file: FileStamp
    private let log: FileStamp?

    /// The stamp of the database at a path; nil without a file.
    init?(path: String) {
        guard let file = FileStamp(path: path) else { return nil }
        self.file = file
        log = FileStamp(path: path + "-wal")
    }
}
