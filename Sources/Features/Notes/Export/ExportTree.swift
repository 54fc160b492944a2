import Machine

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads and writes files below one folder. It opens each path component by component and refuses symbolic links, so
/// no link leads out of the folder. Only the owner can read what it creates.
struct ExportTree {
    /// The content of a path below the folder.
    enum Content {
        case absent
        case file(Data)
        /// The path exists but cannot be read, with the reason.
        case unreadable(String)
    }

    /// A failed system call, with a readable reason.
    struct Failure: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }

        init(errno code: Int32) {
            switch code {
            case ELOOP, ENOTDIR: reason = "a symbolic link or a file stands where a folder is expected"
            case EACCES, EPERM: reason = "permission denied"
            case ENOSPC, EDQUOT: reason = "the disk is full"
            default: reason = unsafe String(cString: strerror(code))
            }
        }
    }

    /// The folder. It may be a symbolic link, since the user chose it.
    let root: String
    /// The maximum size of a file to read; the export writes no larger file.
    private static let maxBytes = 256 << 20

    /// Reads the file at a path.
    func read(_ path: String) -> Content {
        let opened: Int32
        do {
            opened =
                try inFolder(of: path, creating: false) { folder, name in
                    unsafe openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                } ?? -1
        } catch {
            return .unreadable(error.reason)
        }
        guard opened >= 0 else { return errno == ENOENT ? .absent : .unreadable(Failure(errno: errno).reason) }
        defer { close(opened) }
        guard let size = OrdinaryFile.size(ofDescriptor: opened), size <= Self.maxBytes else {
            return .unreadable("it is not an ordinary file")
        }
        return Self.readAll(opened).map { .file($0) } ?? .unreadable("it cannot be read")
    }

    /// Writes a temporary file and renames it. Missing folders are created.
    ///
    /// - Throws: ``Failure``.
    func write(_ data: Data, to path: String) throws(Failure) {
        _ = try inFolder(of: path, creating: true) { folder, name throws(Failure) in
            let temporary = ".\(name.prefix(60)).\(String(UInt32.random(in: 0 ... .max), radix: 16)).new"
            let descriptor = unsafe openat(
                folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw Failure(errno: errno) }
            fchmod(descriptor, 0o600)
            let isWritten = Self.writeAll(data, descriptor)
            let reason = errno
            close(descriptor)
            guard isWritten else {
                unsafe unlinkat(folder, temporary, 0)
                throw Failure(errno: reason)
            }
            guard unsafe renameat(folder, temporary, folder, name) == 0 else {
                let reason = errno
                unsafe unlinkat(folder, temporary, 0)
                throw Failure(errno: reason)
            }
            return 0
        }
    }

    /// Removes a file.
    ///
    /// - Returns: Whether it existed and was removed.
    func remove(_ path: String) -> Bool {
        let result = try? inFolder(of: path, creating: false) { folder, name in unsafe unlinkat(folder, name, 0) }
        return result == 0
    }

    /// Reads a file to its end; nil on an error, or when it is longer than ``maxBytes``.
    private static func readAll(_ descriptor: Int32) -> Data? {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        while data.count <= maxBytes {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe systemRead(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return data }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            data.append(contentsOf: buffer[..<count])
        }
        return nil
    }

    /// Writes all bytes.
    ///
    /// - Returns: false, with `errno` set, when a write failed.
    private static func writeAll(_ data: Data, _ descriptor: Int32) -> Bool {
        let bytes = Array(data)
        var offset = 0
        while offset < bytes.count {
            let count = unsafe bytes[offset...].withUnsafeBytes {
                unsafe systemWrite(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    /// Opens the folder of a path, component by component, and runs the body in it.
    ///
    /// - Returns: The body's result; nil, with `errno` ENOENT, when a folder is missing and `creating` is false.
    private func inFolder(
        of path: String, creating: Bool, _ body: (_ folder: Int32, _ name: String) throws(Failure) -> Int32
    ) throws(Failure) -> Int32? {
        let parts = path.split(separator: "/").map(String.init)
        guard let name = parts.last, !parts.contains(".."), !parts.contains(".") else {
            throw Failure("its path leads out of the folder")
        }
        var folder = unsafe open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Failure(errno: errno) }
        defer { if folder >= 0 { close(folder) } }
        for part in parts.dropLast() {
            if creating, unsafe mkdirat(folder, part, 0o700) == 0 { unsafe fchmodat(folder, part, 0o700, 0) }
            let next = unsafe openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            if next < 0 {
                let reason = errno
                guard reason == ENOENT, !creating else { throw Failure(errno: reason) }
                errno = ENOENT
                return nil
            }
            close(folder)
            folder = next
        }
        return try body(folder, name)
    }
}

/// Calls `read(2)`, which the method of the same name hides.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}

/// Calls `write(2)`, which the method of the same name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
