/// Reads a note of Google Keep: one JSON file of a Takeout, as a folder or as a ZIP archive.
struct KeepNotes: ItemReader {
    private let file: IngestFile
    private var isRead = false
    var bytesRead: Int { isRead ? file.size : 0 }

    init(_ file: IngestFile, of source: IngestSource) { self.file = file }

    mutating func next() -> Result<IngestedNote, IngestProblem>? {
        guard !isRead else { return nil }
        isRead = true
        do throws(IngestProblem) { return try read(try file.whole(MarkdownNote.maxBytes)) } catch {
            return .failure(error)
        }
    }

    private func read(_ bytes: [UInt8]) throws(IngestProblem) -> Result<IngestedNote, IngestProblem> {
        guard let object = JSONItem.object(bytes),
            object["userEditedTimestampUsec"] != nil || object["isTrashed"] != nil
        else { throw file.problem("is not a note of Google Keep in JSON") }
        func empty(_ reason: String) -> Result<IngestedNote, IngestProblem> {
            .failure(IngestProblem(location: file.location, reason: reason, isEmpty: true))
        }
        if object["isTrashed"] as? Bool == true { return empty("is in the trash of Google Keep") }
        func objects(_ name: String) -> [[String: Any]] {
            (object[name] as? [Any] ?? []).prefix(ExportLimits.mostNames).compactMap { $0 as? [String: Any] }
        }
        let tasks = (object["listContent"] as? [Any] ?? []).compactMap { $0 as? [String: Any] }.map { task in
            "- [\(task["isChecked"] as? Bool == true ? "x" : " ")] "
                + (JSONItem.text(task["text"]) ?? "").replacing("\n", with: "\n  ")
        }
        let links = objects("annotations").compactMap { link in
            JSONItem.text(link["url"]).map { url in
                JSONItem.text(link["title"]).map { "[\(NoteTitle.line($0))](\(url))" } ?? url
            }
        }
        let files = objects("attachments").map { "[file \(JSONItem.text($0["filePath"]) ?? "without a name")]" }
        let text = (JSONItem.text(object["textContent"]) ?? "").trimming(\.isWhitespace)
        let parts = [text, tasks.joined(separator: "\n"), links.joined(separator: "\n"), files.joined(separator: "\n")]
        let content = parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
        let title = NoteTitle.line(JSONItem.text(object["title"]) ?? "").trimming(\.isWhitespace)
        guard !(title + content).isEmpty else { return empty("has neither a title nor a text") }
        var note = IngestedNote(
            title: title.isEmpty ? NoteTitle.first(of: content) : title, content: content,
            tags: TagWords.distinct(
                objects("labels").compactMap { JSONItem.text($0["name"]) }.compactMap { TagWords.clean($0) }))
        note.location = file.location
        note.modifiedAt = file.modifiedAt
        let created =
            JSONItem.number(object["createdTimestampUsec"]) ?? JSONItem.number(object["userEditedTimestampUsec"])
        note.createdAt = created.flatMap { IngestedDate.text($0 / 1_000_000) }
        // The file is called like the title. The microsecond in which a note was begun stays.
        note.externalID =
            JSONItem.number(object["createdTimestampUsec"]).flatMap(Int64.init(exactly:))
            .map { ItemName.of(String($0), from: .keep) } ?? ItemName.of([file.name], from: .keep)
        return .success(note)
    }

    /// The folder has the name of the program in the language of the account.
    static func reads(_ name: String) -> Bool {
        let folders = name.split(separator: "/").dropLast()
        return Ending.of(name) == "json"
            && (folders.isEmpty
                || folders.contains { ["keep", "google keep", "notizen", "google notizen"].contains($0.lowercased()) })
    }

    static func recognizes(_ source: IngestSource) -> Bool {
        guard !source.hasNotes else { return false }
        // The first notes may be of another program. A few are enough to tell.
        return source.names.lazy.filter(reads).prefix(5).contains { name in
            let start = source.file(name).start()
            return JSONItem.hasKey("userEditedTimestampUsec", start) && JSONItem.hasKey("isTrashed", start)
        }
    }
}
