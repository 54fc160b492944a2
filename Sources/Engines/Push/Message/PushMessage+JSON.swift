package import GatewayAPI
import Delivery
import Schedules

extension PushMessage {
    /// Reads and checks a message.
    ///
    /// - Throws: ``PushFieldError`` with the first field that is unknown, of the wrong type or against its rule.
    package init(_ value: JSONValue) throws(PushFieldError) {
        var reader = try FieldReader(value)
        title = try reader.text("title")
        subtitle = try reader.text("subtitle")
        body = try reader.text("body")
        if let value = reader.value("sound") { sound = try PushSound(value, field: "sound") }
        badge = try reader.integer("badge")
        image = try reader.text("image")
        if let text = try reader.text("image_data") { imageData = try Self.picture(text, field: "image_data") }
        thread = try reader.text("thread")
        category = try reader.text("category")
        interruption = try reader.choice("interruption", of: Interruption.self)
        if let text = try reader.text("priority") {
            guard let priority = DeliveryPriority.allCases.first(where: { "\($0)" == text }) else {
                let list = DeliveryPriority.allCases.map { "\"\($0)\"" }.joined(separator: ", ")
                throw PushFieldError("priority", "expected one of \(list)")
            }
            self.priority = priority
        }
        expires = try reader.integer("expires").map(Instant.init(seconds:))
        collapseID = try reader.text("collapse_id")
        url = try reader.text("url")
        for (index, value) in (try reader.array("tags") ?? []).prefix(Limits.tags + 1).enumerated() {
            guard case .string(let tag) = value else { throw PushFieldError("tags[\(index)]", "expected a string") }
            tags.append(tag)
        }
        for (index, value) in (try reader.array("actions") ?? []).prefix(Limits.actions + 1).enumerated() {
            actions.append(try PushAction(value, index: index))
        }
        data = try reader.object("data") ?? [:]
        activity = try reader.value("activity").map { value throws(PushFieldError) in try LiveActivityChange(value) }
        try reader.finish()
        try check()
    }

    /// Decodes a picture in base64.
    static func picture(_ text: String, field: String) throws(PushFieldError) -> [UInt8] {
        guard text.utf8.count <= (Limits.imageData + 2) / 3 * 4, let bytes = Base64Text.decode(text) else {
            throw PushFieldError(field, "expected a picture of at most \(Limits.imageData) bytes in base64")
        }
        return bytes
    }

    /// The message as ``init(_:)`` reads it.
    package var json: JSONValue {
        var members: [String: JSONValue] = [:]
        members["title"] = title.map(JSONValue.string)
        members["subtitle"] = subtitle.map(JSONValue.string)
        members["body"] = body.map(JSONValue.string)
        members["sound"] = sound?.json
        members["badge"] = badge.map(JSONValue.integer)
        members["image"] = image.map(JSONValue.string)
        members["image_data"] = imageData.map { .string(Base64Text.encode($0)) }
        members["thread"] = thread.map(JSONValue.string)
        members["category"] = category.map(JSONValue.string)
        members["interruption"] = interruption.map { .string($0.rawValue) }
        if priority != .normal { members["priority"] = .string("\(priority)") }
        members["expires"] = expires.map { .integer($0.seconds) }
        members["collapse_id"] = collapseID.map(JSONValue.string)
        members["url"] = url.map(JSONValue.string)
        if !tags.isEmpty { members["tags"] = .array(tags.map(JSONValue.string)) }
        if !actions.isEmpty { members["actions"] = .array(actions.map(\.json)) }
        if !data.isEmpty { members["data"] = .object(data) }
        members["activity"] = activity?.json
        return .object(members)
    }
}
