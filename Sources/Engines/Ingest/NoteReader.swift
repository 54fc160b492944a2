import Foundation

/// Reads notes from a path in batches. Memory does not grow with the source.
///
/// Confined to one task.
public final class NoteReader {
    /// The format that is read.
    public let format: IngestFormat
    /// The size of the source in bytes.
    public let totalBytes: Int
    /// Bytes read so far.
    public private(set) var bytesRead = 0
    /// Symbolic links below the folder that were skipped: they lead out of it, to a folder or to nothing.
    public let skippedLinks: [String]

    private var files: ArraySlice<SourceFile>
    private let root: URL
    private var lines: LineReader?

    private struct SourceFile {
        var url: URL
        var size: Int
    }

    /// Opens a source.
    ///
    /// Symbolic links below a folder are followed to files within it only; the path itself may be a link. Without a
    /// format, a folder with `corpus.jsonl` is BEIR, a folder with JSONL but no Markdown is JSONL, any other folder is
    /// Markdown. The format of a file follows its extension.
    /// - Throws: ``IngestError`` when the path does not exist or has no notes of that format.
    public init(path: String, format: IngestFormat? = nil) throws(IngestError) {
        var url = URL(filePath: path)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw IngestError(message: "no such file or folder: \(path)")
        }
        // The enumerator does not follow a folder that is itself a link.
        if isFolder.boolValue { url = url.resolvingSymlinksInPath() }
        let corpus = url.appending(path: "corpus.jsonl")
        let hasCorpus = FileManager.default.fileExists(atPath: corpus.path)
        let detected =
            if let format { format } else {
                try Self.detect(url, isFolder: isFolder.boolValue, hasCorpus: hasCorpus)
            }
        self.format = detected
        var found: [URL]
        switch detected {
        case .markdown:
            root = isFolder.boolValue ? url : url.deletingLastPathComponent()
            found = isFolder.boolValue ? try Self.markdownFiles(in: url) : [url]
        case .beir:
            root = url
            guard !isFolder.boolValue || hasCorpus else {
                throw IngestError(message: "\(path) is not in BEIR layout: it has no corpus.jsonl")
            }
            found = [isFolder.boolValue ? corpus : url]
        case .jsonl:
            root = url
            found = isFolder.boolValue ? try Self.files(in: url, having: Self.isJSONL) : [url]
        }
        if isFolder.boolValue {
            let links = FolderLinks(below: url)
            (found, skippedLinks) = links.sort(found)
        } else {
            skippedLinks = []
        }
        guard !found.isEmpty || !skippedLinks.isEmpty else {
            throw IngestError(message: "\(path) has no \(detected.rawValue) files")
        }
        let sized = found.map { url in
            SourceFile(
                url: url,
                size: (try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
        }
        files = sized[...]
        totalBytes = sized.reduce(0) { $0 + $1.size }
    }

    /// Returns up to `limit` notes or problems; empty at the end.
    public func next(_ limit: Int) -> [Result<IngestedNote, IngestProblem>] {
        var batch: [Result<IngestedNote, IngestProblem>] = []
        while batch.count < limit {
            guard let result = format == .markdown ? nextFile() : nextLine() else { break }
            batch.append(result)
        }
        return batch
    }

    private func nextFile() -> Result<IngestedNote, IngestProblem>? {
        guard let file = files.popFirst() else { return nil }
        bytesRead += file.size
        return MarkdownNote.read(file.url, relativeTo: root)
    }

    private func nextLine() -> Result<IngestedNote, IngestProblem>? {
        while true {
            if lines == nil {
                guard let file = files.popFirst() else { return nil }
                do {
                    lines = try LineReader(url: file.url)
                } catch {
                    bytesRead += file.size
                    return .failure(IngestProblem(location: file.url.path, reason: "cannot be opened"))
                }
            }
            guard let reader = lines else { return nil }
            let before = reader.bytesRead
            defer { bytesRead += reader.bytesRead - before }
            switch reader.next() {
            case nil: lines = nil
            case .failure(let problem): return .failure(problem)
            case .success(let line) where line.text.allSatisfy(\.isASCIIWhitespace): continue
            case .success(let line):
                return JSONNote.read(line.text, at: line.location, isBEIR: format == .beir)
            }
        }
    }

    private static func detect(_ url: URL, isFolder: Bool, hasCorpus: Bool) throws(IngestError) -> IngestFormat {
        if isFolder {
            if hasCorpus { return .beir }
            guard try markdownFiles(in: url).isEmpty else { return .markdown }
            return try files(in: url, having: isJSONL).isEmpty ? .markdown : .jsonl
        }
        if url.lastPathComponent == "corpus.jsonl" { return .beir }
        return isJSONL(url.pathExtension.lowercased()) ? .jsonl : .markdown
    }

    private static func isJSONL(_ ending: String) -> Bool { ending == "jsonl" || ending == "ndjson" }

    private static func markdownFiles(in folder: URL) throws(IngestError) -> [URL] {
        try files(in: folder) { $0 == "md" || $0 == "markdown" }
    }

    /// The files below a folder with the right extension, without hidden files, sorted by path.
    private static func files(in folder: URL, having ending: (String) -> Bool) throws(IngestError) -> [URL] {
        guard
            let walker = FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: [.fileSizeKey], options: [.skipsHiddenFiles])
        else { throw IngestError(message: "the folder \(folder.path) cannot be read") }
        var found: [URL] = []
        for case let url as URL in walker where ending(url.pathExtension.lowercased()) { found.append(url) }
        return found.sorted { $0.path < $1.path }
    }
}

extension UInt8 {
    fileprivate var isASCIIWhitespace: Bool { self == 0x20 || (self >= 0x09 && self <= 0x0D) }
}
