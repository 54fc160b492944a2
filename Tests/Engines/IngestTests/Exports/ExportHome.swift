import Foundation
import Ingest

/// Reads files as exports of other programs.
struct ExportHome {
    /// What was read of a source.
    struct Read: Equatable {
        var format: IngestFormat
        var notes: [IngestedNote]
        var problems: [IngestProblem]
        var otherFiles: [String: Int]
    }

    let folder: Ingesting.Folder

    init() throws { folder = try Ingesting.Folder() }

    /// Writes files and reads one of them, or their folder. The place of the folder is left out of what was read.
    func read(_ files: [(String, [UInt8])], at path: String = "", as format: IngestFormat? = nil) throws -> Read {
        for (name, bytes) in files { try folder.write(name, Data(bytes)) }
        let reader = try NoteReader(path: folder.url.appending(path: path).path, format: format)
        var (notes, problems) = Ingesting().readAll(reader, batch: 3)
        let place = folder.url.path + "/"
        for index in notes.indices {
            notes[index].location = notes[index].location.replacing(place, with: "")
            notes[index].modifiedAt = nil
        }
        for index in problems.indices {
            problems[index].location = problems[index].location.replacing(place, with: "")
            problems[index].reason = problems[index].reason.replacing(place, with: "")
        }
        return Read(format: reader.format, notes: notes, problems: problems, otherFiles: reader.otherFiles)
    }

    /// Reads one file of its own.
    static func read(_ name: String, _ bytes: [UInt8], as format: IngestFormat? = nil) throws -> Read {
        try ExportHome().read([(name, bytes)], at: name, as: format)
    }

    /// Reads one file of its own.
    static func read(_ name: String, _ text: String, as format: IngestFormat? = nil) throws -> Read {
        try read(name, Array(text.utf8), as: format)
    }
}
