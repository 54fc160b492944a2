/// Reads the letters of an mbox file, or the one of an `.eml` file.
struct MailboxLetters: ItemReader {
    private let file: IngestFile
    private var letters: MailboxSplitter
    var bytesRead: Int { letters.bytesRead }

    /// What Gmail calls the places of letters, which are no words of their readers.
    private static let places: Set<String> = [
        "inbox", "sent", "opened", "unread", "important", "archived", "starred", "chat", "drafts", "spam", "trash",
    ]

    init(_ file: IngestFile, of source: IngestSource) throws(IngestProblem) {
        self.file = file
        letters = MailboxSplitter(try file.open())
    }

    mutating func next() -> Result<IngestedNote, IngestProblem>? { letters.next()?.flatMap(read) }

    private func read(_ letter: MailboxSplitter.Letter) -> Result<IngestedNote, IngestProblem> {
        let location = "\(file.location):\(letter.number)"
        let (headers, body) = MailHeaders.read(letter.bytes[...])
        guard !headers.isEmpty else {
            return .failure(IngestProblem(location: location, reason: "is not a letter: it has no headers"))
        }
        let text = MailText(headers, body)
        let people = [("From", "from"), ("To", "to"), ("Cc", "cc")].compactMap { name, key in
            headers.decoded(key).map { "\(name): \($0)" }
        }
        let files = text.files.prefix(ExportLimits.mostNames)
        let parts =
            [people.joined(separator: "\n")] + text.parts
            + (files.isEmpty ? [] : ["Files: " + files.joined(separator: ", ")])
        let subject = headers.decoded("subject") ?? ""
        guard !text.parts.isEmpty || !subject.isEmpty || !files.isEmpty else {
            return .failure(
                IngestProblem(location: location, reason: "has neither a subject nor a text", isEmpty: true))
        }
        let content = parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
        let own = subject.isEmpty ? NoteTitle.first(of: text.parts.first ?? content) : subject
        var note = IngestedNote(title: own.isEmpty ? NoteTitle.first(of: content) : own, content: content)
        let labels = headers.decoded("x-gmail-labels")?.split(separator: ",").prefix(ExportLimits.mostNames) ?? []
        note.tags = TagWords.distinct(
            labels.compactMap { TagWords.clean($0) }.filter {
                !Self.places.contains($0.lowercased()) && !$0.lowercased().hasPrefix("category ")
            })
        note.location = location
        note.modifiedAt = file.modifiedAt
        note.warnings = text.warnings
        if letter.isCut || !headers.isWhole { note.warnings.append("ends within a line or within its headers") }
        if let date = headers["date"] {
            note.createdAt = Self.date(date)
            if note.createdAt == nil { note.warnings.append("its date \"\(date.prefix(60))\" was not understood") }
        }
        let id = headers["message-id"].map { $0.trimming { $0 == "<" || $0 == ">" || $0.isWhitespace } } ?? ""
        note.externalID =
            id.isEmpty
            ? ItemName.of([headers["from"] ?? "", headers["date"] ?? "", subject, content], from: .mbox)
            : ItemName.of(id, from: .mbox)
        return .success(note)
    }

    /// `Mon, 15 Jan 2024 10:00:00 +0100` in ISO 8601.
    private static func date(_ text: String) -> String? {
        guard let date = DatedLine.read(text) else { return nil }
        let zone = text.split(separator: " ").last { word in
            word.utf8.count == 5 && (word.hasPrefix("+") || word.hasPrefix("-"))
                && word.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
        }
        guard date.contains(":"), let zone else { return date }
        let whole = "\(date)\(zone.prefix(3)):\(zone.suffix(2))".replacing(" ", with: "T")
        return IngestedDate.read(whole).map(\.text) ?? date
    }

    static func reads(_ name: String) -> Bool {
        ["mbox", "eml"].contains(Ending.of(name)) || name.split(separator: "/").last == "mbox"
    }

    static func recognizes(_ source: IngestSource) -> Bool {
        !source.hasNotes && source.names.contains(where: reads)
    }
}
