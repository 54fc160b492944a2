/// The words around a call in the template of a model.
struct CallTag: Sendable {
    /// The word before the call.
    let opening: [UInt8]
    /// Whether the call may be written as its name and then its arguments: `[TOOL_CALLS]name[ARGS]{…}`.
    var takesBareName = false
    /// Whether `;` stands between two calls.
    var takesSemicolon = false

    private init(_ opening: String, takesBareName: Bool = false, takesSemicolon: Bool = false) {
        self.opening = Array(opening.utf8)
        self.takesBareName = takesBareName
        self.takesSemicolon = takesSemicolon
    }

    /// The tags of Hermes and Qwen, Mistral, Llama, and others that follow them. None begins within another one.
    static let all = [
        CallTag("<tool_call>"), CallTag("<tool_calls>"), CallTag("<function_call>"), CallTag("<|tool_call|>"),
        CallTag("[TOOL_CALLS]", takesBareName: true), CallTag("<|python_tag|>", takesSemicolon: true),
    ]
    /// The words that may follow a call and belong to it.
    static let closings: [[UInt8]] = [
        "</tool_call>", "</tool_calls>", "</function_call>", "<|/tool_call|>", "<|eom_id|>", "<|eot_id|>",
    ].map { Array($0.utf8) }
}
