import Foundation
import Yams

/// Reads a note from a Markdown file, with defaults for what its front matter does not say.
///
/// The title falls back to the first heading, then to the file's name. The date falls back to a date at the start of
/// the file's name, then to the file's modification time. The external id is the folder's name with the file's path
/// below it.
enum MarkdownNote {
    /// The maximum size of a file in bytes.
    static let maxBytes = 8 << 20

    static func read(_ url: URL, relativeTo root: URL) -> Result<IngestedNote, IngestProblem> {
        func problem(_ reason: String) -> Result<IngestedNote, IngestProblem> {
            .failure(IngestProblem(location: url.path, reason: reason))
        }
        let values = try? url.resourceValues(forKeys: [.fileSizeKey, .contentModificationDateKey])
        guard values?.fileSize ?? 0 <= maxBytes else { return problem("is larger than \(maxBytes) bytes") }
        guard let data = try? Data(contentsOf: url) else { return problem("cannot be read") }
        guard let source = String(validating: data, as: UTF8.self) else { return problem("is not UTF-8") }
        let parts: (header: String?, body: String)
        do {
            parts = try split(source)
        } catch {
            return .failure(IngestProblem(location: url.path, reason: error.message))
        }
        var header: [String: Node] = [:]
        if let yaml = parts.header {
            do {
                for (key, value) in try Yams.compose(yaml: yaml)?.mapping ?? [:] {
                    header[key.string ?? ""] = value
                }
            } catch {
                return problem("its front matter is not valid YAML: \(error)")
            }
        }
        let body = parts.body.trimmingCharacters(in: .whitespacesAndNewlines)
        let name = url.deletingPathExtension().lastPathComponent
        let title = text(header, ["title"]) ?? heading(in: body) ?? name
        guard !body.isEmpty || header["title"] != nil else {
            return .failure(IngestProblem(location: url.path, reason: "is empty", isEmpty: true))
        }
        let date =
            text(header, ["created_at", "created", "date"]) ?? leadingDate(of: name)
            ?? values?.contentModificationDate?.formatted(.iso8601)
        return .success(
            IngestedNote(
                title: title, content: body, createdAt: date, noteType: text(header, ["note_type", "type"]),
                actionability: text(header, ["actionability"]), threads: list(header, ["threads", "thread"]),
                tags: list(header, ["tags", "tag"]), externalID: path(of: url, below: root)))
    }

    /// Splits off the front matter: the text between a first line `---` and the next such line.
    private static func split(_ text: String) throws(IngestError) -> (header: String?, body: String) {
        let text = text.replacingOccurrences(of: "\r\n", with: "\n")
        let trimmed = text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
        guard trimmed.hasPrefix("---\n") else { return (nil, trimmed) }
        var header: [Substring] = []
        var rest = trimmed.dropFirst(4)
        while !rest.isEmpty {
            let end = rest.firstIndex(of: "\n") ?? rest.endIndex
            let line = rest[..<end]
            rest = end < rest.endIndex ? rest[rest.index(after: end)...] : ""
            if line == "---" || line == "..." { return (header.joined(separator: "\n"), String(rest)) }
            header.append(line)
        }
        throw IngestError(message: "its front matter does not end")
    }

    private static func text(_ header: [String: Node], _ keys: [String]) -> String? {
        for key in keys {
            if let value = header[key]?.string, !value.isEmpty { return value }
        }
        return nil
    }

    private static func list(_ header: [String: Node], _ keys: [String]) -> [String] {
        for key in keys {
            if let values = header[key]?.sequence { return values.compactMap(\.string).filter { !$0.isEmpty } }
            if let value = header[key]?.string {
                return value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
                    !$0.isEmpty
                }
            }
        }
        return []
    }

    private static func heading(in body: String) -> String? {
        for line in body.split(separator: "\n") where line.hasPrefix("#") {
            let title = line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
            if !title.isEmpty { return title }
        }
        return nil
    }

    private static func leadingDate(of name: String) -> String? {
        let prefix = name.prefix(10)
        let isDate =
            prefix.count == 10
            && prefix.enumerated().allSatisfy { $0 == 4 || $0 == 7 ? $1 == "-" : $1.isASCII && $1.isNumber }
        return isDate ? String(prefix) : nil
    }

    private static func path(of url: URL, below root: URL) -> String {
        let (full, base) = (url.standardizedFileURL.path, root.standardizedFileURL.path)
        let inside = full.hasPrefix(base + "/") ? String(full.dropFirst(base.count + 1)) : url.lastPathComponent
        return root.lastPathComponent + "/" + inside
    }
}
