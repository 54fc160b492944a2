/// Normalises model names as Ollama does.
package enum ModelName {
    /// The name with its tag; `:latest` if it has none.
    ///
    /// A colon before the last slash belongs to a registry's port.
    package static func full(_ name: String) -> String {
        let start = name.lastIndex(of: "/") ?? name.startIndex
        return name[start...].contains(":") ? name : name + ":latest"
    }

    /// The canonical form of a name: with tag, in lower case, without the default registry and namespace. Use it to
    /// compare names, not to send them.
    package static func canonical(_ name: String) -> String {
        var rest = full(name).lowercased()[...]
        for prefix in ["https://", "http://", "registry.ollama.ai/", "library/"] where rest.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        return String(rest)
    }
}
