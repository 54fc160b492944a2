package import GatewayAPI

extension NoteImportResponse.Remark {
    /// What a client should know about what it sent; nil for what only concerns files of this machine.
    ///
    /// - Parameter path: The name that the client gave.
    package init?(_ remark: IngestRemark, path: String) {
        let note = "note \(remark.note)"
        switch remark.kind {
        case .bothKept:
            let other = remark.other.map { "note \($0)" } ?? "another note"
            let message = "it changed, and \(note) was edited; both are kept, the file's text as \(other)"
            self.init(path: path, kind: "both_kept", message: message, noteId: remark.note)
        case .deletedHere:
            let message = "\(note) was deleted in the gateway, and the file has not changed; it stays deleted"
            self.init(path: path, kind: "deleted_here", message: message, noteId: remark.note)
        default: return nil
        }
    }
}
