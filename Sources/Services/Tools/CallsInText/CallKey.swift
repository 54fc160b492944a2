/// The JSON members of a call, with the spellings that models use.
enum CallKey {
    /// The name of the tool.
    case name
    /// An object with name and arguments, or the name itself.
    case function
    /// One call, or a list of calls.
    case calls
    /// The arguments, as an object or as JSON text.
    case arguments
    /// A word that marks the object as a call.
    case type
    /// Ids and positions, which are ignored.
    case other

    /// The key of a spelling; nil for an unknown one.
    init?(_ spelling: some Sequence<UInt8>) {
        switch String(decoding: Array(spelling), as: UTF8.self) {
        case "name", "tool", "tool_name": self = .name
        case "function": self = .function
        case "tool_call", "tool_calls", "function_call": self = .calls
        case "arguments", "parameters", "args", "input": self = .arguments
        case "type": self = .type
        case "id", "index", "call_id": self = .other
        default: return nil
        }
    }

    /// All spellings of all keys.
    static let spellings: [[UInt8]] = [
        "name", "tool", "tool_name", "function", "tool_call", "tool_calls", "function_call", "arguments", "parameters",
        "args", "input", "type", "id", "index", "call_id",
    ].map { Array($0.utf8) }
    /// The accepted values of ``type``.
    static let types: [[UInt8]] = ["function", "function_call", "tool_call", "tool_use"].map { Array($0.utf8) }
}
