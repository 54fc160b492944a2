import Text

/// Groups of texts, of each of which one must be there.
package struct GroupNeedles: Sendable {
    private let groups: [[FoldedNeedle]]

    package init(_ groups: [[String]]) {
        self.groups = groups.map { $0.map { FoldedNeedle(folded: TextFolding.folded($0)) } }
    }

    /// Whether some texts together have one of each group.
    package func areIn(_ texts: [String]) -> Bool {
        groups.allSatisfy { group in texts.contains { text in group.contains { $0.isIn(text) } } }
    }

    /// How many groups a text has.
    package func count(in text: String) -> Int { groups.count { group in group.contains { $0.isIn(text) } } }
}
