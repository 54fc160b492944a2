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
    package var bytesRead: Int { bytesOfFilesRead + (reader?.bytesRead ?? 0) }
    /// Symbolic links below the folder that were skipped: they lead out of it, to a folder or to nothing.
    package let skippedLinks: [String]
    /// The number of files below the folder that are none of its format, by their ending; "" for none.
    package let otherFiles: [String: Int]
    /// The folder or the file, links resolved.
    package var place: String { source.place }

    private let source: IngestSource
    private let kind: any ItemReader.Type
    private var files: ArraySlice<IngestFile>
    private var reader: (any ItemReader)?
    private var sizeOfFile = 0
    private var bytesOfFilesRead = 0
    private var hasItems = false
    /// Folders that could not be read.
    private var faults: ArraySlice<IngestProblem>

    /// Opens a source.
    ///
    /// Symbolic links below a folder are followed to files within it only; the path itself may be a link. Without a
    /// format, an export of another program is known by its files (``IngestFormat/reader``). Else a folder with `corpus.jsonl` is
    /// BEIR, a folder with JSONL but no Markdown is JSONL, any other folder is Markdown, and a file follows its ending.
    /// - Throws: ``IngestError`` when the path does not exist or has no notes of that format.
    package init(path: String, format: IngestFormat? = nil) throws(IngestError) {
        source = try IngestSource(path: path)
        guard let detected = format ?? IngestFormat.detect(source) else {
            throw IngestError(message: "\(path) is a ZIP archive of no known program; unpack it first")
        }
        self.format = detected
        kind = detected.reader
        let found = source.find(kind)
        (skippedLinks, otherFiles) = (found.skippedLinks, found.otherFiles)
        faults = source.faults[...]
        guard !found.files.isEmpty || !found.skippedLinks.isEmpty || !source.faults.isEmpty else {
            throw IngestError(message: "\(path) has no \(detected.rawValue) files")
        }
        files = found.files[...]
        totalBytes = found.files.reduce(0) { $0 &+ $1.size }
    }

    /// Returns up to `limit` notes or problems; empty at the end.
    package func next(_ limit: Int) -> [Result<IngestedNote, IngestProblem>] {
        var batch: [Result<IngestedNote, IngestProblem>] = []
        while batch.count < limit, let result = nextItem() { batch.append(result) }
        return batch
    }

    private func nextItem() -> Result<IngestedNote, IngestProblem>? {
        if let fault = faults.popFirst() { return .failure(fault) }
        while true {
            if let item = reader?.next() {
                hasItems = true
                return item.flatMap(bounded)
            }
            if reader != nil { bytesOfFilesRead += sizeOfFile }
            reader = nil
            guard let file = files.popFirst() else { return hasItems ? nil : nothing() }
            sizeOfFile = file.size
            do throws(IngestProblem) { reader = try kind.init(file, of: source) } catch {
                hasItems = true
                bytesOfFilesRead += sizeOfFile
                return .failure(error)
            }
        }
    }

    /// Says once that an export has nothing in it.
    private func nothing() -> Result<IngestedNote, IngestProblem>? {
        hasItems = true
        let empty = IngestProblem(location: source.url.path, reason: "has no notes", isEmpty: true)
        return format.isExport ? .failure(empty) : nil
    }

    /// A note without U+0000; a problem for an exported one that is longer than a file may be.
    private func bounded(_ note: IngestedNote) -> Result<IngestedNote, IngestProblem> {
        guard !format.isExport || note.content.utf8.count <= MarkdownNote.maxBytes else {
            let reason = "is longer than \(MarkdownNote.maxBytes) bytes"
            return .failure(IngestProblem(location: note.location, reason: reason))
        }
        return .success(note.withoutNUL())
    }
}
