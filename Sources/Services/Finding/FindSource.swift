package import GatewayAPI

/// The search of one kind, as the one over all kinds asks it.
package protocol FindSource: Sendable {
    var kind: FindKind { get }
    /// Whether it embeds the text; it can then be asked again for words only.
    var usesMeaning: Bool { get }
    /// Whether it reads many rows, which callers do within their shares.
    var scans: Bool { get }

    /// Finds candidates, best first. What the kind's own routes hide is not found. Filters may be left to the caller, which checks
    /// all of them by ``FindCandidate/labels``.
    ///
    /// - Parameter byMeaning: Whether the text may be embedded.
    /// - Throws: The errors of the kind's own search.
    func find(_ question: FindQuestion, byMeaning: Bool) async throws -> FindCandidates
}

/// What the search of a kind found.
package struct FindCandidates: Sendable {
    /// The most candidates of a kind. A list of all kinds ends behind them.
    package static let most = 100

    /// Best first.
    package var items: [FindCandidate]
    /// Further hits that the kind counted and left out, by group.
    package var others: [String: Int] = [:]
    /// Why only words were searched; nil when they were not.
    package var wordsOnly: String?
    /// Why it was not searched to the end; nil when it was.
    package var cut: String?

    package init(_ items: [FindCandidate] = [], wordsOnly: String? = nil) {
        (self.items, self.wordsOnly) = (items, wordsOnly)
    }
}
