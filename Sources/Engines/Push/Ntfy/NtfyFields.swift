import Delivery
import GatewayAPI

/// The fields of a publish request, from whichever form they came.
struct NtfyFields {
    var topic: String
    var message = ""
    var title: String?
    var priority = 3
    var tags: [String] = []
    var delay: String?
    var actions = NtfyAction.List()
    var click: String?
    var attach: String?
    var filename: String?
    var icon: String?
    var isMarkdown = false
    var sequenceID: String?

    /// The names of a message's fields in ntfy.
    private static let names = ["body": "message", "url": "click", "image": "attach", "collapse_id": "sequence_id"]

    init(topic: String) { self.topic = topic }

    /// Reads 1 to 5, or a name.
    static func priority(_ text: String) throws(PushFieldError) -> Int {
        switch text.lowercased() {
        case "1", "min": return 1
        case "2", "low": return 2
        case "3", "default": return 3
        case "4", "high": return 4
        case "5", "max", "urgent": return 5
        // Browsers and proxies send a field of the same name with other values (RFC 9218).
        case let other where other.hasPrefix("u=") || other == "i": return 3
        default:
            throw PushFieldError("priority", "expected 1 to 5, min, low, default, high or max, got \(text.prefix(20))")
        }
    }

    /// Splits a list at commas.
    static func tags(_ text: String) -> [String] {
        text.split(separator: ",").map { trimmed(String($0)) }.filter { !$0.isEmpty }
    }

    /// A text without white space at its ends.
    static func trimmed(_ text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { String(start[...$0]) } ?? ""
    }

    /// The topic: 1 to 64 letters, digits, `-` and `_`.
    func checkedTopic() throws(PushFieldError) -> String {
        guard (1...64).contains(topic.utf8.count),
            topic.utf8.allSatisfy(\.isWordCharacter)
        else { throw PushFieldError("topic", "expected 1 to 64 letters, digits, \"-\" and \"_\"") }
        return topic
    }

    /// The message; an empty text becomes `triggered`, as in ntfy.
    func checkedMessage() throws(PushFieldError) -> PushMessage {
        var result = PushMessage()
        let text = Self.trimmed(message)
        result.body = text.isEmpty ? "triggered" : text
        result.title = title
        // Emoji stand before the title, or before the text when there is none, as ntfy's apps show them.
        if let emoji = NtfyEmoji.prefix(of: tags) {
            if let title {
                result.title = emoji + " " + title
            } else {
                result.body = emoji + " " + (result.body ?? "")
            }
        }
        // An emergency of ours repeats until someone acknowledges it, which a script for ntfy does not expect.
        result.priority = DeliveryPriority(rawValue: min(priority, 4)) ?? .normal
        if priority == 5 { result.interruption = .timeSensitive }
        if priority > 2 { result.sound = PushSound() }
        result.tags = tags
        result.actions = actions.buttons
        result.url = click
        result.thread = topic
        result.collapseID = sequenceID
        var extra: [String: JSONValue] = [:]
        if !actions.others.isEmpty { extra["actions"] = .array(actions.others) }
        if actions.leftOut > 0 { extra["actions_left_out"] = .integer(Int64(actions.leftOut)) }
        if let icon { extra["icon"] = .string(try PushURL(icon, field: "icon").description) }
        if isMarkdown { extra["markdown"] = .bool(true) }
        if let attach {
            let url = try PushURL(attach, field: "attach")
            let name =
                filename ?? url.description.split(separator: "?").first?.split(separator: "/").last.map(String.init)
                ?? ""
            try FieldLimits.check(name, "filename", limit: PushMessage.Limits.name, isOneLine: true)
            if Self.isPicture(name) { result.image = url.description }
            extra["attachment"] = .object(["url": .string(url.description), "name": .string(name)])
        } else if filename != nil {
            throw PushFieldError("filename", "needs \"attach\"; files in the body are not supported")
        }
        if !extra.isEmpty { result.data["ntfy"] = .object(extra) }
        do { try result.check() } catch {
            throw PushFieldError(Self.names[error.field] ?? error.field, error.reason)
        }
        return result
    }

    private static func isPicture(_ name: String) -> Bool {
        let ending = name.lowercased().split(separator: ".").last ?? ""
        return ["jpg", "jpeg", "png", "gif", "webp", "heic"].contains(ending)
    }
}
