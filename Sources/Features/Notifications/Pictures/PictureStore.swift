import Machine
import Push
import Storage
import Synchronization

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

/// The pictures of notifications: files with mode 0600 in one folder beside the database, which several servers share.
///
/// They are deleted ``life`` seconds after they were kept, and from the oldest on when they have more than their space.
/// All methods block.
final class PictureStore: Sendable {
    /// Seconds that a picture is kept: 7 days.
    static let life = 7 * 86_400
    /// Files at most.
    static let maxFiles = 10_000
    /// Seconds after which a file that nobody finished is deleted.
    private static let draftLife = 3600

    let folder: String
    let maxBytes: Int
    /// The bytes of all files, as far as this process knows; nil before the first look.
    private let load = Mutex<Int?>(nil)

    init(folder: String, maxBytes: Int) {
        self.folder = folder
        self.maxBytes = maxBytes
    }

    /// The format of a picture that is kept; nil when there is none.
    func find(_ name: PictureName) -> PictureHeader.Format? {
        PictureHeader.Format.allCases.first { format in
            var status = stat()
            return unsafe lstat(path(name, format), &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
    }

    /// Keeps a picture, durably.
    ///
    /// - Parameter start: Seconds since 1970 from which on it is needed; its life begins then.
    /// - Throws: ``StorageError``.
    func keep(_ bytes: [UInt8], as name: PictureName, _ format: PictureHeader.Format, from start: Int64? = nil) throws {
        do { try PrivateFile.createFolder(folder) } catch { throw StorageError(error) }
        if (load.withLock { $0 ?? .max }) > maxBytes - min(bytes.count, maxBytes) {
            prune(now: Int64(time(nil)), room: bytes.count)
        }
        var draft = Array((folder + "/.draft-XXXXXX").utf8CString)
        let descriptor = unsafe mkstemp(&draft)
        guard descriptor >= 0 else { throw Self.failure() }
        let path = String(decoding: draft.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var isKept = false
        defer {
            close(descriptor)
            if !isKept { unsafe unlink(path) }
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        fchmod(descriptor, 0o600)
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { source in
                unsafe write(descriptor, source.baseAddress.map { unsafe $0 + done }, bytes.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure() }
            done += count
        }
        if let start, start > Int64(time(nil)) {
            let times = [timespec(tv_sec: Int(start), tv_nsec: 0), timespec(tv_sec: Int(start), tv_nsec: 0)]
            _ = unsafe futimens(descriptor, times)
        }
        guard fsync(descriptor) == 0, unsafe rename(path, self.path(name, format)) == 0 else { throw Self.failure() }
        isKept = true
        load.withLock { $0 = ($0 ?? 0) + bytes.count }
    }

    /// Opens a picture for reading; nil when there is none.
    func open(_ name: PictureName, _ format: PictureHeader.Format) -> OpenPicture? {
        let descriptor = Self.openFile(path(name, format), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        return OpenPicture(descriptor, size: Int(status.st_size))
    }

    /// Deletes pictures that are too old, and the oldest ones until there is room.
    func prune(now: Int64, room: Int = 0) {
        var files: [(path: String, time: Int64, bytes: Int)] = []
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let isDraft = name.hasPrefix(".draft-")
            guard isDraft || Self.isPicture(name) else { continue }
            let path = folder + "/" + name
            var status = stat()
            guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let time = Int64(status.st_mtim.tv_sec)
            if now - time > Int64(isDraft ? Self.draftLife : Self.life) {
                unsafe unlink(path)
            } else if !isDraft {
                files.append((path, time, Int(status.st_size)))
            }
        }
        var bytes = files.reduce(0) { $0 + $1.bytes }
        var count = files.count
        for file in files.sorted(by: { ($0.time, $0.path) < ($1.time, $1.path) }) {
            guard bytes > maxBytes - min(room, maxBytes) || count >= Self.maxFiles else { break }
            unsafe unlink(file.path)
            bytes -= file.bytes
            count -= 1
        }
        load.withLock { $0 = bytes }
    }

    private func path(_ name: PictureName, _ format: PictureHeader.Format) -> String {
        "\(folder)/\(name.text).\(format.rawValue)"
    }

    private static func isPicture(_ name: String) -> Bool { picture(name) != nil }

    /// The parts of a file's name, such as `0123….png`; nil for other names.
    static func picture(_ name: String) -> (name: PictureName, format: PictureHeader.Format)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let picture = PictureName(parts[0]),
            let format = PictureHeader.Format(rawValue: String(parts[1]))
        else { return nil }
        return (picture, format)
    }

    private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Darwin)
        unsafe Darwin.open(path, flags)
        #else
        unsafe Glibc.open(path, flags)
        #endif
    }

    private static func failure() -> StorageError {
        let code = errno
        return StorageError(
            [ENOSPC, EDQUOT, EFBIG].contains(code) ? .diskFull : .failed,
            "a picture could not be written (errno \(code))")
    }
}

/// A picture that is being read; closed with the object.
final class OpenPicture: Sendable {
    private let descriptor: Int32
    let size: Int

    fileprivate init(_ descriptor: Int32, size: Int) {
        self.descriptor = descriptor
        self.size = size
    }

    deinit { close(descriptor) }

    /// The bytes from a place on, at most `count`; empty at the end and on an error.
    func read(from place: Int, _ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            initialized = max(0, unsafe pread(descriptor, buffer.baseAddress, count, off_t(place)))
        }
    }
}
