/// A revision of the Model Context Protocol, named by its date.
package enum MCPRevision: String, Sendable, CaseIterable, Comparable {
    case november2024 = "2024-11-05"
    case march2025 = "2025-03-26"
    case june2025 = "2025-06-18"
    case november2025 = "2025-11-25"
    case july2026 = "2026-07-28"

    /// The newest revision that begins with `initialize`.
    package static let lastWithHandshake = MCPRevision.november2025
    /// The revision of a client that begins with `initialize` and names none later, as the protocol defines.
    package static let unnamed = MCPRevision.march2025

    /// All revisions, newest first, as errors and `server/discover` list them.
    static var supported: [String] { allCases.reversed().map(\.rawValue) }

    /// Whether every request describes itself in `_meta`. Older revisions begin with `initialize`.
    package var isStateless: Bool { self >= .july2026 }
    /// Whether results may have data beside the text, and links to resources.
    var hasStructuredContent: Bool { self >= .june2025 }

    /// The revision for a client that sends `initialize`: the requested one if the server has it, else the newest.
    static func negotiated(_ requested: String?) -> MCPRevision {
        requested.flatMap(MCPRevision.init).flatMap { $0.isStateless ? nil : $0 } ?? lastWithHandshake
    }

    package static func < (left: MCPRevision, right: MCPRevision) -> Bool { left.rawValue < right.rawValue }
}
