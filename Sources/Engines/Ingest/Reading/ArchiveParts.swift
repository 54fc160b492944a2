import Documents
import Foundation

/// The archives that an archive consists of: programs cut large exports into parts. They are unpacked to a folder that goes with
/// this object.
final class ArchiveParts {
    /// The archives by the names of their files; of two equal names the first one counts.
    private(set) var archives: [String: ZipArchive] = [:]
    /// Parts that cannot be read.
    private(set) var faults: [IngestProblem] = []
    private let folder = FileManager.default.temporaryDirectory.appending(path: "selene-parts-\(UUID().uuidString)")

    /// The most parts of an archive. An export of 100 GB has about twenty.
    private static let mostParts = 64

    /// - Parameter names: The files of the archive.
    /// - Returns: nil when not all of them are archives. Archives within the parts are not opened.
    init?(of archive: ZipArchive, _ names: [String], at place: String, limits: DocumentLimits) {
        guard !names.isEmpty, names.allSatisfy({ Ending.of($0) == "zip" }) else { return nil }
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for (number, name) in names.sorted().enumerated() {
            let location = "\(place)/\(name)"
            guard number < Self.mostParts else {
                faults.append(
                    IngestProblem(location: location, reason: "is one part too many; unpack the archive first"))
                continue
            }
            let file = folder.appending(path: "\(number).zip")
            do throws(IngestProblem) { try Self.unpack(name, of: archive, to: file, location) } catch {
                faults.append(error)
                continue
            }
            do throws(DocumentError) {
                let part = try ZipArchive(path: file.path, limits: limits)
                archives.merge(part.names.map { ($0, part) }) { first, _ in first }
            } catch { faults.append(IngestProblem(location: location, reason: error.message)) }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static func unpack(
        _ name: String, of archive: ZipArchive, to file: URL, _ location: String
    ) throws(IngestProblem) {
        let stream = try IngestFile(name, in: archive, at: location).open()
        guard FileManager.default.createFile(atPath: file.path, contents: nil),
            let handle = try? FileHandle(forWritingTo: file)
        else {
            throw IngestProblem(location: location, reason: "cannot be unpacked to \(file.path)")
        }
        defer { try? handle.close() }
        while let piece = try stream.next() {
            do { try handle.write(contentsOf: Data(piece)) } catch {
                throw IngestProblem(location: location, reason: "cannot be unpacked to \(file.path)")
            }
        }
    }
}
