import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The key of a program that can send no bearer token: of a calendar program, or of a client of ntfy.
///
/// The calendar of tasks and ntfy's paths take `Authorization: Basic`: the key is the password, the user name is not read.
/// Readers of ntfy that can send no header, as pages in browsers, name the header's value in the query, as ntfy's own
/// pages do: `auth=` with the value in base64 of the URL alphabet. Logs of the gateway have no queries.
enum KeyPassword {
    /// The path of the calendar.
    static let calendar = "/api/tasks.ics"
    /// The last words of paths with which ntfy's clients read.
    private static let readers: Set<Substring> = ["json", "sse", "raw", "ws", "auth"]

    /// Whether a request is for the calendar, whose program asks the person for a password.
    static func isCalendar(_ head: HTTPRequest) -> Bool {
        (head.method == .get || head.method == .head) && path(of: head)?.elementsEqual(calendar) == true
    }

    /// Whether the key may be a password.
    static func counts(for head: HTTPRequest) -> Bool {
        if isCalendar(head) || isReader(head) { return true }
        guard head.method == .post || head.method == .put, let path = path(of: head) else { return false }
        let words = path.split(separator: "/")
        return words.count <= 1 || words.count == 2 && words[0] == "ntfy"
    }

    /// The key of a request whose header has none: that of the parameter `auth` of a reader of ntfy.
    static func parameter(of head: HTTPRequest) -> String? {
        guard isReader(head), let target = head.path, let mark = target.firstIndex(of: "?") else { return nil }
        for part in target[target.index(after: mark)...].split(separator: "&") where part.hasPrefix("auth=") {
            var text = String(part.dropFirst(5).utf8.prefix(4096)) ?? ""
            text = text.replacing("-", with: "+").replacing("_", with: "/").replacing("%3D", with: "")
            text = String(text.prefix { $0 != "=" })
            text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            guard let data = Data(base64Encoded: text), let header = String(data: data, encoding: .utf8) else {
                return nil
            }
            return AuthenticationMiddleware.token(of: header) ?? password(of: header)
        }
        return nil
    }

    /// The password of an `Authorization` header; nil for another scheme and for other text.
    static func password(of header: String) -> String? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", parts[1].utf8.count <= 4096,
            let data = Data(base64Encoded: String(parts[1].drop { $0 == " " })),
            let text = String(data: data, encoding: .utf8), let colon = text.firstIndex(of: ":")
        else { return nil }
        let password = String(text[text.index(after: colon)...])
        return password.isEmpty ? nil : password
    }

    private static func isReader(_ head: HTTPRequest) -> Bool {
        guard head.method == .get || head.method == .head, let words = path(of: head)?.split(separator: "/"),
            let last = words.last
        else { return false }
        return readers.contains(last) && (words.count == 2 || words.count == 3 && words[0] == "ntfy")
    }

    private static func path(of head: HTTPRequest) -> Substring? { head.path.map { $0.prefix { $0 != "?" } } }
}
