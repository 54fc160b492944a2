import Mustache

/// Renders the prompts of a chat over notes.
package struct ChatPrompts: Sendable {
    private let kinds: [ChatKind: MustacheTemplate]
    private let rules: MustacheTemplate
    private let context: MustacheTemplate
    private let question: MustacheTemplate
    private let passage: MustacheTemplate
    private let rewrite: MustacheTemplate
    private let cite: MustacheTemplate
    private let judge: MustacheTemplate
    private let compress: MustacheTemplate

    /// Parses the templates.
    ///
    /// - Throws: A Mustache parser error. A test renders every template, so a release never throws.
    package init() throws {
        func template(_ bytes: [UInt8]) throws -> MustacheTemplate {
            try MustacheTemplate(string: String(decoding: bytes, as: UTF8.self))
        }
        var kinds: [ChatKind: MustacheTemplate] = [:]
        for kind in ChatKind.allCases { kinds[kind] = try template(kind.template) }
        self.kinds = kinds
        rules = try template(PackageResources.chat_rules_mustache)
        context = try template(PackageResources.chat_context_mustache)
        question = try template(PackageResources.chat_question_mustache)
        passage = try template(PackageResources.chat_passage_mustache)
        rewrite = try template(PackageResources.chat_rewrite_mustache)
        cite = try template(PackageResources.chat_cite_mustache)
        judge = try template(PackageResources.chat_judge_mustache)
        compress = try template(PackageResources.chat_compress_mustache)
    }

    /// The bytes that make the prompt of a kind, for its version.
    package static func source(of kind: ChatKind) -> [UInt8] {
        kind.template + PackageResources.chat_rules_mustache + PackageResources.chat_question_mustache
    }

    /// A text of a thread or a briefing that comes with the instructions.
    package struct Context: Sendable {
        /// What it is, in a few words.
        package var heading: String
        package var text: String

        package init(heading: String, text: String) {
            self.heading = heading
            self.text = text
        }
    }

    /// What the instructions of a run depend on.
    package struct Rules: Sendable {
        /// Whether passages come with the question.
        package var hasNotes: Bool
        /// Whether only supported sentences are wanted.
        package var isStrict: Bool
        /// Whether the model may call tools.
        package var hasTools: Bool

        package init(hasNotes: Bool, isStrict: Bool, hasTools: Bool) {
            self.hasNotes = hasNotes
            self.isStrict = isStrict
            self.hasTools = hasTools
        }
    }

    /// Renders the instructions of a conversation.
    ///
    /// - Parameter fence: The mark around notes; see ``question(_:notes:fence:)``.
    package func system(
        _ kind: ChatKind, _ rules: Rules, context contexts: [Context] = [], summary: String? = nil, fence: String
    ) -> String {
        var parts = [kinds[kind].map { Self.trimmed($0.render([:] as [String: Any])) } ?? ""]
        parts.append(
            Self.trimmed(
                self.rules.render(
                    [
                        "hasNotes": rules.hasNotes, "strict": rules.isStrict && rules.hasNotes,
                        "hasTools": rules.hasTools, "fence": fence, "item": kind.item.one, "items": kind.item.many,
                        "Items": kind.item.many.prefix(1).uppercased() + kind.item.many.dropFirst(),
                    ] as [String: Any])))
        parts.append(rendered(contexts, summary: summary, fence: fence))
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// Renders a question with its notes; without notes and contexts it returns the plain question.
    ///
    /// - Parameters:
    ///   - notes: By their numbers in the conversation.
    ///   - again: The numbers of notes for this question that stand with an earlier one.
    ///   - contexts: Texts that come behind the notes.
    ///   - fence: A mark that the notes cannot know, such as a random word between dashes. It is removed from the notes, so that no
    ///     note can close its fence and continue as instructions.
    package func question(
        _ question: String, notes: [(number: Int, note: Prompts.CitedNote)], again: [Int] = [],
        context contexts: [Context] = [], of kind: ChatKind = .ask, fence: String
    ) -> String {
        guard !notes.isEmpty || !again.isEmpty || !contexts.isEmpty else { return question }
        return Self.trimmed(
            self.question.render(
                [
                    "question": question, "notes": notes.map { Self.values($0.note, number: $0.number, kind, fence) },
                    "hasNotes": !notes.isEmpty, "fence": fence, "items": kind.item.many,
                    "hasAgain": !again.isEmpty, "again": again.map { "[\($0)]" }.joined(separator: ", "),
                    "hasContext": !contexts.isEmpty, "context": rendered(contexts, fence: fence),
                ] as [String: Any]))
    }

    /// Renders texts between their marks, and a summary.
    package func rendered(_ contexts: [Context], summary: String? = nil, fence: String) -> String {
        var values: [String: Any] = ["fence": fence]
        values["context"] = contexts.map {
            ["heading": Self.line($0.heading, fence), "text": Self.defused($0.text, fence), "fence": fence]
        }
        if let summary { values["summary"] = Self.defused(summary, fence) }
        return Self.trimmed(context.render(values))
    }

    /// Renders one note with its number, for the result of a tool.
    package func passage(
        _ note: Prompts.CitedNote, number: Int, of kind: ChatKind = .ask, fence: String
    ) -> String {
        Self.trimmed(passage.render(Self.values(note, number: number, kind, fence) as [String: Any]))
    }

    /// A message in a prompt about a conversation.
    package struct Turn: Sendable {
        /// `author` or `assistant`.
        package var role: String
        package var text: String

        package init(role: String, text: String) {
            self.role = role
            self.text = text
        }
    }

    /// Renders the request to write a question as a query that needs no conversation.
    ///
    /// - Parameter turns: The conversation; empty when the model has it before this request.
    package func rewriting(_ question: String, after turns: [Turn]) -> String {
        Self.trimmed(
            rewrite.render(
                ["question": question, "turns": turns.map { ["role": $0.role, "text": $0.text] }] as [String: Any]))
    }

    /// Renders the request to name the notes that say each sentence, both numbered from 1.
    ///
    /// - Parameter notes: Empty when the model has them before this request.
    package func citing(
        _ sentences: [(number: Int, text: String)], notes: [(number: Int, text: String)], of kind: ChatKind = .ask
    ) -> String {
        func values(_ items: [(number: Int, text: String)]) -> [[String: String]] {
            items.map { ["number": String($0.number), "content": Self.line($0.text, ""), "item": kind.item.one] }
        }
        return Self.trimmed(
            cite.render(
                [
                    "notes": values(notes), "sentences": values(sentences), "item": kind.item.one,
                    "items": kind.item.many,
                ] as [String: Any]))
    }

    /// A sentence of an answer with the notes that it cites.
    package struct Claim: Sendable {
        /// The sentence's number.
        package var number: Int
        /// The sentence.
        package var text: String
        /// The numbers of the notes.
        package var notes: [Int]

        package init(number: Int, text: String, notes: [Int]) {
            self.number = number
            self.text = text
            self.notes = notes
        }
    }

    /// Renders the request to judge whether sentences are what their notes say.
    package func judging(_ claims: [Claim], notes: [(number: Int, text: String)]) -> String {
        let sentences = claims.map { claim in
            [
                "number": String(claim.number), "content": Self.line(claim.text, ""),
                "cited": claim.notes.map(String.init).joined(separator: ", "),
            ]
        }
        let values = notes.map { ["number": String($0.number), "content": Self.line($0.text, "")] }
        return Self.trimmed(judge.render(["notes": values, "sentences": sentences] as [String: Any]))
    }

    /// Renders the request to summarise a conversation.
    package func compressing(_ turns: [Turn], summary: String?) -> String {
        var values: [String: Any] = ["turns": turns.map { ["role": $0.role, "text": $0.text] }]
        if let summary { values["summary"] = summary }
        return Self.trimmed(compress.render(values))
    }

    private static func values(
        _ note: Prompts.CitedNote, number: Int, _ kind: ChatKind, _ fence: String
    ) -> [String: String] {
        [
            "item": kind.item.one, "where": kind == .book ? "page" : "date",
            "number": String(number), "title": line(note.title, fence), "date": line(note.date, fence),
            "content": defused(note.content, fence), "fence": fence,
        ]
    }

    private static func defused(_ text: String, _ fence: String) -> String {
        guard !fence.isEmpty else { return text }
        return text.split(separator: fence, omittingEmptySubsequences: false).joined(separator: " ")
    }

    private static func line(_ text: String, _ fence: String) -> String {
        defused(text.split(whereSeparator: \.isNewline).joined(separator: " "), fence)
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.last?.isNewline ?? false { text.removeLast() }
        while text.first?.isNewline ?? false { text.removeFirst() }
        return String(text)
    }
}
