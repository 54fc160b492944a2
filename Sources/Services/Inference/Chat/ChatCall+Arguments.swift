import GatewayAPI

extension ChatCall {
    /// Reads arguments that a provider sends as text: an object, or `.string` with the text when it is no object of
    /// JSON. An empty text means no arguments.
    static func arguments(_ text: String) -> JSONValue {
        guard text.utf8.contains(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return .object([:]) }
        guard let value = (try? JSONDocument(parsing: Array(text.utf8)))?.value, value.isObject else {
            return .string(text)
        }
        return value
    }

    /// The arguments as an object; empty when they are not one. Providers accept only objects.
    var argumentsObject: JSONValue { arguments.isObject ? arguments : .object([:]) }
}
