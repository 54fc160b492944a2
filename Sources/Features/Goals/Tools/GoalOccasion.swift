import GoalRoom
import Goals
import Synchronization
import Tools

/// Decides whether a conversation may need the tools about goals.
///
/// It needs them when the person keeps goals at all: a value, goal, term or action. Without any, only what tells of a deed, a plan
/// or a goal can need a tool.
final class GoalOccasion: Sendable {
    private let service: GoalService
    /// Whether goals were found once.
    private let isUsed = Atomic(false)

    init(_ service: GoalService) { self.service = service }

    func isGiven(in said: [String]) async -> Bool {
        if isUsed.load(ordering: .relaxed) { return true }
        let parser = UtteranceParser(today: service.today())
        if said.contains(where: parser.mayConcernGoals) { return true }
        // Without an answer of the database nothing may be lost.
        guard let found = try? await service.store.isUsed() else { return true }
        if found { isUsed.store(true, ordering: .relaxed) }
        return found
    }
}
