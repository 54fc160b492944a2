import Foundation

/// Reads notes from a path in batches. Memory does not grow with the source.
///
/// Confined to one task.
package final class NoteReader {
    /// The format that is read.
    package let format: IngestFormat
    /// The size of the source in bytes.
    package let totalBytes: Int
    /// Bytes read so far.
    package private(set) var bytesRead = 0
    /// Symbolic links below the folder that were skipped: they lead out of it, to a folder or to nothing.
    package let skippedLinks: [String]
    /// The number of files below the folder that are none of its format, by their ending; "" for none.
    package let otherFiles: [String: Int]
    /// The folder or the file, links resolved.
    package let place: String

    private var files: ArraySlice<SourceFile>
    private let root: URL
    private var lines: (reader: LineReader, source: JSONNote.Source)?
    /// Folders that could not be read.
    private var faults: ArraySlice<IngestProblem>

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
    package init(path: String, format: IngestFormat? = nil) throws(IngestError) {
        var url = URL(filePath: path)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw IngestError(message: "no such file or folder: \(path)")
        }
        // The enumerator does not follow a folder that is itself a link.
        if isFolder.boolValue { url = url.resolvingSymlinksInPath() }
        let corpus = url.appending(path: "corpus.jsonl")
        let hasCorpus = FileManager.default.fileExists(atPath: corpus.path)
        let listing = isFolder.boolValue ? try Listing(of: url) : Listing()
        let detected =
            format ?? Self.detect(url, isFolder: isFolder.boolValue, hasCorpus: hasCorpus, listing)
        self.format = detected
        var found: [URL]
        var folderLinks: [String] = []
        switch detected {
        case .markdown:
            root = isFolder.boolValue ? url : url.deletingLastPathComponent()
            found = isFolder.boolValue ? listing.files(Self.isMarkdown) : [url]
        case .beir:
            root = url
            guard !isFolder.boolValue || hasCorpus else {
                throw IngestError(message: "\(path) is not in BEIR layout: it has no corpus.jsonl")
            }
            found = [isFolder.boolValue ? corpus : url]
        case .jsonl:
            root = url
            found = isFolder.boolValue ? listing.files(Self.isJSONL) : [url]
        }
        place = Self.place(of: url)
        if isFolder.boolValue {
            let links = FolderLinks(below: url)
            if detected != .beir { folderLinks = links.foreignFolders(listing.links) }
            let sorted = links.sort(found)
            (found, skippedLinks) = (sorted.files, sorted.skipped + folderLinks)
        } else {
            skippedLinks = []
        }
        let read: (String) -> Bool = { detected == .markdown ? Self.isMarkdown($0) : Self.isJSONL($0) }
        otherFiles = detected == .beir ? [:] : listing.others(than: read)
        faults = listing.faults[...]
        guard !found.isEmpty || !skippedLinks.isEmpty || !listing.faults.isEmpty else {
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
    package func next(_ limit: Int) -> [Result<IngestedNote, IngestProblem>] {
        var batch: [Result<IngestedNote, IngestProblem>] = []
        while batch.count < limit {
            guard let result = format == .markdown ? nextFile() : nextLine() else { break }
            batch.append(result)
        }
        return batch
    }

    private func nextFile() -> Result<IngestedNote, IngestProblem>? {
        if let fault = faults.popFirst() { return .failure(fault) }
        guard let file = files.popFirst() else { return nil }
        bytesRead += file.size
        return MarkdownNote.read(file.url, relativeTo: root)
    }

    private func nextLine() -> Result<IngestedNote, IngestProblem>? {
        if let fault = faults.popFirst() { return .failure(fault) }
        while true {
            if lines == nil {
                guard let file = files.popFirst() else { return nil }
                do {
                    lines = (try LineReader(url: file.url, whole: JSONNote.lines(ofDocument:)), source(file.url))
                    bytesRead += lines?.reader.bytesRead ?? 0
                } catch {
                    bytesRead += file.size
                    return .failure(IngestProblem(location: file.url.path, reason: "cannot be opened"))
                }
            }
            guard let (reader, source) = lines else { return nil }
            let before = reader.bytesRead
            defer { bytesRead += reader.bytesRead - before }
            switch reader.next() {
            case nil: lines = nil
            case .failure(let problem): return .failure(problem)
            case .success(let line) where line.text.allSatisfy(\.isASCIIWhitespace): continue
            case .success(let line): return JSONNote.read(line.text, at: line.location, of: source)
            }
        }
    }

    private func source(_ url: URL) -> JSONNote.Source {
        let values = try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.contentModificationDateKey])
        return JSONNote.Source(
            place: Self.place(of: url), name: url.lastPathComponent,
            modifiedAt: values?.contentModificationDate.flatMap {
                Int64(exactly: $0.timeIntervalSince1970.rounded(.down))
            },
            isBEIR: format == .beir)
    }

    /// The path of a file or folder, its folder's links resolved.
    private static func place(of url: URL) -> String {
        let folder = url.standardizedFileURL.deletingLastPathComponent().resolvingSymlinksInPath()
        return folder.appending(path: url.standardizedFileURL.lastPathComponent).standardizedFileURL.path
    }

    private static func detect(_ url: URL, isFolder: Bool, hasCorpus: Bool, _ listing: Listing) -> IngestFormat {
        if isFolder {
            if hasCorpus { return .beir }
            guard listing.files(isMarkdown).isEmpty else { return .markdown }
            return listing.files(isJSONL).isEmpty ? .markdown : .jsonl
        }
        if url.lastPathComponent == "corpus.jsonl" { return .beir }
        return isJSONL(url.pathExtension.lowercased()) ? .jsonl : .markdown
    }

    private static func isJSONL(_ ending: String) -> Bool { ending == "jsonl" || ending == "ndjson" }

    static func isMarkdown(_ ending: String) -> Bool {
        ["md", "markdown", "mdown", "mkd", "mkdn", "mdwn"].contains(ending)
    }
}

