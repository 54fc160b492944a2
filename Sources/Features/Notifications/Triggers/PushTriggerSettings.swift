package import GatewayAPI
package import PushRoom

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the gateway notifies of by itself.
package enum PushTriggerKind: String, Sendable, CaseIterable {
    /// A background job ended well.
    case jobDone
    /// A background job failed.
    case jobFailed
    /// Another program added a thread.
    case threadNew
    /// The answer of a chat is written.
    case answerReady
    /// The briefing of the day is made.
    case briefingReady
    /// Two notes were found to be alike that were not known to be.
    case nearPair
    /// A run over the notes proposes a new thread.
    case threadProposed
    /// A thread gets more notes than before.
    case threadHeating
    /// An upstream is unhealthy.
    case upstreamDown
    /// An upstream is healthy again.
    case upstreamBack
    /// A key has used most of its tokens of the day.
    case quotaNear
    /// A goal is due and nothing is logged for it.
    case goalDue

    /// Whether it notifies when nobody set it.
    var isOnAtFirst: Bool {
        switch self {
        case .jobFailed, .upstreamDown, .upstreamBack, .quotaNear, .goalDue: true
        case .jobDone, .threadNew, .answerReady, .briefingReady, .threadProposed, .threadHeating, .nearPair: false
        }
    }
}

/// The switches of triggers, as they are stored.
package enum PushTriggerSettings {
    private static let name = "triggers"

    /// All switches.
    package static func load(_ room: PushRoom) async throws -> PushTriggers {
        var all = PushTriggers(
            triggers: Dictionary(
                PushTriggerKind.allCases.map { ($0.rawValue, PushTrigger(enabled: $0.isOnAtFirst)) },
                uniquingKeysWith: { first, _ in first }))
        if let text = try await room.library.setting(name),
            let stored = try? JSONDocument(parsing: Array(text.utf8)).decode(PushTriggers.self)
        {
            for (name, trigger) in stored.triggers where all.triggers[name] != nil { all.triggers[name] = trigger }
        }
        return all
    }

    /// Stores all switches.
    package static func store(_ triggers: PushTriggers, _ room: PushRoom) async throws {
        let data = try JSONEncoder().encode(triggers)
        try await room.library.set(name, String(decoding: data, as: UTF8.self))
    }
}
