import Cryptography
import Foundation
import NIOCore
import Synchronization

/// What the server received and answered, for all connections.
package final class PushBook: Sendable {
    package struct Account: Sendable, Codable {
        /// Connections that were opened.
        package var connections = 0
        /// Connections that are open.
        package var open = 0
        /// Requests that arrived whole.
        package var requests = 0
        /// Pushes that were accepted, also repeated ones.
        package var accepted = 0
        /// Pushes that were accepted, by their id.
        package var acceptedIDs: [String: Int] = [:]
        /// When pushes were first accepted, by their id: seconds since 1970; the first ``mostArrivals`` of them.
        package var arrivals: [String: Double] = [:]
        /// Refusals by reason.
        package var refusals: [String: Int] = [:]
        /// The most streams that were open at once on a connection.
        package var maxInFlight = 0
        /// The most streams that were open at once on a connection before it accepted a token.
        package var maxCold = 0
        /// PRIORITY frames.
        package var priorities = 0
        /// PING frames without answers to ours.
        package var pings = 0
        /// Errors of HTTP/2 and TLS, in words.
        package var failures: [String] = []
        /// Different provider tokens with a valid signature.
        package var tokens = 0

        /// Pushes that were accepted more than once.
        package var repeated: Int { acceptedIDs.values.count { $0 > 1 } }
    }

    /// Arrivals that are kept.
    package static let mostArrivals = 100_000

    private struct State {
        var account = Account()
        var tokens: ProviderTokens
        var last: PushRequest?
        var closers: [Int: @Sendable () -> Void] = [:]
    }

    let options: FakeAPNs.Options
    private let state: Mutex<State>

    init(options: FakeAPNs.Options, key: P256.Signing.PublicKey) {
        self.options = options
        state = Mutex(
            State(tokens: ProviderTokens(key: key, keyID: options.keyID, teamID: options.teamID)))
    }

    /// The account as it is now.
    package var account: Account { state.withLock { $0.account } }
    /// The number of accepted pushes, without a copy of the account.
    package var acceptedCount: Int { state.withLock { $0.account.accepted } }
    /// The latest request.
    package var last: PushRequest? { state.withLock { $0.last } }

    func closeAll() {
        for closer in state.withLock({ Array($0.closers.values) }) { closer() }
    }

    func opened(_ closer: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.account.connections += 1
            state.account.open += 1
            state.closers[state.account.connections] = closer
            return state.account.connections
        }
    }

    func closed(_ connection: Int) {
        state.withLock { state in
            state.account.open -= 1
            state.closers[connection] = nil
        }
    }

    func began(inFlight: Int, isWarm: Bool) {
        state.withLock { state in
            state.account.maxInFlight = max(state.account.maxInFlight, inFlight)
            if !isWarm { state.account.maxCold = max(state.account.maxCold, inFlight) }
        }
    }

    func failed(_ error: any Error) {
        state.withLock { state in
            if state.account.failures.count < 100 { state.account.failures.append("\(error)") }
        }
    }

    func sawPriority() { state.withLock { $0.account.priorities += 1 } }
    func sawPing() { state.withLock { $0.account.pings += 1 } }

    /// Decides about a request, and whether its token was accepted.
    func decide(_ request: PushRequest) -> (answer: FakeAPNs.Answer, isTrusted: Bool) {
        let (number, refusal): (Int, (status: Int, reason: String)?) = state.withLock { state in
            state.account.requests += 1
            state.last = request
            let refusal = state.tokens.refusal(request.headers["authorization"], now: options.now())
            state.account.tokens = state.tokens.count
            return (state.account.requests, refusal)
        }
        if let refusal { return (.reject(refusal.status, refusal.reason), false) }
        if let refusal = request.refusal(topics: options.topics) {
            return (.reject(refusal.status, refusal.reason), true)
        }
        return (options.answer(request, number), true)
    }

    func accepted(_ request: PushRequest) {
        let now = Date().timeIntervalSince1970
        state.withLock { state in
            state.account.accepted += 1
            state.account.acceptedIDs[request.id, default: 0] += 1
            if state.account.arrivals.count < Self.mostArrivals, state.account.arrivals[request.id] == nil {
                state.account.arrivals[request.id] = now
            }
        }
    }

    func refused(_ reason: String) { state.withLock { $0.account.refusals[reason, default: 0] += 1 } }
}
