/// Names of models as Ollama compares them.
public enum ModelName {
    /// A name with its tag; one without means `:latest`.
    ///
    /// The tag follows the last slash; a registry's port stands before it.
    public static func full(_ name: String) -> String {
        let start = name.lastIndex(of: "/") ?? name.startIndex
        return name[start...].contains(":") ? name : name + ":latest"
    }
}
