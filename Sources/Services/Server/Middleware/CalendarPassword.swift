import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The key of a calendar program, which can send no bearer token.
///
/// Only the calendar of tasks takes `Authorization: Basic`: the key is the password, the user name is not read. So no key
/// is in an address, where logs would keep it.
enum CalendarPassword {
    /// The path of the calendar.
    static let path = "/api/tasks.ics"

    /// Whether a request is for the calendar.
    static func counts(for head: HTTPRequest) -> Bool {
        guard head.method == .get || head.method == .head, let target = head.path else { return false }
        return target == path || target.hasPrefix(path + "?")
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
}
