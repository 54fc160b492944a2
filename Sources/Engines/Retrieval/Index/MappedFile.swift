import CMappedFile
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file mapped for reading that detects changes in place.
///
/// Cutting a mapped file normally ends the process with SIGBUS at the next access. Here the missing pages read as zeros
/// (``CMappedFile``), and ``isIntact`` turns false. Results computed from the bytes are valid only if ``isIntact``
/// holds after the computation.
///
/// SAFETY: `@unchecked Sendable`: the pointer never changes, the pages stay mapped until `deinit`, and nobody writes to
/// them through the pointer. Another process may change the bytes, so an offset checked in an earlier read must not be
/// used: ``Region/owned(_:)`` copies tables before they are checked.
@safe final class MappedFile: @unchecked Sendable {
    /// The size and times of the open file.
    struct Stamp: Equatable, Sendable {
        var size: Int64 = 0
        var seconds: Int64 = 0
        var nanoseconds: Int64 = 0
    }

    /// The mapped bytes.
    let base: UnsafeRawPointer
    /// The length in bytes.
    let count: Int
    /// The stamp when the file was opened.
    let stamp: Stamp
    private let descriptor: Int32
    private let slot: Int32
    private let isDamaged = Atomic(false)

    /// Maps a file.
    ///
    /// - Throws: ``RetrievalError/Code/indexFile``: the path names no regular file, the file is empty, or it cannot be
    ///   opened or mapped.
    init(_ path: String) throws(RetrievalError) {
        // Without O_NONBLOCK, opening a pipe of that name would block the thread.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw RetrievalError(.indexFile, "cannot open \(path): errno \(errno)") }
        var isKept = false
        defer { if !isKept { Self.closeFile(descriptor) } }
        guard let stamp = Self.stamp(of: descriptor), stamp.size > 0 else {
            throw RetrievalError(.indexFile, "\(path) is empty or not a regular file")
        }
        let count = Int(stamp.size)
        guard let address = unsafe mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), unsafe address != MAP_FAILED
        else { throw RetrievalError(.indexFile, "cannot map \(path): errno \(errno)") }
        slot = unsafe selene_mapping_guard(address, count)
        guard slot >= 0 else {
            unsafe munmap(address, count)
            throw RetrievalError(.indexFile, "cannot map \(path): too many index files are mapped")
        }
        unsafe base = UnsafeRawPointer(address)
        self.count = count
        self.stamp = stamp
        self.descriptor = descriptor
        isKept = true
    }

    deinit {
        selene_mapping_release(slot)
        unsafe munmap(UnsafeMutableRawPointer(mutating: base), count)
        Self.closeFile(descriptor)
    }

    /// Whether all bytes read so far are those of the file as it was opened. Once false, it stays false. Costs one
    /// system call.
    ///
    /// A write or a resize changes the stamp before any byte changes.
    var isIntact: Bool {
        if isDamaged.load(ordering: .acquiring) { return false }
        if selene_mapping_is_damaged(slot) == 0, Self.stamp(of: descriptor) == stamp { return true }
        isDamaged.store(true, ordering: .releasing)
        return false
    }

    /// The stamp of an open regular file; nil for anything else.
    private static func stamp(of descriptor: Int32) -> Stamp? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Stamp(size: Int64(status.st_size), seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
    }

    private static func closeFile(_ descriptor: Int32) {
        #if canImport(Darwin)
        Darwin.close(descriptor)
        #else
        Glibc.close(descriptor)
        #endif
    }
}
