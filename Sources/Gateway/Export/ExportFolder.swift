import Crypto
import Dispatch
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder that notes are written to. Files are written beside their name and renamed; nothing is written into a file
/// that somebody else edited.
struct ExportFolder: Sendable {
    let path: String

    /// What was done about one file.
    enum Outcome: Sendable {
        case written(ExportedFile)
        case unchanged
        /// Somebody else edited the file since it was written.
        case kept
        case failed(String)
    }

    /// Off the cooperative pool, one batch after the other.
    private static let queue = DispatchQueue(label: "selene.export")

    /// Runs file operations where they may block.
    func run<Value: Sendable>(_ body: @escaping @Sendable (ExportFolder) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: body(self)) }
        }
    }

    /// Makes the folder when it is not there.
    ///
    /// - Returns: Why it cannot be used; nil when it can.
    func prepare() -> String? {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            return "the folder cannot be made"
        }
        return FileManager.default.isWritableFile(atPath: path) ? nil : "the folder cannot be written"
    }

    /// Writes a note's file, unless it is as it should be.
    ///
    /// - Parameter before: What was written for the note the last time.
    func write(_ note: ExportedNote, of id: Int64, before: ExportedFile?) -> (outcome: Outcome, removed: Bool) {
        let data = Data(note.text.utf8)
        let hash = Array(SHA256.hash(data: data))
        let url = url(note.path)
        let present = contentHash(note.path)
        if let present, present != hash, before.map({ $0.path != note.path || $0.hash != present }) ?? true {
            return (.kept, false)
        }
        if present == hash, before?.path == note.path, before?.hash == hash { return (.unchanged, false) }
        do {
            if present != hash {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try data.write(to: url, options: .atomic)
            }
        } catch {
            return (.failed("\(note.path) cannot be written"), false)
        }
        // The note was called something else before.
        var removed = false
        if let before, before.path != note.path { removed = remove(before) }
        return (.written(ExportedFile(note: id, path: note.path, hash: hash)), removed)
    }

    /// Removes a file, unless somebody else edited it.
    func remove(_ file: ExportedFile) -> Bool {
        guard let present = contentHash(file.path), present == file.hash else { return false }
        return (try? FileManager.default.removeItem(at: url(file.path))) != nil
    }

    private func url(_ relative: String) -> URL { URL(filePath: path).appending(path: relative) }

    private func contentHash(_ relative: String) -> [UInt8]? {
        (try? Data(contentsOf: url(relative))).map { Array(SHA256.hash(data: $0)) }
    }
}
