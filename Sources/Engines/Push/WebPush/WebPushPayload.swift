import Delivery
package import GatewayAPI

/// The JSON that a browser decrypts: a declarative push message.
///
/// Safari shows it without a service worker. Workers of other browsers read the same members. `data` has the delivery's
/// id, which the worker acknowledges, and the message's own data.
package enum WebPushPayload {
    /// Returns the JSON of a message.
    ///
    /// - Parameters:
    ///   - id: The delivery's id.
    ///   - home: The page of the web client. It opens when the message has no page of its own, with the ids of the
    ///     delivery and of the pressed action as a query.
    ///   - name: The title of a message that has none.
    /// - Throws: ``PushFieldError`` when there is nothing to show: browsers end subscriptions of silent senders.
    package static func value(
        of message: PushMessage, id: String, home: PushURL, name: String
    ) throws(PushFieldError) -> JSONValue {
        guard message.isVisible else { throw PushFieldError("title", "is required: Web Push has to show something") }
        var notification: [String: JSONValue] = [
            "title": .string(message.title ?? name), "tag": .string(message.collapseID ?? id),
            "navigate": .string(page(message.url) ?? link(home, id, nil)), "silent": .bool(message.sound == nil),
            "data": .object(own(message, id)),
        ]
        let lines = [message.subtitle, message.body].compactMap { $0 }.filter { !$0.isEmpty }
        if !lines.isEmpty { notification["body"] = .string(lines.joined(separator: "\n")) }
        // Browsers that show no large picture show it in place of the icon.
        for member in ["image", "icon"] { notification[member] = message.image.map(JSONValue.string) }
        if message.priority == .emergency { notification["requireInteraction"] = .bool(true) }
        if !message.actions.isEmpty {
            notification["actions"] = .array(
                message.actions.map { action in
                    var target: String?
                    if case .open(let url) = action.effect { target = page(url) }
                    return .object([
                        "action": .string(action.id), "title": .string(action.title),
                        "navigate": .string(target ?? link(home, id, action.id)),
                    ])
                })
        }
        var members: [String: JSONValue] = ["web_push": .integer(8030)]
        if let badge = message.badge {
            // The specification has a number beside the notification; Safari 18 reads a text within it.
            members["app_badge"] = .integer(badge)
            notification["app_badge"] = .string(String(badge))
        }
        members["notification"] = .object(notification)
        return .object(members)
    }

    /// A page that a browser can open; links into apps are left to the worker.
    private static func page(_ url: String?) -> String? {
        guard let url, url.lowercased().hasPrefix("https://") || url.lowercased().hasPrefix("http://") else {
            return nil
        }
        return url
    }

    private static func link(_ home: PushURL, _ id: String, _ action: String?) -> String {
        let base = home.description
        let query = "push=" + PercentText.encode(id) + (action.map { "&action=" + PercentText.encode($0) } ?? "")
        return base + (base.contains("?") ? "&" : "?") + query
    }

    private static func own(_ message: PushMessage, _ id: String) -> [String: JSONValue] {
        var own: [String: JSONValue] = ["id": .string(id)]
        own["url"] = message.url.map(JSONValue.string)
        if !message.tags.isEmpty { own["tags"] = .array(message.tags.map(JSONValue.string)) }
        if !message.actions.isEmpty { own["actions"] = .array(message.actions.map(\.json)) }
        if !message.data.isEmpty { own["data"] = .object(message.data) }
        return own
    }
}
