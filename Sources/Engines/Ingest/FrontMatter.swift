import Text
import Yams

/// The front matter of a Markdown file: what an author says about a note, above its text.
///
/// Other text than strict YAML is read line by line, and stays in the text of the note, so that a search finds it.
struct FrontMatter {
    /// The text below the front matter.
    private(set) var body: String
    /// What the note has as its text: the body, below a front matter that was not understood or has keys that are not read.
    private(set) var content: String
    /// What was not understood.
    private(set) var warning: String?
    /// Keys that a note does not have. The text has their front matter.
    private(set) var unread: [String] = []
    private var values: [String: Value] = [:]

    /// The keys that are read.
    private static let known: Set<String> = [
        "title", "created_at", "created", "date", "note_type", "type", "actionability", "threads", "thread", "tags",
        "tag",
        "selene_id",
    ]
    /// Keys of the gateway's own export, which the database has.
    private static let exported: Set<String> = ["theme", "sentiment", "mood", "energy", "concepts", "themes"]

    /// The values of a key, written as one text or as a list.
    fileprivate struct Value {
        /// The text behind the key; nil for a list that follows in lines of its own.
        var text: String?
        var items: [String]
        var isEmpty: Bool { text == nil && items.isEmpty }
    }

    init(of source: String) {
        (body, content) = (source, source)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, Self.isFence(first, "---") else { return }
        let end = lines.indices.dropFirst().first { Self.isFence(lines[$0], "---") || Self.isFence(lines[$0], "...") }
        guard let end else {
            // A rule at the start, or front matter that nobody closed.
            let header = lines.dropFirst().prefix(while: Self.isHeaderLine)
            values = LenientHeader.values(of: header).mapValues { Value(text: $0.text, items: $0.items) }
            body = lines.dropFirst(1 + (values.isEmpty ? 0 : header.count)).joined(separator: "\n")
            warning = "begins with --- and has no second such line, so all of it is text"
            return
        }
        let header = lines[1..<end]
        let below = lines[(end + 1)...].joined(separator: "\n")
        body = below
        let yaml = header.joined(separator: "\n")
        do {
            guard YAMLLimits.allow(yaml) else { throw TooDeep() }
            let node = try Yams.compose(yaml: yaml)
            if let mapping = node?.mapping {
                let written = LenientHeader.values(of: header)
                var budget = Self.mostNodes
                for (key, node) in mapping {
                    let name = (key.string ?? "").trimming(\.isWhitespace).lowercased()
                    values[name, default: Value(text: nil, items: [])].add(node, or: written[name]?.text, &budget)
                }
                guard budget > 0 else { throw TooDeep() }
                unread = values.filter { !Self.known.contains($0.key) && !$0.value.isEmpty }.keys.sorted()
                if values["selene_id"] != nil { unread.removeAll(where: Self.exported.contains) }
                // Two rules may be around a sentence with a colon, and a file may have nothing else.
                let isAll = below.allSatisfy(\.isWhitespace) && text(["title"]) == nil && !values.isEmpty
                let isText = !values.isEmpty && values.keys.allSatisfy { !Self.known.contains($0) }
                content = !unread.isEmpty || isAll || isText ? source : below
                // The rest of the header is the export's, and each export writes it anew.
                if values["selene_id"] != nil, !unread.isEmpty, let own = Self.lines(of: Set(unread), in: header) {
                    content = "---\n\(own.joined(separator: "\n"))\n---\n\(below)"
                }
                return
            }
            if yaml.allSatisfy(\.isWhitespace) || node == nil {
                content = header.isEmpty || yaml.allSatisfy(\.isWhitespace) ? below : source
                return
            }
            warning = "begins with --- and has no front matter before the next such line, so all of it is text"
        } catch {
            let reason = error is TooDeep ? "nested too deep, or it repeats itself" : Self.reason(error)
            warning = "its front matter is not valid YAML (\(reason)); read line by line, and kept in the text"
        }
        let lenient = LenientHeader.values(of: header)
        if lenient.isEmpty { body = lines.dropFirst().joined(separator: "\n") }
        values = lenient.mapValues { Value(text: $0.text, items: $0.items) }
    }

    /// The first text of some keys; lists are read as they are written.
    func text(_ keys: [String]) -> String? {
        for key in keys {
            guard let value = values[key] else { continue }
            if let text = value.text ?? value.items.first, !text.allSatisfy(\.isWhitespace) { return text }
        }
        return nil
    }

    /// The first single value of some keys, out of lists too.
    func first(_ keys: [String]) -> String? {
        for key in keys {
            guard let value = values[key] else { continue }
            if let text = value.items.first ?? value.text, !text.allSatisfy(\.isWhitespace) { return text }
        }
        return nil
    }

    /// The items of some keys. A value that is one text gives what `split` makes of it.
    func list(_ keys: [String], split: (String) -> [String]) -> [String] {
        keys.flatMap { key -> [String] in
            guard let value = values[key] else { return [] }
            return value.items.isEmpty ? value.text.map(split) ?? [] : value.items
        }
    }

    /// The lines of some keys, with those that belong to them; nil when a key begins no line.
    private static func lines(of keys: Set<String>, in header: ArraySlice<Substring>) -> [Substring]? {
        var (isKept, rest) = (false, keys)
        let lines = header.filter { line in
            if let key = LenientHeader.key(of: line)?.key {
                isKept = keys.contains(key)
                rest.remove(key)
            }
            return isKept
        }
        return rest.isEmpty ? lines : nil
    }

    private static func isFence(_ line: Substring, _ mark: String) -> Bool {
        line.hasPrefix(mark) && line.dropFirst(mark.count).allSatisfy { $0 == " " || $0 == "\t" }
    }

