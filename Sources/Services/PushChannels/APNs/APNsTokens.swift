import Push
import Schedules
import Synchronization

/// A provider token in use.
struct APNsToken: Sendable, Hashable {
    /// The value of the header `authorization`.
    let authorization: String
    let life: APNsTokenLife
    /// Counts the tokens.
    let number: Int
}

/// Signs provider tokens, one at a time: however many pushes need a new one, one of them signs it and all get it.
final class APNsTokens: Sendable {
    /// Seconds after which APNs refuses a token, with a minute to spare.
    private static let longest: Int64 = 3540

    private let signer: APNsSigner
    private let file: APNsTokenFile?
    private let uptime: @Sendable () -> Int64
    private let state = Mutex(State())

    private struct State {
        var current: APNsToken?
        var previous: APNsToken?
        var number = 0
        /// Whether the current token must not be used again.
        var isRefused = false
    }

    /// - Parameters:
    ///   - file: Where tokens outlive the process; nil for nowhere.
    ///   - uptime: Seconds of a clock that nobody sets.
    init(_ signer: APNsSigner, file: APNsTokenFile? = nil, uptime: @escaping @Sendable () -> Int64) {
        self.signer = signer
        self.file = file
        self.uptime = uptime
    }

    /// The token for a request; signs a new one when the current one is too old.
    ///
    /// - Throws: A failure of the cryptography library.
    func current(at now: Instant) throws -> APNsToken {
        let uptime = uptime()
        return try state.withLock { state in
            if let current = state.current, !state.isRefused, !current.life.isOver(now: now, uptime: uptime) {
                return current
            }
            if state.number == 0, let stored = stored(now, uptime) {
                (state.current, state.number) = (stored, stored.number)
                return stored
            }
            return try sign(now, uptime, &state)
        }
    }

    /// Signs a new token because APNs found this one too old, unless that happened already.
    ///
    /// - Returns: false when a new one would be refused as well: this one is new, and the clock was not set since.
    func renew(after token: APNsToken, at now: Instant) throws -> Bool {
        let uptime = uptime()
        return try state.withLock { state in
            guard let current = state.current, current.number == token.number else { return true }
            let elapsed = Self.difference(uptime, current.life.uptime)
            let wall = now.seconds - current.life.signed.seconds
            guard elapsed >= APNsTokenLife.pause || abs(Self.difference(wall, elapsed)) > 60 else {
                state.isRefused = true
                return false
            }
            _ = try sign(now, uptime, &state)
            return true
        }
    }

    /// Uses the token before this one again, if it is still valid: APNs says that tokens changed too often.
    func goBack(from token: APNsToken, at now: Instant) {
        let uptime = uptime()
        state.withLock { state in
            guard let current = state.current, current.number == token.number, let previous = state.previous,
                max(now.seconds - previous.life.signed.seconds, Self.difference(uptime, previous.life.uptime))
                    < Self.longest
            else { return }
            state.number += 1
            state.current = APNsToken(
                authorization: previous.authorization,
                // Kept until it is nearly too old.
                life: previous.life, number: state.number)
            state.previous = nil
        }
    }

    /// The token of the process before this one, while it needs no replacement.
    private func stored(_ now: Instant, _ uptime: Int64) -> APNsToken? {
        guard let (signed, authorization) = file?.load() else { return nil }
        let age = now.seconds.subtractingReportingOverflow(signed.seconds)
        guard !age.overflow, (0..<APNsTokenLife.least).contains(age.partialValue) else { return nil }
        let life = APNsTokenLife(
            signed: signed, uptime: uptime - age.partialValue, seed: UInt64.random(in: 0...UInt64.max))
        return APNsToken(authorization: authorization, life: life, number: 1)
    }

    private func sign(_ now: Instant, _ uptime: Int64, _ state: inout State) throws -> APNsToken {
        let authorization = "bearer " + (try signer.sign(at: now))
        state.number += 1
        let token = APNsToken(
            authorization: authorization,
            life: APNsTokenLife(signed: now, uptime: uptime, seed: UInt64.random(in: 0...UInt64.max)),
            number: state.number)
        state.previous = state.isRefused ? nil : state.current
        state.current = token
        state.isRefused = false
        file?.store(authorization, signed: now)
        return token
    }

    private static func difference(_ a: Int64, _ b: Int64) -> Int64 {
        let (difference, overflow) = a.subtractingReportingOverflow(b)
        return overflow ? 0 : difference
    }
}
