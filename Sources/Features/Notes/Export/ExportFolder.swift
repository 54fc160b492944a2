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
            try PrivateFile.createFolder(path)
        } catch {
            return "the folder cannot be made"
        }
        return FileManager.default.isWritableFile(atPath: path) ? nil : "the folder cannot be written"
    }

    /// Writes a note's file, unless it is as it should be. A file that cannot be read might be somebody's, and stays.
    func write(_ note: ExportedNote, of id: Int64, before: ExportedFile?) -> (outcome: Outcome, removed: Bool) {
        let data = Data(note.text.utf8)
        let hash = Self.hash(data)
        let present: [UInt8]?
        switch tree.read(note.path) {
        case .absent: present = nil
        case .file(let content): present = Self.hash(content)
        case .unreadable(let reason): return (.failed("\(note.path): \(reason)"), false)
        }
        if let present, present != hash, before.map({ $0.path != note.path || $0.hash != present }) ?? true {
            return (.kept, false)
        }
        if present == hash, before?.path == note.path, before?.hash == hash { return (.unchanged, false) }
        do {
            if present != hash { try tree.write(data, to: note.path) }
        } catch {
            return (.failed("\(note.path) cannot be written: \(error.reason)"), false)
        }
        // The note was called something else before.
        var removed = false
        if let before, before.path != note.path { removed = remove(before) }
        return (.written(ExportedFile(note: id, path: note.path, hash: hash)), removed)
    }

    /// Removes a file, unless somebody else edited it.
    func remove(_ file: ExportedFile) -> Bool {
        guard case .file(let content) = tree.read(file.path), Self.hash(content) == file.hash else { return false }
        return tree.remove(file.path)
    }

    private var tree: ExportTree { ExportTree(root: path) }

    private static func hash(_ data: Data) -> [UInt8] { Array(SHA256.hash(data: data)) }
}
