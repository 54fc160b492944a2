/// The text form of a prompt, as the library's files and `selene prompts edit` have it: front matter between lines of
/// `---`, then the template.
///
///     ---
///     id: week-in-review
///     title: The week in review
///     kind: reflective
///     for: Looking back before planning.
///     chat: synthesis
///     variable: days = 7 | Only notes of the last so many days.
///     ---
///     What happened in the last {{days}} days?
extension PromptDocument {
    /// Reads and checks the text form.
    ///
    /// - Throws: ``PromptError`` that names the line or the part that is wrong.
    package init(parsing text: String) throws(PromptError) {
        var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)[...]
        guard lines.popFirst().map({ Self.trimmed($0) }) == "---" else {
            throw PromptError("line 1", "expected --- before the fields id, title and kind")
        }
        var fields: [String: String] = [:]
        var variables: [Variable] = []
        var number = 1
        var isClosed = false
        while let line = lines.popFirst() {
            number += 1
            let content = Self.trimmed(line)
            if content == "---" {
                isClosed = true
                break
            }
            if content.isEmpty { continue }
            guard let colon = content.firstIndex(of: ":") else {
                throw PromptError("line \(number)", "expected FIELD: VALUE")
            }
            let name = Self.trimmed(content[..<colon])
            let value = Self.trimmed(content[content.index(after: colon)...])
            if name == "variable" {
                variables.append(try Self.variable(value, line: number))
                continue
            }
            guard ["id", "title", "kind", "for", "chat"].contains(name) else {
                throw PromptError(
                    "line \(number)", "unknown field \"\(name)\": expected id, title, kind, for, chat or variable")
            }
            guard fields.updateValue(value, forKey: name) == nil else {
                throw PromptError("line \(number)", "\"\(name)\" is there twice")
            }
        }
        guard isClosed else { throw PromptError("line \(number)", "expected --- after the fields") }
        guard let kind = Kind(rawValue: fields["kind"] ?? "") else {
            throw PromptError("kind", "expected " + Kind.allCases.map(\.rawValue).joined(separator: ", "))
        }
        guard let chat = ChatKind(rawValue: fields["chat"] ?? ChatKind.ask.rawValue) else {
            throw PromptError("chat", "expected " + ChatKind.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self.init(
            id: fields["id"] ?? "", title: fields["title"] ?? "", kind: kind, purpose: fields["for"] ?? "", chat: chat,
            variables: variables, body: PromptTemplate.normalized(lines.joined(separator: "\n")))
        try check()
    }

    /// The text form, which ``init(parsing:)`` reads. Equal prompts have equal texts.
    package var text: String {
        var lines = ["---", "id: \(id)", "title: \(title)", "kind: \(kind.rawValue)"]
        if !purpose.isEmpty { lines.append("for: \(purpose)") }
        if chat != .ask { lines.append("chat: \(chat.rawValue)") }
        for variable in variables {
            let meaning = variable.meaning.isEmpty ? "" : " | \(variable.meaning)"
            lines.append("variable: \(variable.name) = \(variable.defaultValue)\(meaning)")
        }
        return (lines + ["---", body]).joined(separator: "\n") + "\n"
    }

    private static func variable(_ text: String, line: Int) throws(PromptError) -> Variable {
        let parts = text.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
        let pair = (parts.first ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2 else {
            throw PromptError("line \(line)", "expected variable: NAME = DEFAULT | MEANING")
        }
        return Variable(
            name: trimmed(pair[0]), defaultValue: trimmed(pair[1]), meaning: parts.count > 1 ? trimmed(parts[1]) : "")
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[first...last])
    }
}
