import Foundation

/// Reads the notes of a file with one JSON object in each line.
struct JSONLines: ItemReader {
    private let lines: LineReader
    private let source: JSONNote.Source
    var bytesRead: Int { lines.bytesRead }

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        try self.init(file, isBEIR: false)
    }

    init(_ file: IngestFile, isBEIR: Bool) throws(IngestProblem) {
        guard let url = file.url else { throw file.problem("is in an archive; unpack it first") }
        guard let lines = try? LineReader(url: url, whole: JSONNote.lines(ofDocument:)) else {
            throw file.problem("cannot be opened")
        }
        self.lines = lines
        source = JSONNote.Source(
            place: IngestSource.place(of: url), name: url.lastPathComponent, modifiedAt: file.modifiedAt,
            isBEIR: isBEIR)
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? {
        while let line = lines.next() {
            switch line {
            case .failure(let problem): return .failure(problem)
            case .success(let line) where line.text.allSatisfy(\.isASCIIWhitespace): continue
            case .success(let line): return JSONNote.read(line.text, at: line.location, of: source)
            }
        }
        return nil
    }

    static func reads(_ name: String) -> Bool { ["jsonl", "ndjson"].contains(Ending.of(name)) }

    static func recognizes(_ source: IngestSource) -> Bool { source.names.contains(where: reads) }
}

extension UInt8 {
    /// Whether the byte is a space, a tab or a line end of ASCII.
    var isASCIIWhitespace: Bool { self == 0x20 || (self >= 0x09 && self <= 0x0D) }
}
