import Cryptography
import Machine
import Storage
import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The files of the books, in one folder, each with mode 0600. A file's name is the SHA-256 of its bytes.
///
/// A file that is being received has a name that begins with a dot, and disappears with its object. Writing blocks, so it
/// runs on a queue of its own.
package struct BookFiles: Sendable {
    /// The age in seconds at which a file without a book is deleted.
    static let maxOrphanAge = 86_400

    package let folder: String
    package let maxFileBytes: Int
    package let maxTotalBytes: Int
    private let held = HeldBytes()
    private let claims = Claims()

    package init(folder: String, maxFileBytes: Int, maxTotalBytes: Int) {
        self.folder = folder
        self.maxFileBytes = maxFileBytes
        self.maxTotalBytes = maxTotalBytes
    }

    /// Bytes of files that are being received.
    private final class HeldBytes: Sendable {
        let bytes = Mutex(0)
    }

    /// The files that somebody adds or deletes right now: a file that is added again must outlive its deletion.
    private final class Claims: Sendable {
        struct State {
            /// Additions between the file and its row, by hash.
            var adding: [Data: Int] = [:]
            /// Deletions between the row and its file, with whether the file was added again since they began.
            var deleting: [Data: Bool] = [:]
        }

        let state = Mutex(State())
    }

    /// Keeps a file from a deletion until ``release(_:)``.
    private func claim(_ hash: Data) {
        claims.state.withLock { state in
            state.adding[hash, default: 0] += 1
            if state.deleting[hash] != nil { state.deleting[hash] = true }
        }
    }

    /// Ends the claim that ``IncomingFile/keep()`` made: the book has its row, or will have none.
    package func release(_ hash: Data) {
        claims.state.withLock { state in
            let left = (state.adding[hash] ?? 1) - 1
            state.adding[hash] = left > 0 ? left : nil
        }
    }

    /// Begins a deletion, before anybody looks whether a book has the file.
    package func beginRemoving(_ hash: Data) {
        claims.state.withLock { $0.deleting[hash] = ($0.adding[hash] ?? 0) > 0 }
    }

    /// Ends a deletion. The file goes, unless a book has it or it was added again since the deletion began.
    package func endRemoving(_ hash: Data, isWanted: Bool) {
        claims.state.withLock { state in
            let isAdded = state.deleting.removeValue(forKey: hash) ?? false
            guard !isWanted, !isAdded, (state.adding[hash] ?? 0) == 0 else { return }
            remove(hash)
        }
    }

    package func path(of hash: Data) -> String {
        folder + "/" + hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Whether a book's file can be read.
    package func isThere(_ hash: Data) -> Bool { unsafe access(path(of: hash), R_OK) == 0 }

    /// Begins to receive a file.
    ///
    /// - Parameter stored: The bytes of the files that are stored already.
    /// - Throws: ``BookRefusal/noSpace``, ``StorageError``.
    package func receive(stored: Int) throws -> IncomingFile {
        do { try PrivateFile.createFolder(folder) } catch { throw StorageError(error) }
        return try IncomingFile(files: self, stored: stored)
    }

    /// Deletes a book's file.
    package func remove(_ hash: Data) { unsafe unlink(path(of: hash)) }

    /// Deletes files that no book has, and incoming files that a killed process left; younger ones may still be wanted.
    package func sweep(keeping hashes: [Data]) {
        let kept = Set(hashes.map { path(of: $0) })
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(".receive-") || name.utf8.count == 64 {
            let path = folder + "/" + name
            var status = stat()
            guard !kept.contains(path), unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                Int(time(nil)) - Int(status.st_mtim.tv_sec) > Self.maxOrphanAge
            else { continue }
            unsafe unlink(path)
        }
    }

    /// A file that is being received. Confined to one task.
    package final class IncomingFile {
        private let files: BookFiles
        private let path: String
        private let descriptor: Int32
        private let room: Int
        private var hash = SHA256()
        package private(set) var bytes = 0
        private var isKept = false
        /// The first bytes, which tell the format.
        package private(set) var head: [UInt8] = []

        /// Whether the file is empty, or nothing but a little white space.
        package var isBlank: Bool {
            bytes == head.count
                && (head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head[...]).allSatisfy { byte in
                    byte == 0x20 || (0x09...0x0D).contains(byte)
                }
        }

        fileprivate init(files: BookFiles, stored: Int) throws {
            self.files = files
            room = files.maxTotalBytes - stored
            var name = Array((files.folder + "/.receive-XXXXXX").utf8CString)
            let file = unsafe mkstemp(&name)
            guard file >= 0 else { throw IncomingFile.refusal(errno) }
            _ = fcntl(file, F_SETFD, FD_CLOEXEC)
            fchmod(file, 0o600)
            descriptor = file
            path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        deinit {
            files.held.bytes.withLock { $0 -= bytes }
            close(descriptor)
            if !isKept { unsafe unlink(path) }
        }

        /// Writes the next bytes.
        ///
        /// - Throws: ``BookRefusal``.
        package func write(_ chunk: [UInt8]) throws(BookRefusal) {
            guard chunk.count <= files.maxFileBytes - bytes else { throw .tooLarge(limit: files.maxFileBytes) }
            let all = files.held.bytes.withLock { held in
                held += chunk.count
                return held
            }
            bytes += chunk.count
            guard all <= room else { throw .noSpace }
            hash.update(data: chunk)
            if head.count < FileFormat.headBytes { head += chunk.prefix(FileFormat.headBytes - head.count) }
            var done = 0
            while done < chunk.count {
                let count = unsafe chunk.withUnsafeBytes { source in
                    unsafe Self.put(descriptor, source.baseAddress.map { unsafe $0 + done }, chunk.count - done)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.refusal(errno) }
                done += count
            }
        }

        /// Puts the file on disk under its final name, and keeps it from deletions until ``BookFiles/release(_:)``.
        ///
        /// - Returns: The SHA-256 of the bytes.
        /// - Throws: ``BookRefusal``.
        package func keep() throws(BookRefusal) -> Data {
            guard fsync(descriptor) == 0 else { throw Self.refusal(errno) }
            let digest = Data(hash.finalize())
            files.claim(digest)
            guard unsafe rename(path, files.path(of: digest)) == 0 else {
                let code = errno
                files.release(digest)
                throw Self.refusal(code)
            }
            isKept = true
            let folder = unsafe open(files.folder, O_RDONLY | O_CLOEXEC)
            if folder >= 0 {
                fsync(folder)
                close(folder)
            }
            return digest
        }

        private static func put(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
            #if canImport(Darwin)
            unsafe Darwin.write(descriptor, bytes, count)
            #else
            unsafe Glibc.write(descriptor, bytes, count)
            #endif
        }

        private static func refusal(_ code: Int32) -> BookRefusal {
            [ENOSPC, EDQUOT, EFBIG].contains(code)
                ? .noSpace : .upload("the file could not be written (errno \(code))")
        }
    }
}
