/// A language whose words the engines know.
package enum WrittenLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    /// French: only what cited sentences need.
    case french = "fr"
}
