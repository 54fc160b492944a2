import GatewayAPI
import HTTPTypes
import Text

/// What happens to fields of a body that its route does not know.
package enum UnknownFields: Sendable {
    /// They are refused, so that nothing that a client sends is dropped in silence. For routes that create or change
    /// something.
    case refused
    /// They are ignored. For routes that only answer, in the form of other systems.
    case ignored

    /// The number of known names that an error lists.
    private static let listed = 30

    static func error(for unknown: UnknownMember, name: String) -> GatewayError {
        guard !unknown.isRepeated else {
            return GatewayError(.badRequest, .invalidField, "field \"\(name)\": is given more than once")
        }
        let last = unknown.path.last?.stringValue ?? name
        let near = NearestName.question(last, among: unknown.known).map { "; \($0)" } ?? ""
        let known = unknown.known.prefix(listed).joined(separator: ", ")
        let rest = unknown.known.count > listed ? ", …" : ""
        return GatewayError(
            .badRequest, .unknownField,
            "field \"\(name.prefix(200))\": is not known\(near.isEmpty ? ";" : near) "
                + (known.isEmpty ? "the object has no fields" : "known fields: \(known)\(rest)"))
    }
}

extension GatewayError.Code {
    /// A field of the body is not known to the route.
    package static let unknownField = GatewayError.Code(rawValue: "unknown_field")
}

/// Fields that clients of the original systems send and that the gateway does not read, by the type of the body. All
/// other unknown fields are refused.
package enum ToleratedFields {
    /// By the name of the wire type.
    package static let all: [String: Set<String>] = [
        // Selene's app saves a session as it read it: with the id of the path and what the gateway says about its summary.
        "SessionUpdate": ["id", "compressed_through", "compression_error"],
        // Pages of the web client that a browser kept send both names.
        "PinRequest": ["is_pinned"],
    ]

    static func of<Value>(_ type: Value.Type) -> Set<String> { all["\(type)"] ?? [] }
}
