/// The members that the JSON of a call may have, in the spellings that models use.
enum CallKey {
    /// The name of the tool.
    case name
    /// An object with name and arguments, or the name itself.
    case function
    /// One call, or a list of calls.
    case calls
    /// An object, or JSON text.
    case arguments
    /// A word that says that the object is a call.
    case type
    /// Ids and places, which say nothing.
    case other

    /// The key with a spelling.
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

    /// Every spelling.
    static let spellings: [[UInt8]] = [
        "name", "tool", "tool_name", "function", "tool_call", "tool_calls", "function_call", "arguments", "parameters",
        "args", "input", "type", "id", "index", "call_id",
    ].map { Array($0.utf8) }
    /// The values of ``type``.
    static let types: [[UInt8]] = ["function", "function_call", "tool_call", "tool_use"].map { Array($0.utf8) }
}
