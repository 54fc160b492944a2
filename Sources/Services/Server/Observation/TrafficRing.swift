import HTTPTypes
import Synchronization
package import Traffic

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The traffic of the last day, minute by minute: a ring of fixed size.
package final class TrafficRing: Sendable {
    /// The number of minutes.
    package static let minutes = TrafficMinute.kept

    private struct State {
        var slots: [TrafficMinute]
        /// The first minute that nobody has taken.
        var untaken: Int64 = 0

        /// The slot of a minute, emptied when it held an older one. Nil for a minute that is older than the slot's.
        mutating func slot(of minute: Int64) -> Int? {
            let place = Int(minute.magnitude % UInt64(TrafficRing.minutes))
            if slots[place].minute < minute { slots[place] = TrafficMinute(minute: minute) }
            return slots[place].minute == minute ? place : nil
        }
    }
    private let state = Mutex(State(slots: Array(repeating: TrafficMinute(minute: -1), count: TrafficRing.minutes)))

    /// Adds a finished request.
    ///
    /// - Parameter now: In milliseconds since 1970.
    func record(_ outcome: RequestOutcome, at now: Int64) {
        state.withLock { state in
            guard let place = state.slot(of: now / 60_000) else { return }
            state.slots[place].requests &+= 1
            if outcome.status >= 500 { state.slots[place].failed &+= 1 }
            if let queued = outcome.queued { state.slots[place].waits.add(queued.wholeMicroseconds) }
            guard outcome.isInference else { return }
            if let firstByte = outcome.firstByte, outcome.status < 400 {
                state.slots[place].firstTokens.add(firstByte.wholeMicroseconds)
            }
            state.slots[place].promptTokens &+= outcome.promptTokens ?? 0
            state.slots[place].generatedTokens &+= outcome.generatedTokens ?? 0
        }
    }

    /// Adds the tokens of an answer that outlives its request.
    func spent(prompt: Int, generated: Int, at now: Int64) {
        state.withLock { state in
            guard let place = state.slot(of: now / 60_000) else { return }
            state.slots[place].promptTokens &+= prompt
            state.slots[place].generatedTokens &+= generated
        }
    }

    /// Adds the time to the first token of an answer that outlives its request.
    func answered(after time: Duration, at now: Int64) {
        state.withLock { state in
            guard let place = state.slot(of: now / 60_000) else { return }
            state.slots[place].firstTokens.add(time.wholeMicroseconds)
        }
    }

    /// Notes the memory and the requests in flight.
    package func sample(residentBytes: Int, inFlight: Int, at now: Int64) {
        state.withLock { state in
            guard let place = state.slot(of: now / 60_000) else { return }
            state.slots[place].residentBytes = max(state.slots[place].residentBytes, residentBytes)
            state.slots[place].inFlight = max(state.slots[place].inFlight, inFlight)
        }
    }

    /// Adds stored minutes, for a start after another process.
    package func restore(_ minutes: [TrafficMinute]) {
        state.withLock { state in
            for minute in minutes {
                guard minute.minute >= 0, let place = state.slot(of: minute.minute) else { continue }
                state.slots[place].add(minute)
            }
        }
    }

    /// Returns the known minutes of a range, oldest first.
    package func minutes(in range: ClosedRange<Int64>) -> [TrafficMinute] {
        state.withLock { $0.slots }.filter { range.contains($0.minute) }.sorted { $0.minute < $1.minute }
    }

    /// Returns the minutes before a minute that nobody has taken yet.
    package func takeMinutes(before minute: Int64) -> [TrafficMinute] {
        let first = state.withLock { state in
            defer { state.untaken = max(state.untaken, minute) }
            return state.untaken
        }
        return first < minute ? minutes(in: first...(minute - 1)) : []
    }
}

/// The time of day.
package enum WallClock {
    /// Milliseconds since 1970.
    package static var milliseconds: Int64 {
        Int64(Date.now.timeIntervalSince1970 * 1000)
    }
}

extension RequestLogEntry {
    /// The entry of a finished request. A path with a secret is replaced by its pattern, and long texts are cut.
    init(_ outcome: RequestOutcome, id: String, at now: Int64) {
        self.init(
            at: now, method: outcome.method.rawValue, route: outcome.route,
            path: outcome.route.hasPrefix(Self.secretPaths) ? outcome.route : Self.cut(outcome.path),
            status: outcome.status, phase: outcome.phase.rawValue, requestID: Self.cut(id))
        keyID = outcome.keyID
        key = outcome.key
        model = outcome.model.map(Self.cut)
        upstream = outcome.upstream
        error = outcome.error
        (isCancelled, isBroken) = (outcome.isCancelled, outcome.isBroken)
        queued = outcome.queued?.wholeMicroseconds
        firstToken = outcome.firstByte?.wholeMicroseconds
        total = outcome.total.wholeMicroseconds
        (promptTokens, generatedTokens) = (outcome.promptTokens, outcome.generatedTokens)
        (requestBytes, responseBytes) = (outcome.requestBytes, outcome.responseBytes)
    }

    /// The beginning of the routes whose paths have the codes of new devices.
    private static let secretPaths = "/web/pairings/requests/"

    /// The text, or its beginning when it is long.
    private static func cut(_ text: String) -> String {
        text.utf8.count <= maxTextBytes ? text : String(decoding: text.utf8.prefix(maxTextBytes), as: UTF8.self)
    }
}

extension Duration {
    /// The whole microseconds, at least 0.
    fileprivate var wholeMicroseconds: Int64 { Int64(max(0, wholeNanoseconds / 1000)) }
}
