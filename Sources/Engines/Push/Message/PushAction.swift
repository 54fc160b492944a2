import GatewayAPI

/// A button of a notification.
package struct PushAction: Sendable, Hashable {
    /// What a press does.
    package enum Effect: Sendable, Hashable {
        /// Opens a page or an app.
        case open(url: String)
        /// Sends a request without opening anything.
        case request(Request)
        /// Runs a shortcut on the device.
        case shortcut(name: String)
        /// Runs an action that the server knows by name.
        case server(name: String)
        /// Asks for a text, which the gateway gets.
        case reply
        /// Only acknowledges.
        case acknowledge
    }

    /// A request that the device or the gateway sends.
    package struct Request: Sendable, Hashable {
        /// The methods that a button may use.
        package enum Method: String, Sendable, CaseIterable {
            case get = "GET"
            case post = "POST"
            case put = "PUT"
            case patch = "PATCH"
            case delete = "DELETE"
            case head = "HEAD"
        }

        /// Where to.
        package var url: String
        /// How.
        package var method: Method
        /// Header fields by name.
        package var headers: [String: String]
        /// The body; nil for none.
        package var body: String?

        /// Creates a request without checking it.
        package init(url: String, method: Method = .post, headers: [String: String] = [:], body: String? = nil) {
            self.url = url
            self.method = method
            self.headers = headers
            self.body = body
        }
    }

    /// What the gateway learns when the button is pressed; unique in a message.
    package var id: String
    /// The text on the button.
    package var title: String
    /// What a press does.
    package var effect: Effect
    /// The input of a shortcut or of an action of the server.
    package var input: String?
    /// Whether the notification stays after a press.
    package var keeps: Bool
    /// Whether the gateway sends the request, or has the shortcut run by its automation device, instead of the device
    /// with the button.
    package var runsOnServer: Bool

    /// Creates an action without checking it.
    package init(
        id: String, title: String, effect: Effect, input: String? = nil, keeps: Bool = false, runsOnServer: Bool = false
    ) {
        self.id = id
        self.title = title
        self.effect = effect
        self.input = input
        self.keeps = keeps
        self.runsOnServer = runsOnServer
    }

    package enum Limits {
        /// Bytes of an id.
        package static let id = 64
        /// Bytes of a title.
        package static let title = 128
        /// Bytes of an input and of a request's body.
        package static let input = 2048
        /// The number of a request's header fields.
        package static let headers = 16
        /// Bytes of a header field's name and of its value.
        package static let header = 512
    }

    func check(_ field: String) throws(PushFieldError) {
        try FieldLimits.name(id, field + ".id", limit: Limits.id)
        try FieldLimits.name(title, field + ".title", limit: Limits.title)
        try FieldLimits.check(input, field + ".input", limit: Limits.input)
        switch effect {
        case .open(let url): try PushLink.check(url, field: field + ".url")
        case .request(let request): try request.check(field)
        case .shortcut(let name): try FieldLimits.name(name, field + ".shortcut", limit: PushMessage.Limits.name)
        case .server(let name): try FieldLimits.name(name, field + ".action", limit: PushMessage.Limits.name)
        case .reply, .acknowledge: break
        }
        switch effect {
        case .request, .shortcut: break
        default:
            guard !runsOnServer else {
                throw PushFieldError(field + ".on_server", "belongs to requests and shortcuts only")
            }
        }
    }
}

extension PushAction.Request {
    fileprivate func check(_ field: String) throws(PushFieldError) {
        _ = try PushURL(url, field: field + ".url")
        try FieldLimits.check(body, field + ".body", limit: PushAction.Limits.input)
        guard headers.count <= PushAction.Limits.headers else {
            throw PushFieldError(
                field + ".headers", "expected at most \(PushAction.Limits.headers) entries, got \(headers.count)")
        }
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            let path = field + ".headers.\(name.prefix(64))"
            guard Self.isToken(name), name.utf8.count <= PushAction.Limits.header else {
                throw PushFieldError(path, "is not the name of a header field")
            }
            try FieldLimits.check(value, path, limit: PushAction.Limits.header, isOneLine: true)
        }
    }

    /// Whether a text may be the name of a header field (RFC 9110, section 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte.isLetter || byte.isDigit
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }
}
