/// A prompt that a person asks their notes with: a template with its title, purpose and variables.
package struct PromptDocument: Sendable, Hashable {
    /// What a prompt does with the notes.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Looks back on what the author thought and did.
        case reflective
        /// Takes apart: arguments, figures, causes, order in time.
        case analytical
        /// Looks for connections, questions and gaps.
        case exploratory
        /// Asks for one fact, decision or list.
        case specific
        /// Makes something new of what the notes say.
        case creative
    }

    /// A value that a prompt needs.
    ///
    /// Declared variables with the names `days`, `tag` and `thread` also narrow the notes of the run.
    package struct Variable: Sendable, Hashable {
        /// The name: a lower-case ASCII letter, then such letters, digits and `_`; at most 32 bytes.
        package var name: String
        /// The value when none is given; may be empty.
        package var defaultValue: String
        /// What the value is, for people.
        package var meaning: String

        package init(name: String, defaultValue: String = "", meaning: String = "") {
            self.name = name
            self.defaultValue = defaultValue
            self.meaning = meaning
        }
    }

    /// The id: 1 to 64 lower-case ASCII letters, digits and `-`.
    package var id: String
    /// The title, one line.
    package var title: String
    package var kind: Kind
    /// What the prompt is for, one line; may be empty.
    package var purpose: String
    /// The kind of conversation that its run is.
    package var chat: ChatKind
    /// The variables, in the order in which people fill them in.
    package var variables: [Variable]
    /// The template; see ``PromptTemplate``.
    package var body: String

    /// Creates a prompt without checking it; see ``check()``.
    package init(
        id: String, title: String, kind: Kind, purpose: String = "", chat: ChatKind = .ask,
        variables: [Variable] = [], body: String
    ) {
        self.id = id
        self.title = title
        self.kind = kind
        self.purpose = purpose
        self.chat = chat
        self.variables = variables
        self.body = body
    }

    package enum Limits {
        /// Bytes of an id.
        package static let id = 64
        /// Bytes of a title.
        package static let title = 200
        /// Bytes of a purpose, of a variable's default and of its meaning.
        package static let line = 500
        /// Bytes of a template.
        package static let body = 32 << 10
        /// Lines of a template.
        package static let lines = 1000
        /// The number of variables.
        package static let variables = 32
        /// Bytes of a variable's name.
        package static let name = 32
        /// Bytes of a value.
        package static let value = 8 << 10
        /// Bytes of a rendered text, as a chat accepts them.
        package static let text = 64 << 10
    }

    /// Checks all parts.
    ///
    /// - Throws: ``PromptError`` with the first part that is wrong.
    package func check() throws(PromptError) {
        guard Self.isID(id) else {
            throw PromptError("id", "expected 1 to \(Limits.id) lower-case letters, digits and \"-\"")
        }
        try Self.checkLine(title, "title", most: Limits.title)
        guard title.contains(where: { !$0.isWhitespace }) else { throw PromptError("title", "must not be empty") }
        try Self.checkLine(purpose, "purpose", most: Limits.line)
        guard variables.count <= Limits.variables else {
            throw PromptError("variables", "has \(variables.count) entries; \(Limits.variables) are the limit")
        }
        var names: Set<String> = []
        for variable in variables {
            let field = "variables.\(variable.name.prefix(Limits.name))"
            guard Self.isName(variable.name) else {
                throw PromptError(
                    "variables", "a name has 1 to \(Limits.name) lower-case letters, digits and \"_\", a letter first")
            }
            guard names.insert(variable.name).inserted else { throw PromptError(field, "is declared twice") }
            try Self.checkLine(variable.defaultValue, field, most: Limits.line)
            try Self.checkLine(variable.meaning, field, most: Limits.line)
            guard !variable.defaultValue.contains("|") else {
                throw PromptError(field, "the default must not contain \"|\"")
            }
        }
        try PromptTemplate.check(body, variables: names)
    }

    /// Whether a text may be an id.
    package static func isID(_ text: String) -> Bool {
        (1...Limits.id).contains(text.utf8.count)
            && text.utf8.allSatisfy { PromptTemplate.isLetterOrDigit($0) || $0 == UInt8(ascii: "-") }
    }

    /// Whether a text may be the name of a variable.
    package static func isName(_ text: String) -> Bool {
        guard (1...Limits.name).contains(text.utf8.count), let first = text.utf8.first else { return false }
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
            && text.utf8.allSatisfy { PromptTemplate.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") }
    }

    private static func checkLine(_ text: String, _ field: String, most: Int) throws(PromptError) {
        guard text.utf8.count <= most else { throw PromptError(field, "is longer than \(most) bytes") }
        let hasControls = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !hasControls, !text.contains(where: \.isNewline) else {
            throw PromptError(field, "must be one line without control characters")
        }
    }
}

/// An error in a prompt, or in the values for it.
package struct PromptError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The part that is wrong, such as `title` or `variables.days`.
    package var field: String
    /// What is wrong, and what is expected.
    package var problem: String

    package init(_ field: String, _ problem: String) {
        self.field = field
        self.problem = problem
    }

    /// The field and the problem.
    package var description: String { "field \"\(field)\": \(problem)" }
}
