import Documents

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads a file in this process.
struct LocalReader: Sendable {
    let maxFileBytes: Int

    /// - Throws: `DocumentError`; the error of a file that cannot be opened.
    @concurrent func read(_ path: String, _ name: String, _ contentType: String?) async throws -> Document {
        var limits = DocumentLimits()
        limits.fileBytes = maxFileBytes
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        return try DocumentReader.read(bytes, name: name, contentType: contentType, limits: limits)
    }
}
