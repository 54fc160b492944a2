import Mustache

/// The templates of prompts: Mustache with variables, sections and comments only.
///
/// `{{name}}` is the value, `{{#name}}…{{/name}}` stays when it is not empty, `{{^name}}…{{/name}}` when it is empty, and
/// `{{! …}}` is a comment. Partials, pragmas, other delimiters and unescaped variables are refused: a template may come
/// from outside.
package enum PromptTemplate {
    /// The deepest nesting of sections.
    private static let depth = 8

    /// Checks a template.
    ///
    /// - Parameter variables: The declared names; every other name is refused.
    /// - Throws: ``PromptError`` about the field `text`.
    package static func check(_ text: String, variables: Set<String>) throws(PromptError) {
        guard text.utf8.count <= PromptDocument.Limits.body else {
            throw PromptError("text", "is longer than \(PromptDocument.Limits.body) bytes")
        }
        guard text.contains(where: { !$0.isWhitespace }) else { throw PromptError("text", "must not be empty") }
        guard !text.utf8.contains(0) else { throw PromptError("text", "must not contain the character U+0000") }
        guard
            text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
                <= PromptDocument.Limits.lines
        else { throw PromptError("text", "has more than \(PromptDocument.Limits.lines) lines") }
        var open: [String] = []
        for tag in try tags(of: text) {
            switch tag {
            case .comment: continue
            case .variable(let name): try known(name, variables)
            case .section(let name):
                try known(name, variables)
                open.append(name)
                guard open.count <= depth else {
                    throw PromptError("text", "sections are nested more than \(depth) levels deep")
                }
            case .end(let name):
                guard open.popLast() == name else {
                    throw PromptError("text", "{{/\(name)}} does not close the section before it")
                }
            }
        }
        if let name = open.last { throw PromptError("text", "the section {{#\(name)}} is not closed") }
    }

    /// The names that a template uses, each once, in the order of the text.
    ///
    /// - Throws: ``PromptError`` for a tag that cannot be read.
    package static func names(in text: String) throws(PromptError) -> [String] {
        var names: [String] = []
        for tag in try tags(of: text) {
            guard case .variable(let name) = tag else {
                if case .section(let name) = tag, !names.contains(name) { names.append(name) }
                continue
            }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// Renders a template that ``check(_:variables:)`` accepts. Values are inserted as they are; a name without a value is
    /// empty.
    ///
    /// - Parameter limit: The largest size of the template with all values, in bytes.
    /// - Throws: ``PromptError`` when the text would be too long, and when the template cannot be read.
    package static func render(
        _ text: String, _ values: [String: String], limit: Int
    ) throws(PromptError) -> String {
        guard try size(of: text, values) <= limit else {
            throw PromptError("values", "make the text longer than \(limit) bytes")
        }
        let template: MustacheTemplate
        do {
            template = try MustacheTemplate(string: "{{% CONTENT_TYPE:TEXT}}\n" + text)
        } catch {
            throw PromptError("text", "the template cannot be read: \(error)")
        }
        let context: [String: Any] = values.filter { !$0.value.isEmpty }
        return template.render(context)
    }

    /// The largest size of a template with these values, in bytes.
    private static func size(of text: String, _ values: [String: String]) throws(PromptError) -> Int {
        var size = text.utf8.count
        for case .variable(let name) in try tags(of: text) { size += values[name]?.utf8.count ?? 0 }
        return size
    }

    private enum Tag {
        case variable(String), section(String), end(String), comment
    }

    private static func known(_ name: String, _ variables: Set<String>) throws(PromptError) {
        guard variables.contains(name) else {
            let list = variables.sorted().joined(separator: ", ")
            throw PromptError(
                "text",
                "{{\(name)}} is not declared" + (list.isEmpty ? ": there are no variables" : "; declared: \(list)"))
        }
    }

    private static func tags(of text: String) throws(PromptError) -> [Tag] {
        var tags: [Tag] = []
        let bytes = Array(text.utf8)
        var place = 0
        while let start = find("{{", in: bytes, from: place) {
            guard let end = find("}}", in: bytes, from: start + 2) else {
                throw PromptError("text", "a tag begins with {{ and has no }}")
            }
            tags.append(try tag(String(decoding: bytes[(start + 2)..<end], as: UTF8.self)))
            place = end + 2
        }
        return tags
    }

    private static func tag(_ text: String) throws(PromptError) -> Tag {
        if text.first == "!" { return .comment }
        let mark = text.first.flatMap { "#^/".contains($0) ? $0 : nil }
        let name = (mark == nil ? text[...] : text.dropFirst()).filter { $0 != " " && $0 != "\t" }
        guard PromptDocument.isName(name) else {
            throw PromptError(
                "text",
                "the tag {{\(text.prefix(40))}} is not allowed: expected {{name}}, {{#name}}, {{^name}}, {{/name}} or "
                    + "{{! comment}}")
        }
        return switch mark {
        case "#", "^": .section(name)
        case "/": .end(name)
        default: .variable(name)
        }
    }

    private static func find(_ mark: StaticString, in bytes: [UInt8], from start: Int) -> Int? {
        let mark = Array(mark.description.utf8)
        var place = start
        while place + 1 < bytes.count {
            if bytes[place] == mark[0], bytes[place + 1] == mark[1] { return place }
            place += 1
        }
        return nil
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// A text with line feeds as its only line ends, and without empty lines at its ends.
    package static func normalized(_ text: String) -> String {
        trimmed(text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: "\n"))
    }

    static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isWhitespace ?? false { text.removeLast() }
        while text.first?.isNewline ?? false { text.removeFirst() }
        return String(text)
    }
}

extension PromptDocument {
    /// The values of all variables: the given ones, else the defaults.
    ///
    /// - Throws: ``PromptError`` for a value without a variable, and for a value that is too long.
    package func values(_ given: [String: String]) throws(PromptError) -> [String: String] {
        var values: [String: String] = [:]
        for variable in variables { values[variable.name] = variable.defaultValue }
        for (name, value) in given.sorted(by: { $0.key < $1.key }) {
            guard values[name] != nil else {
                let list = variables.map(\.name).joined(separator: ", ")
                throw PromptError(
                    "values.\(name.prefix(Limits.name))",
                    "the prompt has no such variable" + (list.isEmpty ? "" : "; it has \(list)"))
            }
            guard value.utf8.count <= Limits.value else {
                throw PromptError("values.\(name)", "is longer than \(Limits.value) bytes")
            }
            values[name] = value
        }
        return values
    }

    /// Renders the template. Values are inserted as they are.
    ///
    /// - Parameter values: By variable, see ``values(_:)``.
    /// - Throws: ``PromptError`` when the template is not valid, when the text would be too long, and when nothing is left.
    package func render(_ values: [String: String]) throws(PromptError) -> String {
        try PromptTemplate.check(body, variables: Set(variables.map(\.name)))
        let text = PromptTemplate.trimmed(try PromptTemplate.render(body, values, limit: Limits.text))
        guard !text.isEmpty else { throw PromptError("text", "is empty with these values") }
        return text
    }
}
