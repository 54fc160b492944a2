import GatewayAPI

/// Reads the buttons of Pulpit.
enum PulpitAction {
    /// - Parameters:
    ///   - index: The number of the button from 0; its id is one more.
    ///   - input: The input of the notification, for a button without one.
    static func read(_ value: JSONValue, index: Int, input: String?) throws(PushFieldError) -> PushAction {
        let field = "actions[\(index)]"
        var reader = try FieldReader(value, field: field)
        guard let name = try reader.text("name") else { throw PushFieldError(field + ".name", "is required") }
        let (url, shortcut) = (try reader.text("url"), try reader.text("shortcut"))
        let runsOnServer = try reader.flag("runOnServer") ?? false
        let effect: PushAction.Effect
        if let options = reader.value("urlBackgroundOptions") {
            guard let url else { throw PushFieldError(field + ".url", "is required for \"urlBackgroundOptions\"") }
            effect = .request(try request(url, options, field + ".urlBackgroundOptions"))
        } else if let shortcut {
            guard url == nil else { throw PushFieldError(field + ".url", "excludes \"shortcut\"") }
            effect = .shortcut(name: shortcut)
        } else if let url {
            // A server opens no page: it requests the URL.
            effect = runsOnServer ? .request(.init(url: url, method: .get)) : .open(url: url)
        } else {
            effect = .acknowledge
        }
        let action = PushAction(
            id: String(index + 1), title: name, effect: effect, input: try reader.text("input") ?? input,
            keeps: try reader.flag("keepNotification") ?? false,
            runsOnServer: runsOnServer && effect != .acknowledge)
        try reader.finish()
        return action
    }

    private static func request(
        _ url: String, _ options: JSONValue, _ field: String
    ) throws(PushFieldError) -> PushAction.Request {
        var reader = try FieldReader(options, field: field)
        var request = PushAction.Request(url: url, method: .get)
        if let text = try reader.text("httpMethod") {
            guard let method = PushAction.Request.Method(rawValue: text.uppercased()) else {
                throw PushFieldError(field + ".httpMethod", "expected a method of HTTP, got \(text.prefix(20))")
            }
            request.method = method
        }
        if let type = try reader.text("httpContentType") { request.headers["Content-Type"] = type }
        request.body = try reader.text("httpBody")
        try reader.finish()
        return request
    }
}
