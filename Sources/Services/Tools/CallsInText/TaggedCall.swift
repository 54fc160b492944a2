import GatewayAPI

/// Reads the text after a tag: calls as JSON, or a name and its arguments.
struct TaggedCall {
    /// The largest size of a bare name and its marks, in bytes.
    private static let headLimit = 160

    let tag: CallTag
    private var head: [UInt8] = []
    private var shape: CallShape?

    init(_ tag: CallTag) { self.tag = tag }

    /// Takes a byte.
    mutating func read(_ byte: UInt8) -> CandidateVerdict {
        if shape == nil {
            if head.isEmpty, JSONSpace.contains(byte) { return .more }
            if head.isEmpty, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                shape = CallShape(toolNames: nil)
            } else if byte == UInt8(ascii: "{") {
                shape = CallShape(.arguments, toolNames: nil)
            } else {
                head.append(byte)
                let isName = tag.takesBareName && head.count <= Self.headLimit && byte > 0x20 && byte < 0x7F
                return isName ? .more : .impossible
            }
        }
        switch shape?.read(byte) {
        case .complete: return calls().map(CandidateVerdict.complete) ?? .impossible
        case .more: return .more
        case .impossible, nil: return .impossible
        }
    }

    private func calls() -> [ToolCall]? {
        guard let json = shape?.bytes else { return nil }
        guard !head.isEmpty else { return CallJSON.calls(json, toolNames: nil) }
        let parts = String(decoding: head, as: UTF8.self)
            .split(separator: "[", maxSplits: 8, omittingEmptySubsequences: false)
        guard let name = parts.first, !name.isEmpty,
            let arguments = try? JSONDocument(parsing: json, limits: JSONLimits(depth: CallShape.depthLimit)).value
        else { return nil }
        var id = ""
        for part in parts.dropFirst() where part != "ARGS]" {
            guard part.hasPrefix("CALL_ID]") else { return nil }
            id = String(part.dropFirst("CALL_ID]".count))
        }
        return [ToolCall(id: id, name: String(name), arguments: .value(arguments))]
    }
}
