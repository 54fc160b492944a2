import Storage

/// What the log says of an error that escaped a route.
///
/// The texts of the gateway's own errors are known to hold no bodies. Of any other error only its type is told, and of a
/// coding error its path: their texts may quote what was coded, and so a prompt or a note.
enum ErrorSummary {
    /// Names and indices of a path that are told at most, and the bytes of each.
    private static let (pathLimit, nameLimit) = (16, 64)

    static func text(of error: any Error) -> String {
        switch error {
        case let error as GatewayError: error.description
        case let error as StorageError: "StorageError \(error)"
        case let error as EncodingError: "EncodingError at \(path(of: error))"
        case let error as DecodingError: "DecodingError at \(path(of: error))"
        default: String(reflecting: type(of: error))
        }
    }

    private static func path(of error: EncodingError) -> String {
        switch error {
        case .invalidValue(_, let context): path(context.codingPath)
        @unknown default: "an unknown place"
        }
    }

    private static func path(of error: DecodingError) -> String {
        switch error {
        case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
            .valueNotFound(_, let context):
            path(context.codingPath)
        @unknown default: "an unknown place"
        }
    }

    /// Whether a name looks like one of an API: others may be a client's own words.
    private static func isPlain(_ name: String) -> Bool {
        name.utf8.count <= nameLimit
            && name.utf8.allSatisfy { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == UInt8(ascii: "_") }
    }

    private static func path(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "the top" }
        let names = path.prefix(pathLimit).map { key in
            key.intValue.map { "[\($0)]" } ?? (isPlain(key.stringValue) ? key.stringValue : "…")
        }
        return names.joined(separator: ".") + (path.count > pathLimit ? ".… (\(path.count) levels)" : "")
    }
}
