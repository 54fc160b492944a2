import GatewayAPI
import Transport

/// The calls of a stream of `/chat/completions`, whose ids, names and arguments come in pieces.
struct JoinedCalls: Sendable {
    /// The most calls of an answer.
    private static let limit = 128
    /// The most bytes of arguments of an answer.
    private static let byteLimit = 4 << 20

    private struct Part {
        var index: Int?
        var id: String
        var name = ""
        var arguments = ""
    }
    private var parts: [Part] = []
    private var bytes = 0

    var isEmpty: Bool { parts.isEmpty }

    /// Adds an element of `tool_calls`.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/invalidResponse`` beyond the limits.
    mutating func add(_ delta: JSONValue) throws(UpstreamError) {
        let id = delta["id"]?.text ?? ""
        let place = place(index: delta["index"]?.count, id: id)
        if parts[place].id.isEmpty { parts[place].id = id }
        let function = delta["function"]
        if parts[place].name.isEmpty { parts[place].name = function?["name"]?.text ?? "" }
        let more: String =
            switch function?["arguments"] {
            case .string(let text)?: text
            case .object(let members)?: String(decoding: JSONValue.object(members).json, as: UTF8.self)
            default: ""
            }
        bytes += more.utf8.count
        parts[place].arguments += more
        guard parts.count <= Self.limit, bytes <= Self.byteLimit else {
            throw UpstreamError(.invalidResponse, "the model's calls are larger than expected")
        }
    }

    /// The calls in order.
    ///
    /// - Parameter isCut: Whether the answer reached a limit. Calls without complete arguments are then left out.
    func calls(isCut: Bool) -> [ChatCall] {
        parts.map { ChatCall(id: $0.id, name: $0.name, arguments: ChatCall.arguments($0.arguments)) }
            .filter { !isCut || $0.arguments.isObject }
    }

    /// Finds the call that a piece belongs to, or begins a new one.
    ///
    /// Some servers give every call the same index, others none: a new id is a new call too.
    private mutating func place(index: Int?, id: String) -> Int {
        let known =
            if let index {
                parts.lastIndex { $0.index == index && (id.isEmpty || $0.id.isEmpty || $0.id == id) }
            } else {
                id.isEmpty ? parts.indices.last : parts.lastIndex { $0.id == id }
            }
        if let known { return known }
        parts.append(Part(index: index, id: id))
        return parts.count - 1
    }
}
