import GatewayAPI

/// What Ollama's `/api/show` says of a model that is not Ollama's.
package struct OllamaModelCard: Sendable {
    /// The word for where the model is from.
    package let family: String
    /// What the model can do, in Ollama's words.
    package var capabilities = ["completion"]
    /// The largest context in tokens; nil when unknown.
    package var contextTokens: Int?
    /// When it changed, in ISO 8601.
    package var modified = "1970-01-01T00:00:00Z"

    package init(family: String) { self.family = family }

    package var json: [UInt8] {
        JSONWriter.object { json in
            for name in ["modelfile", "parameters"] { json.member(name, "") }
            json.member("template", "{{ .Prompt }}")
            json.member(
                "details",
                object: {
                    for name in ["parent_model", "format"] { $0.member(name, "") }
                    $0.member("family", family)
                    $0.member("families", array: { $0.element(family) })
                    for name in ["parameter_size", "quantization_level"] { $0.member(name, "") }
                })
            json.member(
                "model_info",
                object: {
                    $0.member("general.architecture", family)
                    $0.member("\(family).context_length", contextTokens)
                })
            json.member("capabilities", array: { for word in capabilities { $0.element(word) } })
            json.member("modified_at", modified)
        }
    }
}
