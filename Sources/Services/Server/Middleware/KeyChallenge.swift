import HTTPTypes

/// The challenges of a 401: which ways to hand over a key the gateway names.
enum KeyChallenge {
    private static let bearer = "Bearer realm=\"selene\""
    private static let basic = "Basic realm=\"selene\", charset=\"UTF-8\""

    /// The fields for an answer.
    ///
    /// - Parameter error: The error of a bearer token (RFC 6750); nil for a request without one.
    static func fields(for head: HTTPRequest, error: String? = nil) -> HTTPFields {
        let isCalendar = (head.method == .get || head.method == .head) && head.path?.hasPrefix(calendar) == true
        var fields = HTTPFields()
        let token = bearer + (error.map { ", error=\"\($0)\"" } ?? "")
        for text in isCalendar ? [basic] : asksPerson(head) ? [token, basic] : [token] {
            fields.append(HTTPField(name: .wwwAuthenticate, value: text))
        }
        return fields
    }

    /// The path of the calendar of tasks.
    private static let calendar = "/api/tasks.ics"

    /// Whether the client asks a person for a password. A browser does so for every answer with that challenge, also for one
    /// that a page's script or picture gets, and some libraries fail in its presence. So it is sent only for what a person
    /// opened, and to a client that sent a password.
    private static func asksPerson(_ head: HTTPRequest) -> Bool {
        let fields = head.headerFields
        guard fields[.origin] == nil, fields[.selene] == nil else { return false }
        if let mode = fields[.secFetchMode] { return mode == "navigate" }
        if case .password = Credential(of: head) { return true }
        return fields[.accept]?.contains("text/html") == true
    }
}
