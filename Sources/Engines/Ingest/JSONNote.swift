import Foundation

/// Reads a note from one JSON object: our own JSONL, or a document of a BEIR corpus.
///
/// Names of fields may be in any case. A line that is no such object becomes a note of its text, with a warning.
enum JSONNote {
    /// Where lines are read.
    struct Source {
        /// The file's path, links resolved.
        var place: String
        /// The file's name.
        var name: String
        /// The file's modification time in seconds since 1970.
        var modifiedAt: Int64?
        var isBEIR: Bool
    }

    static func read(
        _ line: ArraySlice<UInt8>, at location: String, of source: Source
    ) -> Result<IngestedNote, IngestProblem> {
        let file = FileText(Array(line))
        let object = try? JSONSerialization.jsonObject(with: Data(file.text.utf8)) as? [String: Any]
        var fields = Fields(object ?? [:])
        var warnings = file.warnings
        if object == nil { warnings.append("is not a JSON object; kept as text") }
        let title = fields.text("title") ?? ""
        let content = fields.text("content", "text")
        guard !(title + (content ?? "")).allSatisfy(\.isWhitespace) || object == nil || fields.hasOthers else {
            return .failure(IngestProblem(location: location, reason: "has neither a title nor a text", isEmpty: true))
        }
        // Without a text, the object is the text: it may be in a field of another name.
        let isWhole = content == nil && (object == nil || fields.hasOthers)
        if isWhole, object != nil { warnings.append("has no field \"content\" or \"text\"; its JSON was kept as text") }
        var note = IngestedNote(
            title: title.isEmpty && isWhole ? source.name : title,
            content: isWhole ? file.text.trimming(\.isWhitespace) : content ?? "",
            noteType: fields.text("note_type", "type"), actionability: fields.text("actionability"),
            threads: fields.words("threads", "thread") { [$0] },
            tags: TagWords.distinct(
                fields.words("tags", "tag", split: TagWords.split).compactMap { TagWords.clean($0) }))
        note.location = location
        note.modifiedAt = source.modifiedAt
        if let id = fields.text("_id", "id"), !id.isEmpty {
            note.externalID = ItemName.of(id, in: source.place)
            note.formerIDs = note.externalID == id ? [] : [id]
        } else if source.isBEIR, object != nil {
            warnings.append("has no _id")
        }
        if let given = fields.text("created_at", "created", "date") {
            if let found = IngestedDate.read(given) {
                note.createdAt = found.text
                if found.isRead { warnings.append("its date \"\(given.prefix(60))\" was read as \(found.text)") }
            } else {
                warnings.append("its date \"\(given.prefix(60))\" is not a date such as 2026-01-31")
            }
        }
        note.unreadFields = isWhole || source.isBEIR ? [] : fields.others
        note.warnings = warnings + fields.odd.map { "field \"\($0)\" has another type; its JSON was kept as text" }
        return .success(note)
    }

    /// The objects of a file that is one JSON document, each in a line; nil for another file.
    static func lines(ofDocument data: Data) -> [UInt8]? {
        let text = FileText(Array(data)).text
        let document = try? JSONSerialization.jsonObject(with: Data(text.utf8))
        let objects: [Any]
        switch document {
        case let list as [[String: Any]] where !list.isEmpty: objects = list
        case let object as [String: Any]: objects = [object]
        default: return nil
        }
        return Array(objects.map { Fields.json($0) }.joined(separator: "\n").utf8)
    }

    /// The fields of an object, by name in lower case.
    private struct Fields {
        private var values: [String: Any] = [:]
        /// Fields whose value is of another type than a note has.
        private(set) var odd: [String] = []
        private static let known: Set<String> = [
            "_id", "id", "title", "content", "text", "created_at", "created", "date", "note_type", "type",
            "actionability", "thread", "threads", "tags", "tag",
        ]

        init(_ object: [String: Any]) {
            for (name, value) in object.sorted(by: { $0.key > $1.key }) where !(value is NSNull) {
                // The documented name counts when there are several.
                if values[name.lowercased()] == nil || name == name.lowercased() { values[name.lowercased()] = value }
            }
        }

        var others: [String] { values.keys.filter { !Self.known.contains($0) }.sorted() }
        var hasOthers: Bool { values.keys.contains { !Self.known.contains($0) } }

        /// The first of some fields as text; a value of another type as JSON.
        mutating func text(_ names: String...) -> String? {
            for name in names {
                guard let value = values[name] else { continue }
                if let text = value as? String { return text }
                if !(value is NSNumber) { odd.append(name) }
                return Self.json(value)
            }
            return nil
        }

        /// The first of some fields as a list of texts.
        mutating func words(_ names: String..., split: (String) -> [String]) -> [String] {
            for name in names {
                guard let value = values[name] else { continue }
                if let text = value as? String { return split(text) }
                if let list = value as? [Any] {
                    return list.filter { !($0 is NSNull) }.map { $0 as? String ?? Self.json($0) }
                }
                if !(value is NSNumber) { odd.append(name) }
                return [Self.json(value)]
            }
            return []
        }

        static func json(_ value: Any) -> String {
            let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
            let data = try? JSONSerialization.data(withJSONObject: value, options: options)
            return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
        }
    }
}
