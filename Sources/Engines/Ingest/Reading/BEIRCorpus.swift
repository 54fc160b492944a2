/// Reads the documents of a BEIR collection.
struct BEIRCorpus: ItemReader {
    private var lines: JSONLines
    var bytesRead: Int { lines.bytesRead }
    static var isAlone: Bool { true }

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        lines = try JSONLines(file, isBEIR: true)
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? { lines.next() }

    static func reads(_ name: String) -> Bool { name == "corpus.jsonl" }

    static func recognizes(_ source: IngestSource) -> Bool { source.names.contains(where: reads) }
}
