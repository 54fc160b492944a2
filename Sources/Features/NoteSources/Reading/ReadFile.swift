import Folders
import Ingest
import SourceRoom
import Storage

/// A file of a folder as it was read.
struct ReadFile: Sendable {
    var changed: Changed
    /// The note; nil with ``problem``.
    var draft: NoteDraft?
    var problem: String?
    var isEmpty = false
    var warnings: [String] = []

    /// What is kept of the file.
    var row: StoredSourceFile {
        let sign = changed.sign
        var row = StoredSourceFile(
            path: changed.path.text, size: sign.size, modified: sign.modified, changed: sign.changed, problem: problem)
        // A note in the bin stays there while its file cannot be read.
        if problem != nil, let known = changed.known, known.state != .there {
            (row.state, row.note, row.textHash) = (known.state, known.note, known.textHash)
        }
        return row
    }

    /// Reads files. One that changes while it is read is left for later; one that went in the meantime, too.
    static func all(_ files: [Changed], _ walk: FolderWalk) -> (files: [ReadFile], unsettled: [FilePath]) {
        var (read, unsettled) = ([ReadFile](), [FilePath]())
        for changed in files {
            let path = walk.absolute(changed.path)
            let result = NoteFile.read(path, below: walk.root)
            guard FileSign(of: path) == changed.sign else {
                unsettled.append(changed.path)
                continue
            }
            var file = ReadFile(changed: changed)
            switch result {
            case .success(let note):
                let (draft, warning) = note.draft(of: .markdown)
                file.draft = draft
                file.draft?.externalID = path
                file.warnings = (note.warnings + (warning.map { [$0] } ?? [])).map { "\(path): \($0)" }
            case .failure(let problem): (file.problem, file.isEmpty) = (problem.reason, problem.isEmpty)
            }
            read.append(file)
        }
        return (read, unsettled)
    }
}
