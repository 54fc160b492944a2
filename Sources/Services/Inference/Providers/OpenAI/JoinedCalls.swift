import GatewayAPI
import Transport

/// The calls of a stream of `/chat/completions`, whose ids, names and arguments come in pieces.
struct JoinedCalls: Sendable {
    /// The most calls of an answer.
    private static let limit = 128
    /// The most bytes of arguments of an answer.
    private static let byteLimit = 4 << 20

    /// Whether the pieces of calls are passed on.
    private let streams: Bool

    init(streams: Bool = false) { self.streams = streams }

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
    /// - Returns: The piece to pass on; nil for none.
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/invalidResponse`` beyond the limits, and for a piece of an
    ///   earlier call where pieces are passed on.
    mutating func add(_ delta: JSONPlace) throws(UpstreamError) -> ChatCallPiece? {
        let id = delta["id"]?.text ?? ""
        let place = place(index: delta["index"]?.count, id: id)
        if parts[place].id.isEmpty { parts[place].id = id }
        let function = delta["function"]
        if parts[place].name.isEmpty { parts[place].name = function?["name"]?.text ?? "" }
        let arguments = function?["arguments"]
        let more = arguments?.text ?? (arguments?.isObject == true ? arguments.map { JSONSource($0).text } : nil) ?? ""
        bytes += more.utf8.count
        parts[place].arguments += more
        guard parts.count <= Self.limit, bytes <= Self.byteLimit else {
            throw UpstreamError(.invalidResponse, "the model's calls are larger than expected")
        }
        guard streams else { return nil }
        guard place == parts.count - 1 else {
            throw UpstreamError(.invalidResponse, "the model writes several calls at the same time")
        }
        return ChatCallPiece(index: place, id: parts[place].id, name: parts[place].name, text: more)
    }

    /// The calls in order.
    ///
    /// - Parameter isCut: Whether the answer reached a limit. Calls without complete arguments are then left out.
    func calls(isCut: Bool) -> [ChatCall] {
        parts.map { ChatCall(id: $0.id, name: $0.name, written: $0.arguments) }
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
