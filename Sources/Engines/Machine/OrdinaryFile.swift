#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Tells ordinary files from folders, pipes and devices.
package enum OrdinaryFile {
    /// The size of an open file in bytes; nil when it is not an ordinary file.
    package static func size(ofDescriptor descriptor: Int32) -> Int? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(clamping: status.st_size)
    }
}
