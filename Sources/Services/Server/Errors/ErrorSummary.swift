/// Describes errors that escape a route, for the log.
///
/// The texts of the gateway's own errors never quote bodies. For any other error the log has only its type, and for a
/// coding error its path. Their texts may quote the coded value, and so a prompt or a note.
enum ErrorSummary {
    /// The largest number of names and indices in a path, and the largest size of each in bytes.
    private static let (pathLimit, nameLimit) = (16, 64)

    static func text(of error: any Error) -> String {
        switch error {
        case let error as GatewayError: error.description
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

    /// Whether a name looks like one of an API. Other names may be a client's own words.
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