    /// Whether a line may belong to front matter: a key, an item, a comment or a continuation.
    private static func isHeaderLine(_ line: Substring) -> Bool {
        LenientHeader.key(of: line) != nil || line.hasPrefix("- ") || line.hasPrefix("#")
            || ((line.hasPrefix(" ") || line.hasPrefix("\t")) && !line.allSatisfy(\.isWhitespace))
    }

    private struct TooDeep: Error {}

    /// The most values of YAML that are visited. Aliases can repeat a list without end.
    private static let mostNodes = 20_000

    private static func reason(_ error: any Error) -> String {
        switch error as? YamlError {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            "line \(mark.line + 1): \(problem)"
        case .duplicatedKeysInMapping(let keys, _):
            "repeats \(keys.map { "\"\($0)\"" }.joined(separator: ", "))"
        default: "it cannot be read"
        }
    }
}

extension FrontMatter.Value {
    /// Adds what YAML has for the key.
    ///
    /// - Parameter line: The text behind the key, as it is written.
    fileprivate mutating func add(_ node: Node, or line: String?, _ budget: inout Int) {
        switch node {
        case .scalar(let scalar):
            // Signs of YAML, as in `title: !bang`, leave nothing of what was written.
            let isSign = scalar.string.isEmpty && !(line ?? "").isEmpty
            guard let value = isSign ? line : Self.string(scalar) else { return }
            // `Tags` beside `tags`.
            if let text { items += (items.isEmpty ? [text] : []) + [value] } else { text = value }
        case .sequence, .mapping:
            var found: [String] = []
            Self.flatten(node, into: &found, &budget)
            items += found
            text = text ?? (items.isEmpty ? nil : line)
        case .alias: break
        }
    }

    private static func string(_ scalar: Node.Scalar) -> String? {
        if scalar.style == .plain, ["", "~", "null", "Null", "NULL"].contains(scalar.string) { return nil }
        return scalar.string
    }

    /// The single values of lists within lists, and the keys of objects.
    ///
    /// - Parameter budget: The values that may still be visited.
    private static func flatten(_ node: Node, into items: inout [String], _ budget: inout Int) {
        guard budget > 0 else { return }
        budget -= 1
        switch node {
        case .scalar(let scalar): if let text = string(scalar) { items.append(text) }
        case .sequence(let nodes):
            for node in nodes {
                guard budget > 0 else { return }
                flatten(node, into: &items, &budget)
            }
        case .mapping(let pairs):
            for (key, _) in pairs {
                guard budget > 0 else { return }
                flatten(key, into: &items, &budget)
            }
        case .alias: break
        }
    }
}

/// Front matter that is not strict YAML, read line by line.
enum LenientHeader {
    /// The values by key in lower case. Values of a repeated key are joined.
    static func values(of lines: some Sequence<Substring>) -> [String: (text: String?, items: [String])] {
        var values: [String: (text: String?, items: [String])] = [:]
        var current: String?
        for line in lines {
            if let (key, rest) = key(of: line) {
                current = key
                let text = unquoted(rest)
                if rest.hasPrefix("["), rest.hasSuffix("]"), !rest.hasPrefix("[[") {
                    let items = rest.dropFirst().dropLast().split(separator: ",").compactMap { unquoted($0) }
                    values[key, default: (rest, [])].items += items
                    if values[key]?.text == nil { values[key]?.text = rest }
                } else if let known = values[key]?.text, values[key]?.items.isEmpty == true {
                    // A key that is there twice has all of its values, as a list.
                    values[key]?.items = [known, text ?? ""].filter { !$0.isEmpty }
                } else if values[key] != nil {
                    if let text, !text.isEmpty { values[key]?.items.append(text) }
                } else {
                    values[key] = (text, [])
                }
                continue
            }
            guard let key = current else { continue }
            let trimmed = line.trimming(\.isWhitespace)
            if trimmed == "-" || trimmed.hasPrefix("- ") {
                if let item = unquoted(trimmed.dropFirst()) { values[key]?.items.append(item) }
            } else if line.first?.isWhitespace == true, !trimmed.isEmpty {
                // The lines of a text, such as those behind `|`.
                let isMark = values[key]?.text.map { ["|", ">", "|-", ">-"].contains($0) } ?? true
                if isMark { values[key]?.text = trimmed } else { values[key]?.text?.append(" " + trimmed) }
            }
        }
        return values
    }

    /// The key that a line begins with, in lower case, and the rest of the line.
    static func key(of line: some StringProtocol) -> (key: String, rest: String)? {
        guard let colon = line.firstIndex(of: ":"), let first = line.first,
            first.isLetter || first == "_" || first == "\"" || first == "'"
        else { return nil }
        let key = line[..<colon].trimming { $0.isWhitespace || $0 == "\"" || $0 == "'" }
        let after = line[line.index(after: colon)...]
        guard !key.isEmpty, key.utf8.count <= 64,
            key.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == " " || $0 == "." }),
            after.first?.isWhitespace ?? true
        else { return nil }
        return (key.lowercased(), after.trimming(\.isWhitespace))
    }

    /// A value without the quotes around it; nil for none.
    private static func unquoted(_ text: some StringProtocol) -> String? {
        let text = text.trimming(\.isWhitespace)
        guard text.count >= 2, let mark = text.first, mark == "\"" || mark == "'", text.last == mark else {
            return text.isEmpty || ["~", "null", "Null", "NULL"].contains(text) ? nil : text
        }
        return String(text.dropFirst().dropLast())
    }
}
