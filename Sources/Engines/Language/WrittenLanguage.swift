/// A language whose words the engines know.
package enum WrittenLanguage: String, Sendable, CaseIterable {
    /// English.
    case english = "en"
    /// German.
    case german = "de"
    /// French: only what cited sentences need.
    case french = "fr"
}
