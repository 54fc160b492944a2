import GatewayAPI

/// Parses calls from JSON in the forms that models write.
enum CallJSON {
    private static let limits = JSONLimits(depth: CallShape.depthLimit, values: 8192)

    /// The calls of a JSON text: one object, or an array of them.
    ///
    /// - Parameter toolNames: The known tools. Calls of other tools, or without arguments, count as examples. Nil
    ///   after a tag: every name counts, and arguments may be absent.
    /// - Returns: nil when the text contains anything else.
    static func calls(_ json: [UInt8], toolNames: [[UInt8]]?) -> [ToolCall]? {
        guard let value = try? JSONDocument(parsing: json, limits: limits).value,
            let calls = calls(in: value, isTagged: toolNames == nil), !calls.isEmpty
        else { return nil }
        guard let toolNames else { return calls }
        return calls.allSatisfy { toolNames.contains(Array($0.name.utf8)) } ? calls : nil
    }

    private static func calls(in value: JSONValue, isTagged: Bool, id: String = "") -> [ToolCall]? {
        switch value {
        case .array(let elements):
            var all: [ToolCall] = []
            for element in elements {
                guard let calls = calls(in: element, isTagged: isTagged) else { return nil }
                all += calls
            }
            return all
        case .object(let members): return calls(in: members, isTagged: isTagged, id: id)
        default: return nil
        }
    }

    private static func calls(in members: [String: JSONValue], isTagged: Bool, id: String) -> [ToolCall]? {
        var name: String?
        var arguments: JSONValue?
        var inner: JSONValue?
        var id = id
        if case .string(let own)? = members["id"] ?? members["call_id"] { id = own }
        // Sorted, because an object may have several members of one kind.
        for (spelling, value) in members.sorted(by: { $0.key < $1.key }) {
            switch (CallKey(spelling.utf8), value) {
            case (.name, .string(let text)), (.function, .string(let text)): name = name ?? text
            case (.function, .object), (.calls, .object), (.calls, .array): inner = inner ?? value
            case (.arguments, .object), (.arguments, .string), (.arguments, .null): arguments = arguments ?? value
            case (.type, .string(let text)) where CallKey.types.contains(Array(text.utf8)): break
            case (.other, _): break
            default: return nil
            }
        }
        if let inner { return calls(in: inner, isTagged: isTagged, id: id) }
        guard let name, arguments != nil || isTagged else { return nil }
        if case .string(let text)? = arguments { return [ToolCall(id: id, name: name, arguments: .text(text))] }
        return [ToolCall(id: id, name: name, arguments: .value(arguments ?? .object([:])))]
    }
}
