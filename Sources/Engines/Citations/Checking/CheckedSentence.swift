/// What a citation is worth.
package enum CitationVerdict: Sendable, Equatable {
    /// The cited passages say what the sentence says.
    case supported
    /// The cited passages do not say it, the passage with this number does.
    case misattributed(to: Int)
    /// The cited passages say nearly this, but something differs.
    case altered
    /// No passage is known to say it.
    case unsupported
    /// No passage has the cited number.
    case invented
    /// The sentence cites nothing. With the number of the passage that says it, if one does.
    case uncited(support: Int?)
}

/// A part of a passage: what a sentence was compared with, or what differs from it.
package struct CitationEvidence: Sendable, Equatable {
    /// The passage's number, from 1.
    package var passage: Int
    /// UTF-8 bytes of the passage; on borders of sentences in ``CheckedSentence/evidence``.
    package var range: Range<Int>
}

/// A sentence of an answer with the worth of its citations.
package struct CheckedSentence: Sendable, Equatable {
    /// A cited number.
    package struct Citation: Sendable, Equatable {
        /// UTF-8 bytes of the marker in the answer.
        package var marker: Range<Int>
        /// The cited number.
        package var number: Int
        /// The sentence's verdict; ``CitationVerdict/invented`` when no passage has the number.
        package var verdict: CitationVerdict
    }

    package var sentence: Sentence
    package var verdict: CitationVerdict
    /// Cited numbers in the order of the text.
    package var citations: [Citation]
    /// Where the support, or what comes nearest, stands: in each cited passage that has some, or in the passage that the
    /// verdict names. Empty when nothing fits.
    package var evidence: [CitationEvidence]
    /// How much of the sentence the evidence has, by the weight of its words, 0 to 1.
    package var score: Float
    /// Why the sentence is not supported by what it cites.
    package var differences: [Difference]
}
