import Database
import GatewayAPI
import Text

/// Looks through messages, newest first. Both engines pass their rows through it, so both find the same.
struct MessageFinder {
    /// The most messages of one session that are kept, since a list shows few of them.
    static let maxInSession = 10
    /// The most messages that are kept. The search ends with them.
    static let maxItems = 200
    /// The most sessions whose titles are known, the latest first.
    static let maxSessions = 20_000
    /// The most messages that are looked at.
    static let maxMessages = 200_000
    /// The time for the messages of one search.
    static let time = Duration.seconds(1)

    private struct Title {
        var text: String
        /// The groups that the title has, one bit each.
        var groups: UInt64
    }

    private let search: MessageSearch
    private let groups: [[FoldedNeedle]]
    private let excluded: [FoldedNeedle]
    /// Of the sessions that may be found.
    private var titles: [String: Title] = [:]
    private var counts: [String: Int] = [:]
    /// The sessions that have messages of their own.
    private var filled: Set<String> = []
    /// The latest message of each session whose title has all groups.
    private var latest: [String: Message] = [:]
    private var bytes = 0
    private var seen = 0
    private var found = FoundMessages()
    private let end: ContinuousClock.Instant

    /// - Parameter sessions: The sessions and their titles.
    init(_ search: MessageSearch, sessions: [(id: String, title: String)], time: Duration = Self.time) {
        func needles(_ texts: [String]) -> [FoldedNeedle] {
            texts.map { FoldedNeedle(folded: TextFolding.folded($0)) }
        }
        self.search = search
        groups = search.groups.map(needles)
        excluded = needles(search.excluded)
        end = .now + time
        let wanted = needles(search.titles)
        for session in sessions {
            guard wanted.allSatisfy({ $0.isIn(session.title) }), !excluded.contains(where: { $0.isIn(session.title) })
            else { continue }
            titles[session.id] = Title(text: session.title, groups: matches(in: session.title))
        }
    }

    private var all: UInt64 { groups.count >= 64 ? .max : 1 << UInt64(groups.count) - 1 }

    private func matches(in text: String) -> UInt64 {
        var bits: UInt64 = 0
        for (index, group) in groups.enumerated() where group.contains(where: { $0.isIn(text) }) {
            bits |= 1 << UInt64(index)
        }
        return bits
    }

    /// Looks at a message. Returns false when the search ends.
    mutating func take(_ message: Message) -> Bool {
        filled.insert(message.sessionID)
        return look(at: message)
    }

    /// Looks at messages that a client keeps as a JSON array: objects with a `role` and a `content`. They have no number, so theirs is
    /// 0. What is no such array is passed over, and so is a session that has messages of its own, which are the same ones.
    /// Returns false when the search ends.
    mutating func take(archive json: String, of session: String, changedAt time: String?) -> Bool {
        guard let title = titles[session], !filled.contains(session) else { return true }
        // Without escapes, a text that is not in the whole is in no message.
        let mayMatch = json.utf8.contains(UInt8(ascii: "\\")) || matches(in: json) | title.groups == all
        guard mayMatch, let document = try? JSONDocument(parsing: Array(json.utf8)),
            case .array(let values)? = try? document.decode(JSONValue.self)
        else { return true }
        for case .object(let fields) in values.reversed() {
            guard case .string(let content)? = fields["content"], case .string(let role)? = fields["role"] else {
                continue
            }
            let message = Message(id: 0, sessionID: session, role: role, content: content, createdAt: time)
            guard look(at: message) else { return false }
        }
        return true
    }

    private mutating func look(at message: Message) -> Bool {
        // The newest ones are enough; older ones are beyond the end of any list.
        guard found.items.count < Self.maxItems else { return false }
        guard seen < Self.maxMessages, bytes < ValueLimit.batch, seen % 64 != 0 || ContinuousClock.now < end else {
            found.cutAfter = seen
            return false
        }
        seen += 1
        guard let title = titles[message.sessionID], isInTime(message) else { return true }
        if title.groups == all, !groups.isEmpty, latest[message.sessionID] == nil {
            latest[message.sessionID] = message
        }
        let own = matches(in: message.content)
        guard own | title.groups == all, own != 0 || groups.isEmpty,
            !excluded.contains(where: { $0.isIn(message.content) })
        else { return true }
        guard counts[message.sessionID, default: 0] < Self.maxInSession else {
            found.others[message.sessionID, default: 0] += 1
            return true
        }
        counts[message.sessionID, default: 0] += 1
        bytes += message.content.utf8.count
        found.items.append(
            .init(title: title.text, session: message.sessionID, message: message, matches: own.nonzeroBitCount))
        return true
    }

    private func isInTime(_ message: Message) -> Bool {
        guard search.since != nil || search.until != nil else { return true }
        guard let time = message.createdAt.flatMap(Timestamp.unixSeconds) else { return false }
        return time >= search.since ?? .min && time <= search.until ?? .max
    }

    /// What was found, and the sessions whose title alone was.
    func result(_ sessions: [(id: String, title: String)]) -> FoundMessages {
        var result = found
        guard !groups.isEmpty else { return result }
        let hasTime = search.since != nil || search.until != nil
        for session in sessions where counts[session.id] == nil && result.items.count < Self.maxItems {
            guard let title = titles[session.id], title.groups == all else { continue }
            let message = latest[session.id]
            guard message != nil || !hasTime else { continue }
            result.items.append(.init(title: title.text, session: session.id, message: message, matches: 0))
        }
        return result
    }
}

extension ChatStore {
    /// Finds questions and answers of stored sessions: every group of the search has one of its texts in the message or in its
    /// session's title. The one stored last comes first. The number of messages and the time are bounded; see
    /// ``FoundMessages/cutAfter``.
    ///
    /// - Throws: ``StorageError``, or a server's own error.
    package func find(_ search: MessageSearch) async throws -> FoundMessages {
        try await snapshot { [self] session in
            let tables = try conversations(in: session)
            let sessions = try tables.titles(limit: MessageFinder.maxSessions)
            var finder = MessageFinder(search, sessions: sessions)
            var goesOn = true
            try tables.eachMessage { message in
                goesOn = finder.take(message)
                return goesOn
            }
            if goesOn { try tables.eachArchive { finder.take(archive: $1, of: $0, changedAt: $2) } }
            return finder.result(sessions)
        }
    }
}
