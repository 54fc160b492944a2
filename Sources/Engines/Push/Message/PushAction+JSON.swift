import GatewayAPI

extension PushAction {
    /// The names of the effects in JSON.
    private enum Kind: String, CaseIterable {
        case open, request, shortcut, server, reply, acknowledge
    }

    /// Reads an action. `type` may be absent: a `shortcut` runs, an `action` runs on the server, any other `url` opens.
    /// Without an `id` the action gets its number, from 1.
    init(_ value: JSONValue, index: Int) throws(PushFieldError) {
        let field = "actions[\(index)]"
        var reader = try FieldReader(value, field: field)
        guard let title = try reader.text("title") else { throw PushFieldError(field + ".title", "is required") }
        let (url, shortcut, action) = (try reader.text("url"), try reader.text("shortcut"), try reader.text("action"))
        let kind =
            try reader.choice("type", of: Kind.self)
            ?? (shortcut != nil ? .shortcut : action != nil ? .server : url != nil ? .open : .acknowledge)
        let effect: Effect
        switch kind {
        case .open: effect = .open(url: try Self.require(url, field + ".url"))
        case .request:
            var request = Request(url: try Self.require(url, field + ".url"))
            request.method = try reader.choice("method", of: Request.Method.self) ?? .post
            request.body = try reader.text("body")
            for (name, value) in try reader.object("headers") ?? [:] {
                guard case .string(let text) = value else {
                    throw PushFieldError(field + ".headers.\(name.prefix(64))", "expected a string")
                }
                request.headers[name] = text
            }
            effect = .request(request)
        case .shortcut: effect = .shortcut(name: try Self.require(shortcut, field + ".shortcut"))
        case .server: effect = .server(name: try Self.require(action, field + ".action"))
        case .reply: effect = .reply
        case .acknowledge: effect = .acknowledge
        }
        // A field that the kind has no use for is a mistake of the sender.
        let extra = [
            ("url", url != nil && kind != .open && kind != .request),
            ("shortcut", shortcut != nil && kind != .shortcut),
            ("action", action != nil && kind != .server),
        ]
        if let (name, _) = extra.first(where: \.1) {
            throw PushFieldError("\(field).\(name)", "does not belong to an action of type \"\(kind.rawValue)\"")
        }
        self.init(
            id: try reader.text("id") ?? String(index + 1), title: title, effect: effect,
            input: try reader.text("input"), keeps: try reader.flag("keeps") ?? false,
            runsOnServer: try reader.flag("on_server") ?? false)
        try reader.finish()
    }

    private static func require(_ text: String?, _ field: String) throws(PushFieldError) -> String {
        guard let text else { throw PushFieldError(field, "is required") }
        return text
    }

    var json: JSONValue {
        var members: [String: JSONValue] = ["id": .string(id), "title": .string(title)]
        members["input"] = input.map(JSONValue.string)
        if keeps { members["keeps"] = .bool(true) }
        if runsOnServer { members["on_server"] = .bool(true) }
        let kind: Kind
        switch effect {
        case .open(let url):
            kind = .open
            members["url"] = .string(url)
        case .request(let request):
            kind = .request
            members["url"] = .string(request.url)
            members["method"] = .string(request.method.rawValue)
            members["body"] = request.body.map(JSONValue.string)
            if !request.headers.isEmpty { members["headers"] = .object(request.headers.mapValues(JSONValue.string)) }
        case .shortcut(let name):
            kind = .shortcut
            members["shortcut"] = .string(name)
        case .server(let name):
            kind = .server
            members["action"] = .string(name)
        case .reply: kind = .reply
        case .acknowledge: kind = .acknowledge
        }
        members["type"] = .string(kind.rawValue)
        return .object(members)
    }
}
