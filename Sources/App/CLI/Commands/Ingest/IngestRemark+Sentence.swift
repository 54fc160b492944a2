import Storage

extension IngestRemark {
    /// What happened, for people at a terminal.
    var sentence: String {
        let other = other.map { "note \($0)" } ?? "another note"
        return switch kind {
        case .bothKept:
            "\(name): it changed, and note \(note) differs from it; both are kept, the file's text as \(other)"
        case .editKept: "\(name): note \(note) was changed in the gateway, and the file was not; the note is kept"
        case .tagsKept: "\(name): note \(note) has the same text and other tags; the note's tags are kept"
        case .replaced:
            "\(name): its text replaced that of note \(note), which is kept as an earlier version (selene notes history \(note))"
        case .deletedHere:
            "\(name): note \(note) was deleted in the gateway, and the file has not changed; it stays deleted "
                + "(selene notes restore \(note))"
        case .moved: "\(name): was \(formerName ?? "another file"); note \(note) follows it"
        case .foreignExport:
            "\(name): names note \(note), but this database did not export the file; stored as \(other)"
        }
    }
}
