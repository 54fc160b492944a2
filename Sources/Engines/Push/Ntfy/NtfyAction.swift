import GatewayAPI

/// An action of ntfy, as both of its forms give it.
struct NtfyAction {
    /// The actions of a message.
    struct List: Sendable, Hashable {
        /// Those that are buttons of ours.
        var buttons: [PushAction] = []
        /// Those of kinds that only some of ntfy's apps know, such as `broadcast` and `copy`, as they came: readers of ntfy get
        /// them, other devices do not show them.
        var others: [JSONValue] = []
        /// How many were left out of ``others``, since they are too long.
        var leftOut = 0

        fileprivate mutating func add(_ action: NtfyAction, at index: Int) throws(PushFieldError) {
            if let button = try action.pushAction(index) { return buttons.append(button) }
            var members = action.members
            if members["id"] == nil { members["id"] = .string(String(index + 1)) }
            let value = JSONValue.object(members)
            let bytes = others.reduce(value.json.count) { $0 + $1.json.count }
            if bytes <= NtfyAction.maxOthers { others.append(value) } else { leftOut += 1 }
        }
    }

    /// Bytes of all ``List/others`` as JSON.
    private static let maxOthers = 1024
    /// Actions of one request at most, with those of other kinds.
    static let maxCount = 16

    private var members: [String: JSONValue] = [:]
    private let field: String

    /// Reads the header `Actions`: a JSON array, or the short form.
    static func read(_ text: String) throws(PushFieldError) -> List {
        guard text.first == "[" else {
            var list = List()
            let actions = try NtfyActionText.split(text)
            try checkCount(actions.count)
            for (index, parts) in actions.enumerated() {
                try list.add(NtfyAction(parts, "actions[\(index)]"), at: index)
            }
            return list
        }
        guard let document = try? JSONDocument(parsing: Array(text.utf8), limits: JSONLimits(depth: 8, values: 512)),
            let value = document.value
        else { throw PushFieldError("actions", "is not valid JSON") }
        return try read(value)
    }

    /// Reads the member `actions` of a JSON request: an array, or a text in either form.
    static func read(_ value: JSONValue) throws(PushFieldError) -> List {
        if case .string(let text) = value { return try read(text) }
        guard case .array(let elements) = value else { throw PushFieldError("actions", "expected an array") }
        try checkCount(elements.count)
        var list = List()
        for (index, element) in elements.enumerated() {
            guard case .object(let members) = element else {
                throw PushFieldError("actions[\(index)]", "expected an object")
            }
            try list.add(NtfyAction(members: members, field: "actions[\(index)]"), at: index)
        }
        return list
    }

    private static func checkCount(_ count: Int) throws(PushFieldError) {
        guard count <= maxCount else {
            throw PushFieldError("actions", "expected at most \(maxCount) entries, got \(count)")
        }
    }

    private init(members: [String: JSONValue], field: String) {
        self.members = members
        self.field = field
    }

    private init(_ parts: [NtfyActionText.Part], _ field: String) throws(PushFieldError) {
        self.field = field
        var places = ["action", "label", "url"][...]
        var maps: [String: [String: JSONValue]] = [:]
        for part in parts {
            let key: String
            if let name = part.key {
                key = name.lowercased()
                places.removeAll { $0 == key }
            } else {
                guard let place = places.popFirst() else {
                    throw PushFieldError(field, "\"\(part.value.prefix(40))\" has no key; write key=value")
                }
                // What `copy` copies stands in the place of the address.
                key = place == "url" && members["action"] == .string("copy") ? "value" : place
            }
            if let map = ["headers", "extras"].first(where: { key.hasPrefix($0 + ".") }) {
                maps[map, default: [:]][String((part.key ?? "").dropFirst(map.utf8.count + 1))] = .string(part.value)
            } else {
                guard members[key] == nil else { throw PushFieldError("\(field).\(key.prefix(40))", "is given twice") }
                members[key] = .string(part.value)
            }
        }
        for (name, map) in maps { members[name] = .object(map) }
    }

    /// The action as a button of ours; nil for a kind that only some of ntfy's apps know.
    private func pushAction(_ index: Int) throws(PushFieldError) -> PushAction? {
        var reader = try FieldReader(.object(members), field: field)
        guard let kind = try reader.text("action")?.lowercased(), !kind.isEmpty else {
            throw PushFieldError(field + ".action", "is required, such as \"view\" or \"http\"")
        }
        guard kind == "view" || kind == "http" else { return nil }
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
