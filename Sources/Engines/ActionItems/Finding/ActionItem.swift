package import Goals

/// Something to do that a text says, with its place.
package struct ActionItem: Sendable, Hashable {
    /// What to do, at most ``maxTitleBytes``.
    package var title: String
    /// The day by which it is to be done.
    package var due: LocalDay?
    /// The sentence that says it, as UTF-8 bytes of the text.
    package var range: Range<Int>
    /// The sentence.
    package var source: String
    /// Whether it begins an open box of a list: `- [ ]`.
    package var isBox = false

    /// The longest title in bytes.
    package static let maxTitleBytes = 400
    /// The longest sentence that is read, in bytes.
    package static let maxSentenceBytes = 1000
    /// The most items of a text.
    package static let maxItems = 50
    /// What lies behind this many bytes of a text is not read.
    package static let maxTextBytes = 256 << 10
}
