/// Reads the notes of one file of a format, one after another. Memory does not grow with the number of notes.
protocol ItemReader: SendableMetatype {
    /// Whether a file of this name is of the format; `/` between the parts of the path.
    static func reads(_ name: String) -> Bool
    /// Whether a source is of the format for certain.
    static func recognizes(_ source: IngestSource) -> Bool
    /// Whether one file is all that a folder of the format has, so that others are not listed.
    static var isAlone: Bool { get }
    /// Opens a file.
    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem)
    /// Bytes of the file that were read.
    var bytesRead: Int { get }
    /// The next note, or why an item gives none; nil at the end.
    mutating func next() -> Result<IngestedNote, IngestProblem>?
}

extension ItemReader {
    static var isAlone: Bool { false }
}
