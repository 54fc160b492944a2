package import Dispatch
import HTTPTypes
package import NIOCore
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An unnamed file for one body. Nobody else can open it, and it disappears with the process.
///
/// The first write creates it. Reading and writing block, so both must run on ``queue``.
package final class SpoolFile: Sendable {
    /// The queue for reading and writing files.
    package static let queue = DispatchQueue(label: "selene-spool")

    private let folder: String
    private let descriptor = Mutex<Int32>(-1)

    init(folder: String) { self.folder = folder }

    deinit {
        let descriptor = descriptor.withLock { $0 }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes bytes at an offset.
    ///
    /// - Throws: ``GatewayError`` with 507 when the disk is full, else 500.
    package func write(_ bytes: ByteBuffer, at offset: Int) throws(GatewayError) {
        let descriptor = try opened()
        var done = 0
        while done < bytes.readableBytes {
            let count = unsafe bytes.withUnsafeReadableBytes { source in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: source[done...])
                return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.error(errno, "written") }
            done += count
        }
    }

    /// Reads `count` bytes from an offset.
    ///
    /// - Throws: ``GatewayError`` with 500.
    package func read(at offset: Int, count wanted: Int) throws(GatewayError) -> ByteBuffer {
        let descriptor = try opened()
        var bytes = ByteBuffer()
        bytes.reserveCapacity(wanted)
        while bytes.readableBytes < wanted {
            let done = bytes.readableBytes
            let count = unsafe bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted - done) { target in
                unsafe max(0, pread(descriptor, target.baseAddress, wanted - done, off_t(offset + done)))
            }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw Self.error(errno, "read")
            }
        }
        return bytes
    }

    private func opened() throws(GatewayError) -> Int32 {
        try descriptor.withLock { descriptor throws(GatewayError) in
            if descriptor >= 0 { return descriptor }
            var path = Array((folder + "/.selene-body-XXXXXX").utf8CString)
            let file = unsafe mkstemp(&path)
            guard file >= 0 else { throw Self.error(errno, "made") }
            unsafe unlink(path)
            _ = fcntl(file, F_SETFD, FD_CLOEXEC)
            descriptor = file
            return file
        }
    }

    private static func error(_ code: Int32, _ verb: String) -> GatewayError {
        guard code != ENOSPC, code != EDQUOT, code != EFBIG else {
            return GatewayError(
                .insufficientStorage, .diskFull, "the disk is full", headers: [.connection: "close"])
        }
        return GatewayError(
            .internalServerError, .internal, "the file of the body could not be \(verb) (errno \(code))",
            headers: [.connection: "close"])
    }
}

/// A body that grows on disk. The newest bytes stay in memory until they are written. Confined to the client's event
/// loop.
package final class BodySpool {
    /// Bytes that may wait in memory before the client is held back.
    static let pendingLimit = 256 << 10

    package let file: SpoolFile
    /// Bytes of the whole body except its beginning, which is kept in memory.
    package private(set) var count = 0
    /// Bytes that were handed out for sending.
    package private(set) var sent = 0
    private var written = 0
    private var writing = 0
    private var pending = ByteBuffer()

    package init(folder: String) { file = SpoolFile(folder: folder) }

    /// Whether everything is in the file.
    package var isWritten: Bool { written == count }
    /// Whether the client must wait.
    package var isFull: Bool { pending.readableBytes >= Self.pendingLimit }

    /// Appends the next bytes of the body.
    package func append(_ bytes: ByteBuffer) {
        var bytes = bytes
        count += bytes.readableBytes
        pending.writeBuffer(&bytes)
    }

    /// Returns the next bytes to write with their offset; nil while a write runs or when there is nothing to write.
    package func nextWrite() -> (bytes: ByteBuffer, offset: Int)? {
        guard writing == 0, pending.readableBytes > 0 else { return nil }
        defer { pending = ByteBuffer() }
        writing = pending.readableBytes
        return (pending, written)
    }

    /// Records the end of a write.
    ///
    /// - Returns: The number of bytes that are no longer in memory.
    package func didWrite() -> Int {
        defer { writing = 0 }
        written += writing
        return writing
    }

    /// Returns the next part to send; nil after the last one.
    package func nextRead() -> (offset: Int, count: Int)? {
        guard sent < count else { return nil }
        let length = min(Self.pendingLimit, count - sent)
        defer { sent += length }
        return (sent, length)
    }
}
