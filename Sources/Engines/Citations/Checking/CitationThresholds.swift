/// Where the classes of a citation meet, chosen on the odd sets of Tests/Engines/CitationsTests/Fixtures.
struct CitationThresholds {
    /// Coverage from which a sentence without differences is supported by a passage.
    var supported: Float = 0.55
    /// The same for several passages together.
    var joint: Float = 0.8
    /// The same for a passage that the sentence does not cite: enough to name it.
    var elsewhere: Float = 0.65
    /// The same for each clause of the sentence.
    var clause: Float = 0.5
    /// The share of nouns, names, numbers and predicates that a supported sentence may have beyond the passage.
    var missingNouns: Float = 0.3
    /// The share of the passage's clauses that a supported sentence may leave out.
    var unmentioned: Float = 0.4
    /// Coverage, without what differs, from which a difference is an alteration of the passage.
    var altered: Float = 0.5
    /// Coverage from which other words in the place of the passage's are an alteration.
    var wording: Float = 0.6
    /// What a similarity of 1 takes off ``supported``; what one of 0 adds to it.
    var similarity: Float = 0.1

    static let calibrated = CitationThresholds()
}
