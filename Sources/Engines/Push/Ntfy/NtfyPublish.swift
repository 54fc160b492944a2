import GatewayAPI
package import Schedules

/// A publish request of ntfy (docs.ntfy.sh/publish), as a message of ours.
///
/// What only ntfy's Android app shows (`icon`, `markdown`, attachments) is in ``PushMessage/data`` under `ntfy`; a picture
/// becomes ``PushMessage/image``. `cache`, `firebase` and unknown parameters are ignored, as ntfy ignores them.
package struct NtfyPublish: Sendable, Hashable {
    package let topic: String
    /// The message, checked.
    package let message: PushMessage
    /// When to send it; nil for now.
    package let notBefore: Instant?

    /// Reads `POST /TOPIC`, also `PUT`. `GET /TOPIC/publish` is not taken: any web page can make a browser send it.
    ///
    /// - Parameters:
    ///   - topic: From the path, decoded.
    ///   - headers: The header fields in their order.
    ///   - query: The parts of the query, decoded.
    ///   - body: The text; empty when the text is a parameter.
    ///   - zone: The zone of times of day in `delay`.
    /// - Throws: ``PushFieldError`` with ntfy's name of the field.
    package init(
        topic: String, headers: [(name: String, value: String)], query: [(name: String, value: String)], body: [UInt8],
        now: Instant, zone: ZoneRules
    ) throws(PushFieldError) {
        let parameters = NtfyParameters(headers: headers, query: query)
        for name in [NtfyParameters.Name.email, .call, .template, .unifiedPush] where parameters.value(name) != nil {
            throw PushFieldError(name.rawValue, "is not supported")
        }
        var fields = NtfyFields(topic: topic)
        if let text = parameters.value(.message) {
            guard body.isEmpty else {
                throw PushFieldError("message", "excludes a body; attached files are not supported")
            }
            // A header field has no line ends; ntfy reads \n as one.
            fields.message = text.replacing("\\n", with: "\n")
        } else {
            guard let text = String(validating: body, as: UTF8.self) else {
                throw PushFieldError("message", "expected a body in UTF-8; attached files are not supported")
            }
            fields.message = text
        }
        fields.title = parameters.value(.title)
        if let text = parameters.value(.priority) { fields.priority = try NtfyFields.priority(text) }
        fields.tags = parameters.value(.tags).map(NtfyFields.tags) ?? []
        fields.delay = parameters.value(.delay)
        if let text = parameters.value(.actions) { fields.actions = try NtfyAction.read(text) }
        fields.click = parameters.value(.click)
        fields.attach = parameters.value(.attach)
        fields.filename = parameters.value(.filename)
        fields.icon = parameters.value(.icon)
        fields.isMarkdown = parameters.isMarkdown
        fields.sequenceID = parameters.value(.sequenceID)
        try self.init(fields, now: now, zone: zone)
    }

    /// Reads `POST /` with a JSON body.
    ///
    /// - Throws: ``PushFieldError`` with ntfy's name of the field; `body` for a text that is not JSON.
    package init(json: [UInt8], now: Instant, zone: ZoneRules) throws(PushFieldError) {
        guard let document = try? JSONDocument(parsing: json, limits: JSONLimits(depth: 16, values: 4096)),
            let value = document.value
        else { throw PushFieldError("body", "is not valid JSON") }
        var reader = try FieldReader(value)
        guard let topic = try reader.text("topic") else { throw PushFieldError("topic", "is required") }
        for name in ["email", "call", "template"] where try reader.filledText(name) != nil {
            throw PushFieldError(name, "is not supported")
        }
        var fields = NtfyFields(topic: topic)
        fields.message = try reader.text("message") ?? ""
        fields.title = try reader.filledText("title")
        if let number = try reader.integer("priority"), number != 0 {
            fields.priority = try NtfyFields.priority("\(number)")
        }
        for (index, tag) in (try reader.array("tags") ?? []).prefix(PushMessage.Limits.tags + 1).enumerated() {
            guard case .string(let text) = tag else { throw PushFieldError("tags[\(index)]", "expected a string") }
            fields.tags.append(text)
        }
        fields.delay = try reader.filledText("delay")
        if let value = reader.value("actions") { fields.actions = try NtfyAction.read(value) }
        fields.click = try reader.filledText("click")
        fields.attach = try reader.filledText("attach")
        fields.filename = try reader.filledText("filename")
        fields.icon = try reader.filledText("icon")
        fields.isMarkdown = try reader.flag("markdown") ?? false
        fields.sequenceID = try reader.filledText("sequence_id")
        try self.init(fields, now: now, zone: zone)
    }

    private init(_ fields: NtfyFields, now: Instant, zone: ZoneRules) throws(PushFieldError) {
        topic = try fields.checkedTopic()
        message = try fields.checkedMessage()
        if let text = fields.delay {
            notBefore = try NtfyDelay.instant(text, now: now, zone: zone)
        } else {
            notBefore = nil
        }
    }
}

extension FieldReader {
    /// A text that is not empty: programs send empty texts for fields that they do not use.
    fileprivate mutating func filledText(_ name: String) throws(PushFieldError) -> String? {
        let text = try text(name)
        return text?.isEmpty == true ? nil : text
    }
}
