/// Patterns of SQL's LIKE with a backslash as the escape.
package enum LikePattern {
    /// A text that matches only itself.
    package static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
    }
}