/// What is below a folder, without hidden files.
private struct Listing {
    private var all: [URL] = []
    /// Symbolic links, to files or folders.
    private(set) var links: [URL] = []
    /// Folders that cannot be read.
    private(set) var faults: [IngestProblem] = []

    init() {}

    init(of folder: URL) throws(IngestError) {
        var unreadable: [IngestProblem] = []
        let walker = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: [.fileSizeKey, .isDirectoryKey, .isSymbolicLinkKey],
            options: [.skipsHiddenFiles],
            errorHandler: { url, _ in
                unreadable.append(IngestProblem(location: url.path, reason: "cannot be read"))
                return true
            })
        guard let walker else { throw IngestError(message: "the folder \(folder.path) cannot be read") }
        for case let url as URL in walker {
            let values = try? url.resourceValues(forKeys: [.isDirectoryKey, .isSymbolicLinkKey])
            if values?.isSymbolicLink == true { links.append(url) }
            // A folder whose name ends like a file's is no file, and is listed as one that was skipped.
            if values?.isDirectory != true || !url.pathExtension.isEmpty { all.append(url) }
            if values?.isDirectory == true, !FileManager.default.isReadableFile(atPath: url.path),
                values?.isSymbolicLink != true
            {
                unreadable.append(IngestProblem(location: url.path, reason: "is a folder that cannot be read"))
            }
        }
        var seen: Set<String> = []
        faults = unreadable.filter { seen.insert($0.location).inserted }
    }

    /// The files with the right ending, sorted by path.
    func files(_ isWanted: (String) -> Bool) -> [URL] {
        all.filter { isWanted($0.pathExtension.lowercased()) }.sorted { $0.path < $1.path }
    }

    /// The number of other files, by ending.
    func others(than isWanted: (String) -> Bool) -> [String: Int] {
        var counts: [String: Int] = [:]
        let known = Set(links.map(\.path))
        for url in all where !isWanted(url.pathExtension.lowercased()) && !known.contains(url.path) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            counts[url.pathExtension.lowercased(), default: 0] += 1
        }
        return counts
    }
}

extension UInt8 {
    fileprivate var isASCIIWhitespace: Bool { self == 0x20 || (self >= 0x09 && self <= 0x0D) }
}
