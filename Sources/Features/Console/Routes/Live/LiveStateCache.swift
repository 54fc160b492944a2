import GatewayAPI
import Server
import Storage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The latest state of each topic, shared by all readers of the console's events.
///
/// It holds one state for each topic and nothing for a reader, so its size does not depend on how slowly they read. A topic
/// is looked at when a reader asks and the last look is a second old; without readers it does nothing.
actor LiveStateCache {
    /// The shortest time between two looks at a topic.
    static let interval = Duration.seconds(1)
    /// The age from which a state is not sent: nobody read for a while, and a new look is under way.
    static let maxAge = Duration.seconds(3)

    /// A state that a reader lacks.
    struct Update: Sendable, Equatable {
        /// The topic's place.
        var topic: Int
        var revision: UInt64
        /// The name of the event.
        var event: String
        var data: Data
    }

    private struct State {
        var revision: UInt64 = 0
        var event = ""
        var look = LiveTopic.Look?.none
        var lookedAt: ContinuousClock.Instant?
        var isLooking = false
    }

    nonisolated let topics: [LiveTopic]
    private var states: [State]

    init(_ topics: [LiveTopic]) {
        self.topics = topics
        states = Array(repeating: State(), count: topics.count)
    }

    /// Returns what a reader lacks, and begins the looks that are due. Waits for none of them.
    ///
    /// - Parameters:
    ///   - wanted: The places of the topics that it reads.
    ///   - seen: The revision that it has of each topic; 0 for none.
    func updates(of wanted: [Int], after seen: [UInt64]) -> [Update] {
        let now = ContinuousClock.now
        return wanted.compactMap { topic in
            guard states.indices.contains(topic), seen.indices.contains(topic) else { return nil }
            let state = states[topic]
            if !state.isLooking, state.lookedAt.map({ now - $0 >= Self.interval }) ?? true { begin(topic) }
            guard let look = state.look, let lookedAt = state.lookedAt, now - lookedAt < Self.maxAge,
                state.revision != seen[topic]
            else { return nil }
            return Update(topic: topic, revision: state.revision, event: state.event, data: look.data)
        }
    }

    private func begin(_ place: Int) {
        states[place].isLooking = true
        let topic = topics[place]
        // A task of its own: the reader that asked may leave while others wait for the look.
        Task {
            do {
                end(place, topic.name, try await topic.look())
            } catch {
                let problem = LiveProblem(topic: topic.name, error: (error as? StorageError)?.message ?? "\(error)")
                let data = (try? JSONReply.data(problem)) ?? Data("{}".utf8)
                end(place, "unavailable", LiveTopic.Look(data: data, essence: data))
            }
        }
    }

    private func end(_ place: Int, _ event: String, _ look: LiveTopic.Look) {
        let isNew = states[place].look?.essence != look.essence || states[place].event != event
        if isNew {
            states[place].revision &+= 1
            states[place].event = event
            states[place].look = look
        }
        states[place].lookedAt = .now
        states[place].isLooking = false
    }
}
