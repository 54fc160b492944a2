package import GatewayAPI
package import Schedules

/// The body of Pulpit's `POST /api/v1/notifications`, as a message of ours.
///
/// Unknown members are refused, so that nothing that a sender says is left out without a word.
package struct PulpitNotification: Sendable, Hashable {
    /// The longest delay in seconds: 366 days.
    package static let longest: Int64 = 366 * 86_400
    /// The most devices that a request names.
    package static let devices = 100

    /// The message, checked.
    package let message: PushMessage
    /// The names of the devices; empty for all.
    package let devices: [String]
    /// When to send it; nil for now.
    package let notBefore: Instant?
    /// The sender's id, by which a repeated request is known.
    package let id: String?

    /// Reads a body.
    ///
    /// - Throws: ``PushFieldError`` with Pulpit's name of the field.
    package init(_ value: JSONValue, now: Instant) throws(PushFieldError) {
        var reader = try FieldReader(value)
        var message = PushMessage()
        message.title = try reader.text("title")
        message.body = try reader.text("text")
        message.sound = try reader.choice("sound", of: Sound.self).map {
            PushSound($0 == .system ? "default" : $0.rawValue)
        }
        message.image = try reader.text("image")
        message.interruption = try reader.flag("isTimeSensitive") == true ? .timeSensitive : nil
        message.thread = try reader.text("threadId")
        id = try reader.text("id")
        message.collapseID = id
        let input = try reader.text("input")
        message.url = try Self.defaultAction(&reader, input)
        for (index, value) in (try reader.array("actions") ?? []).prefix(PushMessage.Limits.actions + 1).enumerated() {
            message.actions.append(try PulpitAction.read(value, index: index, input: input))
        }
        if let input, message.actions.isEmpty { message.data["input"] = .string(input) }
        devices = try Self.devices(&reader)
        notBefore = try Self.start(&reader, now)
        if let text = try reader.text("imageData") {
            message.imageData = try PushMessage.picture(text, field: "imageData")
        }
        try reader.finish()
        guard message.isVisible else { throw PushFieldError("title", "is required, or \"text\"") }
        do { try message.check() } catch { throw PushFieldError(Self.name(of: error.field), error.reason) }
        self.message = message
    }

    /// The sounds of Pulpit's app.
    private enum Sound: String, CaseIterable {
        case system, vibrateOnly, subtle, question, jobDone, problem, loud, lasers
    }

    private static func defaultAction(_ reader: inout FieldReader, _ input: String?) throws(PushFieldError) -> String? {
        guard let value = reader.value("defaultAction") else { return nil }
        var action = try FieldReader(value, field: "defaultAction")
        let (url, shortcut) = (try action.text("url"), try action.text("shortcut"))
        let text = try action.text("input") ?? input
        try action.finish()
        if let url { return url }
        guard let name = shortcut else { throw PushFieldError("defaultAction.url", "is required, or \"shortcut\"") }
        return "shortcuts://run-shortcut?name=" + PercentText.encode(name)
            + (text.map { "&input=text&text=" + PercentText.encode($0) } ?? "")
    }

    private static func devices(_ reader: inout FieldReader) throws(PushFieldError) -> [String] {
        let values = try reader.array("devices") ?? []
        guard values.count <= devices else {
            throw PushFieldError("devices", "expected at most \(devices) entries, got \(values.count)")
        }
        var names: [String] = []
        for (index, value) in values.enumerated() {
            guard case .string(let name) = value else { throw PushFieldError("devices[\(index)]", "expected a string") }
            try FieldLimits.name(name, "devices[\(index)]", limit: PushMessage.Limits.name)
            if !names.contains(name) { names.append(name) }
        }
        return names
    }

    /// `delay` is in seconds from now, `scheduleTimestamp` in seconds since 1970; a time in the past means now.
    private static func start(_ reader: inout FieldReader, _ now: Instant) throws(PushFieldError) -> Instant? {
        let (delay, time) = (try reader.number("delay"), try reader.integer("scheduleTimestamp"))
        if let delay {
            guard time == nil else { throw PushFieldError("delay", "excludes \"scheduleTimestamp\"") }
            try FieldLimits.range(delay, "delay", 0...Double(longest))
            return delay == 0 ? nil : now.adding(milliseconds: Int64(delay * 1000))
        }
        guard let time else { return nil }
        let instant = Instant(seconds: time)
        guard instant <= now.adding(seconds: longest) else {
            throw PushFieldError("scheduleTimestamp", "expected seconds since 1970, at most \(longest) s from now")
        }
        return instant > now ? instant : nil
    }

    private static func name(of field: String) -> String {
        switch field {
        case "body": return "text"
        case "thread": return "threadId"
        case "collapse_id": return "id"
        case "url": return "defaultAction.url"
        case "data": return "input"
        case "image_data": return "imageData"
        default:
            return field.hasSuffix(".title") ? field.dropLast(6) + ".name" : field
        }
    }
}
