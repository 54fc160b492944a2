/// Where the links of a web page lead, as the page writes it. Its reader resolves them against the page's own address.
package struct DocumentLinks: Sendable, Hashable, Codable {
    /// The address that the page gives for its relative links (`base`), itself perhaps a relative one.
    package var base: String?
    /// In order of the page, each once, at most ``maxTargets`` of at most ``maxTargetBytes``.
    package var targets: [String]

    package static let maxTargets = 1000
    package static let maxTargetBytes = 2048

    package init(base: String? = nil, targets: [String] = []) {
        self.base = base
        self.targets = targets
    }
}
