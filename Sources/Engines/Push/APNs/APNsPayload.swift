import Delivery
import GatewayAPI
import Schedules

/// The JSON that APNs carries to a device.
///
/// `aps` holds what the system reads. The message's own data are beside it. `selene` has the delivery's id, which the app
/// acknowledges, and what the app shows itself: url, image, tags and actions.
enum APNsPayload {
    /// Returns the payload of a message.
    ///
    /// - Parameter id: The delivery's id.
    /// - Throws: ``PushFieldError`` when the message lacks what the type needs.
    static func value(
        of message: PushMessage, type: APNsPushType, id: String
    ) throws(PushFieldError) -> JSONValue {
        var members = message.data
        switch type {
        case .alert:
            members["aps"] = .object(alert(message))
            members["selene"] = .object(own(message, id: id))
            // Where Pulpit's extension looks for it.
            if let image = message.image, members["image"] == nil { members["image"] = .string(image) }
        case .background:
            members["aps"] = .object(["content-available": .integer(1)])
            members["selene"] = .object(["id": .string(id)])
        case .liveActivity: members = ["aps": .object(try activity(message))]
        case .widgets, .controls: members = ["aps": .object(["content-changed": .bool(true)])]
        case .location: members = ["aps": .object([:])]
        case .voip, .complication, .fileProvider, .pushToTalk: members["aps"] = .object([:])
        }
        return .object(members)
    }

    private static func alert(_ message: PushMessage) -> [String: JSONValue] {
        var aps: [String: JSONValue] = [:]
        let words = words(message)
        if !words.isEmpty { aps["alert"] = .object(words) }
        aps["sound"] = message.sound.map(sound)
        aps["badge"] = message.badge.map(JSONValue.integer)
        aps["thread-id"] = message.thread.map(JSONValue.string)
        aps["category"] = message.category.map(JSONValue.string)
        aps["interruption-level"] = interruption(message).map { .string($0.rawValue) }
        // The app's extension fetches the picture and makes the buttons before the notification is shown.
        if message.image != nil || !message.actions.isEmpty { aps["mutable-content"] = .integer(1) }
        return aps
    }

    private static func words(_ message: PushMessage) -> [String: JSONValue] {
        var words: [String: JSONValue] = [:]
        words["title"] = message.title.map(JSONValue.string)
        words["subtitle"] = message.subtitle.map(JSONValue.string)
        words["body"] = message.body.map(JSONValue.string)
        return words
    }

    private static func sound(_ sound: PushSound) -> JSONValue {
        guard sound.isCritical else { return .string(sound.name) }
        return .object(["critical": .integer(1), "name": .string(sound.name), "volume": .number(sound.volume)])
    }

    /// The sender's wish; else a minimum stays silent and an emergency passes a focus.
    private static func interruption(_ message: PushMessage) -> PushMessage.Interruption? {
        if let interruption = message.interruption { return interruption }
        switch message.priority {
        case .minimum: return .passive
        case .emergency: return .timeSensitive
        case .low, .normal, .high: return nil
        }
    }

    private static func own(_ message: PushMessage, id: String) -> [String: JSONValue] {
        var own: [String: JSONValue] = ["id": .string(id)]
        own["url"] = message.url.map(JSONValue.string)
        own["image"] = message.image.map(JSONValue.string)
        if !message.tags.isEmpty { own["tags"] = .array(message.tags.map(JSONValue.string)) }
        if !message.actions.isEmpty { own["actions"] = .array(message.actions.map(\.json)) }
        return own
    }

    private static func activity(_ message: PushMessage) throws(PushFieldError) -> [String: JSONValue] {
        guard let change = message.activity else {
            throw PushFieldError("activity", "is required for a push of type \"liveactivity\"")
        }
        var aps: [String: JSONValue] = [
            "timestamp": .integer(change.time.seconds), "event": .string(change.event.rawValue),
            "content-state": .object(change.state),
        ]
        aps["stale-date"] = change.stale.map { .integer($0.seconds) }
        aps["dismissal-date"] = change.dismissal.map { .integer($0.seconds) }
        aps["relevance-score"] = change.relevance.map(JSONValue.number)
        if message.isVisible {
            var words = words(message)
            words["subtitle"] = nil
            words["sound"] = message.sound.map { .string($0.name) }
            aps["alert"] = .object(words)
        }
        guard change.event == .start else { return aps }
        guard message.isVisible else {
            throw PushFieldError("title", "is required: the start of a Live Activity has to show an alert")
        }
        aps["attributes-type"] = change.attributesType.map(JSONValue.string)
        aps["attributes"] = .object(change.attributes)
        switch change.updates {
        case .token: aps["input-push-token"] = .integer(1)
        case .channel(let id): aps["input-push-channel"] = .string(id)
        case nil: break
        }
        return aps
    }
}
