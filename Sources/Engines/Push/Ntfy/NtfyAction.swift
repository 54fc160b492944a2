import GatewayAPI

/// An action of ntfy, as both of its forms give it.
struct NtfyAction {
    private var members: [String: JSONValue] = [:]
    private let field: String

    /// Reads the header `Actions`: a JSON array, or the short form.
    static func read(_ text: String) throws(PushFieldError) -> [PushAction] {
        guard text.first == "[" else {
            var actions: [PushAction] = []
            for (index, parts) in try NtfyActionText.split(text).enumerated() {
                actions.append(try NtfyAction(parts, "actions[\(index)]").pushAction(index))
            }
            return actions
        }
        guard let document = try? JSONDocument(parsing: Array(text.utf8), limits: JSONLimits(depth: 8, values: 512)),
            let value = document.value
        else { throw PushFieldError("actions", "is not valid JSON") }
        return try read(value)
    }

    /// Reads the member `actions` of a JSON request: an array, or a text in either form.
    static func read(_ value: JSONValue) throws(PushFieldError) -> [PushAction] {
        if case .string(let text) = value { return try read(text) }
        guard case .array(let elements) = value else { throw PushFieldError("actions", "expected an array") }
        var actions: [PushAction] = []
        for (index, element) in elements.prefix(PushMessage.Limits.actions + 1).enumerated() {
            guard case .object(let members) = element else {
                throw PushFieldError("actions[\(index)]", "expected an object")
            }
            actions.append(try NtfyAction(members: members, field: "actions[\(index)]").pushAction(index))
        }
        return actions
    }

    private init(members: [String: JSONValue], field: String) {
        self.members = members
        self.field = field
    }

    private init(_ parts: [NtfyActionText.Part], _ field: String) throws(PushFieldError) {
        self.field = field
        var places = ["action", "label", "url"][...]
        var headers: [String: JSONValue] = [:]
        for part in parts {
            let key: String
            if let name = part.key {
                key = name.lowercased()
                places.removeAll { $0 == key }
            } else {
                guard let place = places.popFirst() else {
                    throw PushFieldError(field, "\"\(part.value.prefix(40))\" has no key; write key=value")
                }
                key = place
            }
            if key.hasPrefix("headers.") {
                headers[String((part.key ?? "").dropFirst(8))] = .string(part.value)
            } else {
                guard members[key] == nil else { throw PushFieldError("\(field).\(key.prefix(40))", "is given twice") }
                members[key] = .string(part.value)
            }
        }
        if !headers.isEmpty { members["headers"] = .object(headers) }
    }

    private func pushAction(_ index: Int) throws(PushFieldError) -> PushAction {
        var reader = try FieldReader(.object(members), field: field)
        let kind = try reader.text("action") ?? ""
        guard kind == "view" || kind == "http" else {
            throw PushFieldError(
                field + ".action", "expected \"view\" or \"http\"; other actions exist on Android only")
        }
        guard let label = try reader.text("label") else { throw PushFieldError(field + ".label", "is required") }
        guard let url = try reader.text("url") else { throw PushFieldError(field + ".url", "is required") }
        let id = try reader.text("id") ?? String(index + 1)
        let clears = try flag(reader.value("clear"), field + ".clear")
        var effect = PushAction.Effect.open(url: url)
        if kind == "http" {
            var request = PushAction.Request(url: url, body: try reader.text("body"))
            if let text = try reader.text("method") {
                guard let method = PushAction.Request.Method(rawValue: text.uppercased()) else {
                    throw PushFieldError(field + ".method", "expected a method of HTTP, got \(text.prefix(20))")
                }
                request.method = method
            }
            for (name, value) in try reader.object("headers") ?? [:] {
                guard case .string(let text) = value else {
                    throw PushFieldError(field + ".headers.\(name.prefix(64))", "expected a string")
                }
                request.headers[name] = text
            }
            effect = .request(request)
        }
        try reader.finish()
        return PushAction(id: id, title: label, effect: effect, keeps: !clears)
    }

    private func flag(_ value: JSONValue?, _ field: String) throws(PushFieldError) -> Bool {
        switch value {
        case nil: return false
        case .bool(let flag): return flag
        case .string(let text) where ["true", "yes", "1"].contains(text.lowercased()): return true
        case .string(let text) where ["false", "no", "0"].contains(text.lowercased()): return false
        default: throw PushFieldError(field, "expected true or false")
        }
    }
}
