/// The parameters of a request of ntfy, which may be header fields or parts of the query.
struct NtfyParameters {
    /// A parameter with the names that it may have, without `x-`.
    enum Name: String, CaseIterable {
        case message, title, priority, tags, delay, actions, click, attach, icon, filename, markdown
        case sequenceID = "sequence-id"
        case email, call, template
        case unifiedPush = "unifiedpush"
        case poll, since, scheduled, id

        /// The names in lower case; those with `x-` are header fields only.
        var aliases: [String] {
            switch self {
            case .message: ["x-message", "message", "m"]
            case .title: ["x-title", "title", "t"]
            case .priority: ["x-priority", "priority", "prio", "p"]
            case .tags: ["x-tags", "tags", "tag", "ta"]
            case .delay: ["x-delay", "delay", "x-at", "at", "x-in", "in"]
            case .actions: ["x-actions", "actions", "action"]
            case .click: ["x-click", "click"]
            case .attach: ["x-attach", "attach", "a"]
            case .icon: ["x-icon", "icon"]
            case .filename: ["x-filename", "filename", "file", "f"]
            case .markdown: ["x-markdown", "markdown", "md"]
            case .sequenceID: ["x-sequence-id", "sequence-id", "sid"]
            case .email: ["x-email", "x-e-mail", "email", "e-mail", "mail", "e"]
            case .call: ["x-call", "call"]
            case .template: ["x-template", "template", "tpl"]
            case .unifiedPush: ["x-unifiedpush", "unifiedpush", "up"]
            case .poll: ["x-poll", "poll", "po"]
            case .since: ["x-since", "since", "si"]
            case .scheduled: ["x-scheduled", "scheduled", "sched"]
            case .id: ["x-id", "id"]
            }
        }
    }

    private let headers: [String: String]
    private let query: [String: String]

    /// - Parameters:
    ///   - headers: The header fields in their order; of several with one name the first counts.
    ///   - query: The parts of the query, decoded.
    init(headers: [(name: String, value: String)], query: [(name: String, value: String)]) {
        func table(_ pairs: [(name: String, value: String)]) -> [String: String] {
            Dictionary(pairs.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        self.headers = table(headers)
        self.query = table(query)
    }

    /// The value of a parameter, decoded by RFC 2047 and without white space around it; nil when it is empty. A header
    /// field counts before the query.
    func value(_ name: Name) -> String? {
        for table in [headers, query] {
            for alias in name.aliases {
                guard let value = table[alias] else { continue }
                let text = NtfyFields.trimmed(EncodedWords.decode(value))
                if !text.isEmpty { return text }
            }
        }
        return nil
    }

    /// Whether a parameter is `1`, `true` or `yes`.
    func flag(_ name: Name) -> Bool { value(name).map { ["1", "true", "yes"].contains($0.lowercased()) } ?? false }

    /// Whether the body is Markdown.
    var isMarkdown: Bool {
        flag(.markdown) || headers["content-type"].map { $0.lowercased().hasPrefix("text/markdown") } ?? false
    }
}
