import Documents
import Foundation

/// The bytes of a file in pieces of at most 256 KiB.
final class IngestStream {
    /// Where the bytes come from.
    enum Place {
        case file(FileHandle)
        case entry(ZipEntry)
    }

    private let place: Place
    /// The file's path for people.
    let location: String
    /// Bytes that were read.
    private(set) var bytesRead = 0

    init(_ place: Place, at location: String) {
        self.place = place
        self.location = location
    }

    deinit { if case .file(let handle) = place { try? handle.close() } }

    /// The next bytes; nil at the end.
    ///
    /// - Throws: when the file cannot be read, or its archive is damaged or too large.
    func next() throws(IngestProblem) -> [UInt8]? {
        let piece: [UInt8]
        switch place {
        case .file(let handle):
            do { piece = [UInt8](try handle.read(upToCount: 256 << 10) ?? Data()) } catch {
                throw IngestProblem(location: location, reason: "cannot be read")
            }
        case .entry(let entry):
            do throws(DocumentError) { piece = try entry.next() ?? [] } catch {
                throw IngestProblem(location: location, reason: error.message)
            }
        }
        bytesRead += piece.count
        return piece.isEmpty ? nil : piece
    }
}
