/// Names of models as Ollama compares them.
public enum ModelName {
    /// A name with its tag; one without means `:latest`.
    ///
    /// The tag follows the last slash; a registry's port stands before it.
    public static func full(_ name: String) -> String {
        let start = name.lastIndex(of: "/") ?? name.startIndex
        return name[start...].contains(":") ? name : name + ":latest"
    }

    /// What names of the same model have in common: the case of letters does not count, nor do the registry and the
    /// namespace that go without saying. For comparing, not for sending.
    public static func canonical(_ name: String) -> String {
        var rest = full(name).lowercased()[...]
        for prefix in ["https://", "http://", "registry.ollama.ai/", "library/"] where rest.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
        }
        return String(rest)
    }
}
