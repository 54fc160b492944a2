import ChatRoom
package import Finding
package import GatewayAPI
import Questions
package import Storage

/// Finds questions and answers of stored chat sessions by their words.
package struct ChatsFinder: FindSource {
    package let kind = FindKind.chats
    package let usesMeaning = false
    package let scans = true
    private let store: any GatewayStore

    package init(store: any GatewayStore) { self.store = store }

    package func find(_ question: FindQuestion, byMeaning: Bool) async throws -> FindCandidates {
        let query = question.operators
        // What a chat does not know finds none; then its messages need not be read.
        guard query.filters.allSatisfy({ $0.name == .title || $0.name == .in }) else { return FindCandidates() }
        let found = try await store.find(
            MessageSearch(
                groups: question.groups, excluded: query.excluded.map(\.text), since: question.since,
                until: question.until,
                titles: query.values(.title)))
        // Those that say most of the words themselves come first; among equals the newest.
        let ordered = found.items.enumerated().sorted {
            ($1.element.matches, $0.offset) < ($0.element.matches, $1.offset)
        }
        var candidates = FindCandidates(ordered.map { Self.candidate($0.element) })
        candidates.others = found.others
        candidates.cut = found.cutAfter.map { "only the newest \($0) messages were searched" }
        return candidates
    }

    private static func candidate(_ item: FoundMessages.Item) -> FindCandidate {
        var candidate = FindCandidate(id: item.session, title: item.title, text: item.message?.content ?? "")
        candidate.place.message = item.message.flatMap { $0.id > 0 ? $0.id : nil }
        candidate.createdAt = item.message?.createdAt
        candidate.group = item.session
        candidate.labels.places = [item.title]
        candidate.labels.time = item.message?.createdAt.flatMap(Timestamp.unixSeconds)
        return candidate
    }
}
