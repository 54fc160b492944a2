import GatewayAPI

/// The error for unusable arguments, with the reason as text for the model.
struct UnreadableArguments: Error {
    let text: String
}

/// Parses arguments that arrived as JSON text.
enum ArgumentText {
    private static let limits = JSONLimits(depth: 32, values: 16_384)

    /// Parses a text. Blank text counts as an empty object; JSON inside a JSON string is unwrapped once.
    static func value(of text: String, maxBytes: Int) throws(UnreadableArguments) -> JSONValue {
        let value = try parsed(text, maxBytes: maxBytes)
        guard case .string(let inner) = value else { return value }
        return try parsed(inner, maxBytes: maxBytes)
    }

    private static func parsed(_ text: String, maxBytes: Int) throws(UnreadableArguments) -> JSONValue {
        guard text.utf8.count <= maxBytes else {
            throw UnreadableArguments(text: Remark.tooLong(limit: maxBytes))
        }
        guard text.utf8.contains(where: { !JSONSpace.contains($0) }) else { return .object([:]) }
        let document: JSONDocument
        do throws(JSONRefusal) {
            document = try JSONDocument(parsing: Array(text.utf8), limits: limits)
        } catch {
            throw UnreadableArguments(text: reason(error, text))
        }
        guard let value = document.value else {
            throw UnreadableArguments(text: "A string or a number in the arguments cannot be read. Send valid JSON.")
        }
        return value
    }

    private static func reason(_ refusal: JSONRefusal, _ text: String) -> String {
        switch refusal {
        case .malformed(let place):
            let rest = String(decoding: text.utf8.dropFirst(place).prefix(Excerpt.limit), as: UTF8.self)
            return rest.isEmpty
                ? "The arguments are not valid JSON: the text ends too early. Send one complete JSON object."
                : "The arguments are not valid JSON at byte \(place), before `\(Excerpt.of(rest))`. "
                    + "Send one JSON object."
        case .tooDeep(let limit): return "The arguments are nested more than \(limit) levels deep. Send flatter ones."
        case .tooManyValues(let limit): return "The arguments have more than \(limit) values. Send fewer."
        }
    }
}

/// The white space of JSON.
enum JSONSpace {
    static func contains(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}
