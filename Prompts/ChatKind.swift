/// The kinds of conversation. A kind is a template `chat_<kind>.mustache` and a case here.
package enum ChatKind: String, Sendable, Hashable, CaseIterable {
    /// Questions to the notes.
    case ask
    /// A conversation about one thread.
    case deepDive = "deep_dive"
    /// What many notes say about a subject.
    case synthesis
    /// Observations and questions in return.
    case thinkingPartner = "thinking_partner"
    /// The notes, tasks and summary of one thread.
    case threadWorkspace = "thread_workspace"
    /// Questions about the briefing.
    case briefing
    /// Questions about books.
    case book
    /// The model alone, without notes.
    case plain

    /// Whether the conversation is about one thread, which the request must name.
    package var needsThread: Bool { self == .deepDive || self == .threadWorkspace }

    /// Whether the conversation is about books, which the request must name.
    package var needsBook: Bool { self == .book }

    /// Whether notes or books are searched.
    package var usesNotes: Bool { self != .plain }

    /// What passages are called in the prompt.
    var item: (one: String, many: String) { self == .book ? ("passage", "passages") : ("note", "notes") }

    /// The number of passages of the first search, unless the request says otherwise.
    package var passages: Int {
        switch self {
        case .synthesis: 16
        case .book: 8
        case .deepDive, .threadWorkspace: 10
        default: 6
        }
    }

    var template: [UInt8] {
        switch self {
        case .ask: PackageResources.chat_ask_mustache
        case .deepDive: PackageResources.chat_deep_dive_mustache
        case .synthesis: PackageResources.chat_synthesis_mustache
        case .thinkingPartner: PackageResources.chat_thinking_partner_mustache
        case .threadWorkspace: PackageResources.chat_thread_workspace_mustache
        case .briefing: PackageResources.chat_briefing_mustache
        case .book: PackageResources.chat_book_mustache
        case .plain: PackageResources.chat_plain_mustache
        }
    }
}
