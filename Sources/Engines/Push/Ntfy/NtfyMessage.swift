import Delivery
package import GatewayAPI
import Schedules

/// A message as readers of ntfy get it: the reverse of ``NtfyPublish``.
package struct NtfyMessage: Sendable, Hashable {
    /// The id that the answer to the publish request has.
    package let id: String
    package let topic: String
    /// The text; ntfy's clients show nothing without one.
    package let text: String
    /// The title, without the emoji that ntfy's clients add themselves; nil for none.
    package let title: String?
    /// 1 to 5.
    package let priority: Int
    package let tags: [String]
    private let time: Int64
    private let message: PushMessage

    /// Creates the form of a message; nil for one that shows nothing.
    ///
    /// - Parameter time: When it was sent, in seconds since 1970.
    package init?(_ message: PushMessage, id: String, topic: String, time: Int64) {
        guard message.isVisible else { return nil }
        self.id = id
        self.topic = topic
        self.time = time
        self.message = message
        tags = message.tags
        let emoji = NtfyEmoji.prefix(of: message.tags)
        func bare(_ text: String?) -> String? {
            guard let text, let emoji, text.hasPrefix(emoji + " ") else { return text }
            return String(text.dropFirst(emoji.count + 1))
        }
        let title = bare(message.title)
        let body = message.title == nil ? bare(message.body) : message.body
        text = body ?? message.subtitle ?? title ?? ""
        self.title = body == nil && message.subtitle == nil ? nil : title
        let isUrgent = message.interruption == .timeSensitive || message.interruption == .critical
        priority = message.priority == .high && isUrgent ? 5 : message.priority.rawValue
    }

    package var json: JSONValue {
        var members = NtfyEvent.members("message", id: id, topic: topic, time: time)
        members["sequence_id"] = .string(message.collapseID ?? id)
        members["expires"] = message.expires.map { .integer($0.seconds) }
        members["message"] = .string(text)
        members["title"] = title.map(JSONValue.string)
        if priority != 3 { members["priority"] = .integer(Int64(priority)) }
        if !tags.isEmpty { members["tags"] = .array(tags.map(JSONValue.string)) }
        members["click"] = message.url.map(JSONValue.string)
        var extra: [String: JSONValue] = [:]
        if case .object(let own)? = message.data["ntfy"] { extra = own }
        var actions = message.actions.compactMap(Self.action)
        if case .array(let others)? = extra["actions"] { actions += others }
        if !actions.isEmpty { members["actions"] = .array(actions) }
        members["icon"] = extra["icon"]
        if extra["markdown"] == .bool(true) { members["content_type"] = .string("text/markdown") }
        if let attachment = extra["attachment"] {
            members["attachment"] = attachment
        } else if let image = message.image, PictureName(image: image) == nil {
            members["attachment"] = .object(["name": .string(Self.pictureName), "url": .string(image)])
        }
        return .object(members)
    }

    private static let pictureName = "picture"

    /// A button of ntfy; nil for one that only our own clients know.
    private static func action(_ action: PushAction) -> JSONValue? {
        var members: [String: JSONValue] = [
            "id": .string(action.id), "label": .string(action.title), "clear": .bool(!action.keeps),
        ]
        switch action.effect {
        case .open(let url):
            members["action"] = .string("view")
            members["url"] = .string(url)
        case .request(let request):
            // What the gateway sends may have a secret.
            guard !action.runsOnServer else { return nil }
            members["action"] = .string("http")
            members["url"] = .string(request.url)
            members["method"] = .string(request.method.rawValue)
            if !request.headers.isEmpty {
                members["headers"] = .object(request.headers.mapValues(JSONValue.string))
            }
            members["body"] = request.body.map(JSONValue.string)
        case .shortcut, .server, .reply, .acknowledge: return nil
        }
        return .object(members)
    }
}

/// What readers of ntfy get besides messages.
package enum NtfyEvent {
    /// The reader is connected.
    package static func open(topics: [String], id: String, time: Int64) -> JSONValue {
        .object(members("open", id: id, topic: topics.joined(separator: ","), time: time))
    }

    /// The connection is alive.
    package static func keepalive(topics: [String], id: String, time: Int64) -> JSONValue {
        .object(members("keepalive", id: id, topic: topics.joined(separator: ","), time: time))
    }

    /// The message was taken back.
    package static func removal(of message: String, topic: String, id: String, time: Int64) -> JSONValue {
        var members = members("message_delete", id: id, topic: topic, time: time)
        members["sequence_id"] = .string(message)
        return .object(members)
    }

    static func members(_ event: String, id: String, topic: String, time: Int64) -> [String: JSONValue] {
        ["id": .string(id), "time": .integer(time), "event": .string(event), "topic": .string(topic)]
    }
}

/// The forms in which topics are read.
package enum NtfyFormat: String, Sendable, CaseIterable {
    /// A JSON object a line.
    case json
    /// Server-sent events; messages have no name, so that `onmessage` gets them.
    case sse
    /// The text of a message a line; an empty line for other events.
    case raw

    /// The type of the answer.
    package var contentType: String {
        switch self {
        case .json: "application/x-ndjson; charset=utf-8"
        case .sse: "text/event-stream; charset=utf-8"
        case .raw: "text/plain; charset=utf-8"
        }
    }

    /// An event as this form has it.
    package func text(of event: JSONValue) -> [UInt8] {
        guard case .object(let members) = event else { return [] }
        let isMessage = members["event"] == .string("message")
        switch self {
        case .json: return Array(event.json) + [0x0A]
        case .sse:
            var bytes: [UInt8] = []
            if !isMessage, case .string(let name)? = members["event"] { bytes += Array("event: \(name)\n".utf8) }
            return bytes + Array("data: ".utf8) + Array(event.json) + [0x0A, 0x0A]
        case .raw:
            guard isMessage, case .string(let text)? = members["message"] else { return [0x0A] }
            return text.utf8.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 } + [0x0A]
        }
    }
}
