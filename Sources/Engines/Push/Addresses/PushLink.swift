/// A URL that a tap on a notification opens: a page, or a link into an app such as `shortcuts://`.
enum PushLink {
    /// Schemes that run a script or read files in a browser.
    private static let refused: Set<String> = ["javascript", "data", "vbscript", "file", "blob", "about", "filesystem"]

    /// Checks a URL.
    ///
    /// - Parameter field: The path of the field, for the error.
    static func check(_ text: String, field: String) throws(PushFieldError) {
        guard text.utf8.count <= PushURL.limit else {
            throw PushFieldError(field, "expected at most \(PushURL.limit) bytes, got \(text.utf8.count)")
        }
        // Characters outside ASCII are kept: phones and browsers encode them.
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }) else {
            throw PushFieldError(field, "has a space or another character that a URL must encode with %")
        }
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard scheme.endIndex < text.utf8.endIndex, isScheme(scheme) else {
            throw PushFieldError(field, "expected a URL with a scheme, such as https://example.com")
        }
        let name = String(decoding: scheme, as: UTF8.self).lowercased()
        guard !refused.contains(name) else { throw PushFieldError(field, "the scheme \(name) is not allowed") }
    }

    /// A letter, then letters, digits, `+`, `-` and `.` (RFC 3986, section 3.1); at most 32 bytes.
    private static func isScheme(_ scheme: Substring.UTF8View) -> Bool {
        guard let first = scheme.first, scheme.count <= 32, first.isLetter else { return false }
        return scheme.allSatisfy { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    }
}
