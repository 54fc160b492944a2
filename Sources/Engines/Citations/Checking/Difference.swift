/// What a sentence says otherwise than the passage that it cites, or beyond it.
package struct Difference: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Another number.
        case number
        /// The same number of something else.
        case unit
        /// Another day, weekday or month.
        case date
        /// Another name.
        case name
        /// A denial that the passage does not have, or the reverse.
        case negation
        /// The opposite, or another of things that exclude each other: directions, colours, relatives.
        case opposite
        /// Quoted words that the passage does not have.
        case quotation
        /// Numbers or names that the passage gives to others.
        case exchange
        /// Other words in the place of the passage's.
        case wording
        /// More than the passage says: all, always, proven.
        case sweeping
        /// A cause that the passage does not give.
        case cause
        /// A number or a name that has no counterpart in the passage.
        case addition
    }

    package var kind: Kind
    /// UTF-8 bytes of the answer; nil when the difference is in the whole sentence.
    package var claimed: Range<Int>?
    /// What the passage has instead: a number, a date, a name or an opposite. Nil for other kinds.
    package var found: CitationEvidence?

    /// Whether the sentence changes what the passage says, rather than adding to it.
    package var isAlteration: Bool {
        switch kind {
        case .sweeping, .cause, .addition: false
        default: true
        }
    }
}
