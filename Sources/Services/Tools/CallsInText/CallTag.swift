/// The words around a call in a model's template.
struct CallTag: Sendable {
    /// The word that starts the call.
    let opening: [UInt8]
    /// Whether a call may be a bare name followed by arguments: `[TOOL_CALLS]name[ARGS]{…}`.
    var takesBareName = false
    /// Whether `;` separates calls.
    var takesSemicolon = false

    private init(_ opening: String, takesBareName: Bool = false, takesSemicolon: Bool = false) {
        self.opening = Array(opening.utf8)
        self.takesBareName = takesBareName
        self.takesSemicolon = takesSemicolon
    }

    /// The tags of Hermes and Qwen, Mistral, Llama, and models derived from them. No tag begins inside another.
    static let all = [
        CallTag("<tool_call>"), CallTag("<tool_calls>"), CallTag("<function_call>"), CallTag("<|tool_call|>"),
        CallTag("[TOOL_CALLS]", takesBareName: true), CallTag("<|python_tag|>", takesSemicolon: true),
    ]
    /// The words that may end a call.
    static let closings: [[UInt8]] = [
        "</tool_call>", "</tool_calls>", "</function_call>", "<|/tool_call|>", "<|eom_id|>", "<|eot_id|>",
    ].map { Array($0.utf8) }
}
