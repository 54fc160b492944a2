import Cryptography
import Dispatch
import Machine
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder for exported notes. A file is replaced atomically, and never if somebody else edited it.
struct ExportFolder: Sendable {
    let path: String

    /// The outcome for one file.
    enum Outcome: Sendable {
        case written(ExportedFile)
        case unchanged
        /// The file was left alone, because somebody else edited it.
        case kept
        case failed(String)
    }

    /// Runs file operations serially, off the cooperative pool.
    private static let queue = DispatchQueue(label: "selene.export")

    /// Runs blocking file operations on ``queue``.
    func run<Value: Sendable>(_ body: @escaping @Sendable (ExportFolder) -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: body(self)) }
        }
    }

    /// Creates the folder if it is missing.
    ///
    /// - Returns: Why the folder is unusable; nil when it is usable.
    func prepare() -> String? {
        do {
            try PrivateFile.createFolder(path)
        } catch {
            return "the folder cannot be created"
        }
        return FileManager.default.isWritableFile(atPath: path) ? nil : "the folder cannot be written"
    }

    /// Writes a note's file, unless it is up to date. An unreadable file may be somebody's and is not replaced.
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
        // The note's title or date changed, so its file has a new name.
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

    static func hash(_ data: Data) -> [UInt8] { Array(SHA256.hash(data: data)) }
}
