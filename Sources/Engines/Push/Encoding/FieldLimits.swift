import GatewayAPI

/// Checks of sizes that many fields share.
enum FieldLimits {
    /// A text of at most `limit` bytes without control characters other than tabs and line ends.
    static func check(
        _ text: String?, _ field: String, limit: Int, isOneLine: Bool = false
    ) throws(PushFieldError) {
        guard let text else { return }
        let size = text.utf8.count
        guard size <= limit else { throw PushFieldError(field, "expected at most \(limit) bytes, got \(size)") }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || !isOneLine && (9...13).contains($0) }) else {
            throw PushFieldError(field, "has a control character")
        }
    }

    /// A name that is not empty, of at most `limit` bytes and one line.
    static func name(_ text: String?, _ field: String, limit: Int) throws(PushFieldError) {
        try check(text, field, limit: limit, isOneLine: true)
        guard text?.isEmpty != true else { throw PushFieldError(field, "must not be empty") }
    }

    /// A number within a range.
    static func range<Number: Comparable>(
        _ number: Number?, _ field: String, _ range: ClosedRange<Number>
    ) throws(PushFieldError) {
        guard let number, !range.contains(number) else { return }
        throw PushFieldError(field, "expected \(range.lowerBound) to \(range.upperBound), got \(number)")
    }

    /// An object of at most `limit` bytes as JSON, with names that are not empty.
    static func object(_ members: [String: JSONValue], _ field: String, limit: Int) throws(PushFieldError) {
        let size = JSONValue.object(members).json.count
        guard size <= limit else { throw PushFieldError(field, "expected at most \(limit) bytes of JSON, got \(size)") }
        guard members[""] == nil else { throw PushFieldError(field, "has a member without a name") }
    }
}
