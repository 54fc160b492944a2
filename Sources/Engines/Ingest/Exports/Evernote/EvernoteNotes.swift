import Documents
import Foundation

/// Reads the notes of an ENEX file, Evernote's export. Files may be gigabytes: one note at a time is in memory, and no attachment.
struct EvernoteNotes: ItemReader {
    private let file: IngestFile
    private var notes: EvernoteSplitter
    private var isFirst = true
    var bytesRead: Int { notes.bytesRead }

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        self.file = file
        notes = EvernoteSplitter(try file.open())
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? {
        let found = notes.next()
        defer { isFirst = false }
        if found == nil, isFirst {
            return .failure(file.problem("has no notes of Evernote; export them again as ENEX"))
        }
        return found?.flatMap(read)
    }

    private func read(_ item: EvernoteSplitter.Note) -> Result<IngestedNote, IngestProblem> {
        let location = "\(file.location):\(item.number)"
        guard let tree = MarkupParser.xml(item.isCut ? Self.closed(item.bytes) : item.bytes, isLenient: true),
            let root = tree.root
        else {
            return .failure(IngestProblem(location: location, reason: "is not a note in XML"))
        }
        func field(_ name: String, of parent: Int?) -> String? {
            let text = parent.flatMap { tree.child($0, name) }.map { tree.text($0).trimming(\.isWhitespace) } ?? ""
            return text.isEmpty ? nil : text
        }
        let children = tree.children(root)
        let markup = tree.child(root, "content").map { MarkupText(html: Array(tree.text($0).utf8)) }
        var parts = [markup?.text ?? ""]
        let tasks = children.filter { tree[$0].name == "task" }.prefix(ExportLimits.mostNames)
        parts.append(
            tasks.compactMap { task in
                let isDone = field("taskStatus", of: task) == "completed"
                return field("title", of: task).map { "- [\(isDone ? "x" : " ")] \(NoteTitle.line($0))" }
            }.joined(separator: "\n"))
        let files = children.filter { tree[$0].name == "resource" }.prefix(ExportLimits.mostNames).map {
            field("file-name", of: tree.child($0, "resource-attributes")) ?? field("mime", of: $0) ?? "without a name"
        }
        if !files.isEmpty { parts.append("Files: " + files.joined(separator: ", ")) }
        if let source = field("source-url", of: tree.child(root, "note-attributes")) {
            parts.append("Source: \(source)")
        }
        let content = parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
        let title = field("title", of: root) ?? ""
        guard !(title + content).isEmpty else {
            return .failure(IngestProblem(location: location, reason: "has neither a title nor a text", isEmpty: true))
        }
        var note = IngestedNote(
            title: title.isEmpty ? NoteTitle.first(of: content) : NoteTitle.line(title), content: content,
            tags: TagWords.distinct(
                children.filter { tree[$0].name == "tag" }.prefix(ExportLimits.mostNames)
                    .compactMap { TagWords.clean(tree.text($0)) }))
        note.location = location
        note.modifiedAt = file.modifiedAt
        note.warnings = markup?.warnings ?? []
        if item.isCut || tree.isDamaged { note.warnings.append("is damaged; what could be read of it is kept") }
        let created = field("created", of: root)
        note.createdAt = created.flatMap(Self.date)
        if note.createdAt == nil, let created {
            note.warnings.append("its date \"\(created.prefix(60))\" is not a date such as 20260131T120000Z")
        }
        // Titles and texts are edited. The second in which a note was begun stays.
        note.externalID = ItemName.of(created.map { [$0] } ?? [title, content], from: .evernote)
        return .success(note)
    }

    /// A note whose end is missing, with an end to its text, without which a parser would not give the text.
    private static func closed(_ bytes: [UInt8]) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        let start = text.range(of: "<![CDATA[", options: .backwards)?.lowerBound
        guard let start, text[start...].range(of: "]]>") == nil else { return bytes }
        return bytes + Array("]]></content></note>".utf8)
    }

    /// `20260131T120000Z` with the signs of ISO 8601.
    private static func date(_ text: String) -> String? {
        let digits = Array(text.filter { $0.isASCII && $0.isNumber })
        guard digits.count == 14, text.contains("T") else { return IngestedDate.read(text)?.text }
        func part(_ range: Range<Int>) -> String { String(digits[range]) }
        let zone = text.hasSuffix("Z") ? "Z" : ""
        return IngestedDate.read(
            "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))\(zone)")?
            .text
    }

    static func reads(_ name: String) -> Bool { Ending.of(name) == "enex" }

    static func recognizes(_ source: IngestSource) -> Bool {
        !source.hasNotes && source.names.contains(where: reads)
    }
}
