package import Schedules

/// A request to read topics of ntfy (docs.ntfy.sh/subscribe/api).
package struct NtfySubscription: Sendable, Hashable {
    /// The message with which a reader begins.
    package enum Start: Sendable, Hashable {
        /// The next one.
        case next
        /// The oldest one that is stored.
        case oldest
        /// The newest one that is stored.
        case newest
        /// The first one at this instant or later.
        case at(Instant)
        /// The one after the message with this id; the oldest one when no message has it.
        case after(String)
    }

    /// Topics of one reader at most.
    package static let maxTopics = 32
    private static let longest: Int64 = 366 * 86_400

    /// The topics, in the order of the path.
    package let topics: [String]
    /// Where the reader begins.
    package let start: Start
    /// Whether the answer ends with the newest stored message.
    package let isPoll: Bool
    /// Whether stored messages that wait for their time are read, too.
    package let hasScheduled: Bool
    private let id: String?
    private let message: String?
    private let title: String?
    private let priorities: Set<Int>
    private let tags: [String]

    /// Reads `GET /TOPIC,…/json` and its sisters.
    ///
    /// - Parameters:
    ///   - topics: From the path, decoded: topics, separated by commas.
    ///   - headers: The header fields in their order.
    ///   - query: The parts of the query, decoded.
    /// - Throws: ``PushFieldError`` with ntfy's name of the field.
    package init(
        topics: String, headers: [(name: String, value: String)], query: [(name: String, value: String)], now: Instant
    ) throws(PushFieldError) {
        var names: [String] = []
        for part in topics.split(separator: ",", maxSplits: Self.maxTopics, omittingEmptySubsequences: false) {
            let name = try NtfyFields(topic: String(part)).checkedTopic()
            if !names.contains(name) { names.append(name) }
        }
        guard names.count <= Self.maxTopics else {
            throw PushFieldError("topic", "expected at most \(Self.maxTopics) topics")
        }
        self.topics = names
        let parameters = NtfyParameters(headers: headers, query: query)
        isPoll = parameters.flag(.poll)
        let since = try parameters.value(.since).map { text throws(PushFieldError) in
            try Self.start(text, now: now)
        }
        start = since ?? (isPoll ? .oldest : .next)
        hasScheduled = parameters.flag(.scheduled) && start != .next
        id = parameters.value(.id)
        message = parameters.value(.message)
        title = parameters.value(.title)
        tags = parameters.value(.tags).map(NtfyFields.tags) ?? []
        var priorities: Set<Int> = []
        for text in parameters.value(.priority).map(NtfyFields.tags) ?? [] {
            // Browsers send a header field of this name with other values (RFC 9218).
            if text.hasPrefix("u=") || text == "i" { continue }
            priorities.insert(try NtfyFields.priority(text))
        }
        self.priorities = priorities
    }

    /// Reads `since`: `all`, `latest`, `none`, seconds since 1970, a duration such as `10m` or `1h30m`, or an id.
    private static func start(_ text: String, now: Instant) throws(PushFieldError) -> Start {
        switch text {
        case "all": return .oldest
        case "latest": return .newest
        case "none": return .next
        default: break
        }
        if let seconds = Int64(text), text.utf8.allSatisfy(\.isDigit) {
            // A time in the future is that of a clock that is ahead.
            return seconds > now.seconds ? .next : .at(Instant(seconds: seconds))
        }
        if let seconds = duration(text) { return .at(now.adding(seconds: -seconds)) }
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(\.isWordCharacter) else {
            throw PushFieldError(
                "since",
                "expected all, latest, none, seconds since 1970, a duration such as 10m, or the id of a message")
        }
        return .after(text)
    }

    /// Seconds of a duration, at most 366 days; nil for another text.
    private static func duration(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        var seconds: Int64 = 0
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix(while: \.isDigit)
            guard !digits.isEmpty, digits.count <= 8, let number = Int64(String(decoding: digits, as: UTF8.self))
            else { return nil }
            rest = rest[digits.endIndex...]
            switch rest.popFirst() {
            case UInt8(ascii: "s"): seconds += number
            case UInt8(ascii: "m"): seconds += number * 60
            case UInt8(ascii: "h"): seconds += number * 3600
            case UInt8(ascii: "d"): seconds += number * 86_400
            default: return nil
            }
            seconds = min(seconds, longest)
        }
        return seconds
    }

    /// Whether a message passes the topics and the filters.
    package func takes(_ message: NtfyMessage) -> Bool {
        topics.contains(message.topic) && (id == nil || id == message.id)
            && (self.message == nil || self.message == message.text) && (title == nil || title == message.title)
            && (priorities.isEmpty || priorities.contains(message.priority))
            && tags.allSatisfy { message.tags.contains($0) }
    }

    /// Whether the removal of a message passes the topics and the filter by id.
    package func takesRemoval(of id: String, in topic: String) -> Bool {
        topics.contains(topic) && (self.id == nil || self.id == id)
    }
}
