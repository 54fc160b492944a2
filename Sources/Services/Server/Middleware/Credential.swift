package import Access
package import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The key of a request, by the place where the client put it. The one list of these places.
package enum Credential: Sendable, Hashable {
    /// A bearer token, or the header of Anthropic's clients.
    case token(String)
    /// The password of Basic; the user name is not read.
    case password(String)
    /// In front of the path, as ``RequestPath`` left it.
    case path(String)
    /// The signature of Ollama's client. Indirect, so that the usual cases stay as small as their text.
    indirect case signature(RequestSignature)

    /// Reads the credential of a request; nil without one, and for one of an unknown form.
    package init?(of head: HTTPRequest) {
        guard let header = head.headerFields[.authorization] else {
            if head.path?.hasPrefix("/v1/") == true {
                guard let key = head.headerFields[.apiKey] else { return nil }
                self = .token(key)
            } else {
                guard let value = NtfyParameter.authorization(of: head), let found = Self(header: value) else {
                    return nil
                }
                self = found
            }
            return
        }
        if let found = Self(header: header) {
            self = found
        } else if let path = head.path,
            let signature = RequestSignature(header, method: head.method.rawValue, target: path)
        {
            self = .signature(signature)
        } else {
            return nil
        }
    }

    /// Reads the value of an `Authorization` header with a scheme, which is case-insensitive.
    package init?(header: String) {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        // Bytes, because graphemes would cost more than the rest of the check.
        let bytes = header.utf8.drop(while: isSpace)
        guard let end = bytes.firstIndex(where: isSpace) else { return nil }
        let rest = bytes[end...].drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return nil }
        let text = Substring(rest[...last])
        func isScheme(_ name: String) -> Bool { bytes[..<end].elementsEqual(name.utf8, by: { $0 | 0x20 == $1 }) }
        if isScheme("bearer") {
            self = .token(String(text))
        } else if isScheme(RequestPath.scheme) {
            self = .path(String(text))
        } else {
            guard isScheme("basic"), let password = Self.password(text) else { return nil }
            self = .password(password)
        }
    }

    /// The password of Basic (RFC 7617); nil for an empty one and for other text.
    private static func password(_ text: Substring) -> String? {
        guard text.utf8.count <= 4096, let data = Data(base64Encoded: String(text)),
            let pair = String(data: data, encoding: .utf8), let colon = pair.firstIndex(of: ":")
        else { return nil }
        let password = String(pair[pair.index(after: colon)...])
        return password.isEmpty ? nil : password
    }

    /// Whether a session's cookie counts in its place: a reverse proxy in front of the gateway may have asked the browser for
    /// a password of its own.
    var yieldsToCookie: Bool {
        if case .password = self { true } else { false }
    }

    /// The bearer token, or the password, of a request.
    var text: String? {
        switch self {
        case .token(let text), .password(let text): text
        case .path, .signature: nil
        }
    }
}

/// The header that readers of ntfy which can send none, as pages in browsers, name in the query, as ntfy's own pages do:
/// `auth=` with its value in Base64 of the URL alphabet. Logs of the gateway have no queries.
enum NtfyParameter {
    /// The last words of paths with which ntfy's clients read.
    private static let readers: Set<Substring> = ["json", "sse", "raw", "ws", "auth"]

    /// The value of the parameter in a request of a reader; nil without one.
    static func authorization(of head: HTTPRequest) -> String? {
        guard isReader(head), let target = head.path, let mark = target.firstIndex(of: "?") else { return nil }
        for part in target[target.index(after: mark)...].split(separator: "&") where part.hasPrefix("auth=") {
            var text = String(part.dropFirst(5).utf8.prefix(4096)) ?? ""
            text = text.replacing("-", with: "+").replacing("_", with: "/").replacing("%3D", with: "")
            text = String(text.prefix { $0 != "=" })
            text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            return Data(base64Encoded: text).flatMap { String(data: $0, encoding: .utf8) }
        }
        return nil
    }

    private static func isReader(_ head: HTTPRequest) -> Bool {
        guard head.method == .get || head.method == .head,
            let words = head.path.map({ $0.prefix { $0 != "?" } })?.split(separator: "/"), let last = words.last
        else { return false }
        return readers.contains(last) && (words.count == 2 || words.count == 3 && words[0] == "ntfy")
    }
}
