import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension PrivateFile {
    /// Writes a file with mode 0600 that is on disk when this returns. A reader sees the old file or the new one.
    ///
    /// - Throws: ``FileError/Code/diskFull``, or ``FileError/Code/failed`` when the file cannot be written.
    package static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        let draft = "\(path).\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw problem("cannot create", draft) }
        // The umask may have cleared the owner's own permissions.
        fchmod(descriptor, 0o600)
        do throws(FileError) {
            try write(bytes, descriptor, path)
            close(descriptor)
            try move(draft, over: path)
            try synchronise(path)
        } catch {
            remove(draft)
            throw error
        }
    }

    private static func write(_ bytes: [UInt8], _ descriptor: Int32, _ path: String) throws(FileError) {
        var count = 0
        while count < bytes.count {
            let place = count
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: buffer[place...]))
            }
            guard written > 0 else {
                let error = problem("cannot write", path)
                close(descriptor)
                throw error
            }
            count += written
        }
    }

    /// Removes a file if it exists.
    package static func delete(_ path: String) { remove(path) }

    private static func problem(_ what: String, _ path: String) -> FileError {
        let code = errno
        return FileError(
            code == ENOSPC || code == EDQUOT ? .diskFull : .failed,
            "\(what) \(path): \(unsafe String(cString: strerror(code)))")
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
