import Cryptography
package import KeyRoom
import Synchronization

/// A browser session that was just opened, with its secret, which is known only now.
package struct OpenedSession: Sendable {
    /// The holder of the session's key.
    package let identity: Identity
    package let session: WebSessionRecord
    /// The value of the browser's cookie.
    package let secret: String
    /// The key that gave the session's key by a pairing code; nil for the command line, `SELENE_API_TOKEN` and other sign-ins.
    package var giver: Int64?
}

/// Browser sessions: a session has the rights of the key that it was opened with, and ends with it.
extension KeyRing {
    /// The start of every session's secret.
    package static let sessionPrefix = "slw_"
    /// The start of every key that a client sends in a header only.
    package static let keyPrefix = KeyRoom.secretPrefix
    /// The start of every key that may stand in front of a path.
    package static let pathKeyPrefix = KeyKind.pathPrefix
    /// The bytes of a session's secret.
    package static let sessionBytes = 47
    /// Seconds between two recorded uses of a session.
    private static let useInterval: Int64 = 60

    /// The holder of a session, and the session.
    package struct SessionHolder: Sendable {
        package let identity: Identity
        package let session: WebSessionRecord
    }

    /// Finds the holder of a browser session. Records that the session is in use.
    ///
    /// - Parameter secret: The value of the browser's cookie.
    /// - Returns: nil when there is no such session, it was not used for 30 days, or its key was revoked or has expired.
    /// - Throws: ``StorageError`` when the keys cannot be read.
    package func find(session secret: String) async throws -> SessionHolder? {
        guard secret.utf8.count == Self.sessionBytes, secret.hasPrefix(Self.sessionPrefix),
            let found = try await holder(ofSession: secret)
        else { return nil }
        let now = clock.unixSeconds()
        if now - found.session.lastUsedAt >= Self.useInterval {
            sessionUses.withLock { $0[found.session.id] = now }
        }
        return SessionHolder(identity: found.identity, session: found.session)
    }

    /// Opens a session for the holder of a key.
    ///
    /// - Parameters:
    ///   - key: A key or `SELENE_API_TOKEN`.
    ///   - old: The secret of the browser's session so far, which ends.
    /// - Returns: nil when the key is wrong, or the gateway needs none.
    /// - Throws: ``AccessRefusal/keyExpired``, ``StorageError``.
    package func openSession(
        key: String, userAgent: String, replacing old: String?
    ) async throws -> OpenedSession? {
        let secret = Self.sessionPrefix + RandomSecret.make()
        let owner: WebSessionRecord.Owner
        let identity: Identity
        switch try await find(bearer: key) {
        case .known(let holder):
            identity = holder
            if let id = holder.keyID {
                owner = .key(id)
            } else if holder.holder == .token, let binding = tokenBinding(of: secret) {
                owner = .token(binding: binding)
            } else {
                return nil
            }
        case .expired(let holder): throw refuse(holder, AccessRefusal.keyExpired)
        case .missing, .wrong, .refused: return nil
        }
        let session = try await store.webSessions.open(
            secret: secret, owner: owner, userAgent: userAgent, replacing: old, now: clock.unixSeconds())
        await readAgain()
        return OpenedSession(identity: identity, session: session, secret: secret)
    }

    /// Ends a session at once, in this process and within ``freshness`` in others.
    ///
    /// - Throws: ``StorageError``.
    package func endSession(secret: String) async throws {
        try await store.webSessions.end(secret: secret)
        await readAgain()
    }

    /// Turns a pairing code into a key of the device's own and a session of that key.
    ///
    /// - Parameters:
    ///   - code: The code as it was typed.
    ///   - poll: The secret of the device's request; nil when another device offered the code.
    ///   - address: Where the request came from.
    /// - Returns: nil when the code is wrong.
    /// - Throws: ``AccessRefusal/tooManyPairingTries(retryAfterSeconds:)``, ``StorageError``.
    package func openSession(
        code: String, poll: String?, userAgent: String, from address: ClientAddress = .loopback
    ) async throws -> OpenedSession? {
        try pairingTries.take(address)
        let secret = Self.sessionPrefix + RandomSecret.make()
        guard let code = PairingCode(code) else { return nil }
        let redeemed: (key: KeyRecord, session: WebSessionRecord)?
        do {
            redeemed = try await store.pairings.redeem(
                code, poll: poll, session: secret, userAgent: userAgent, now: clock.unixSeconds())
        } catch {
            // The code was not wrong.
            pairingTries.giveBack(address)
            throw error
        }
        guard let paired = redeemed else { return nil }
        pairingTries.giveBack(address)
        await readAgain()
        let identity =
            try await identity(ofKey: paired.key.id)
            ?? Identity(holder: .key(id: paired.key.id, name: paired.key.name), grant: paired.key.grant)
        return OpenedSession(
            identity: identity, session: paired.session, secret: secret, giver: paired.key.parent)
    }

    /// Writes when sessions were used. Does nothing when none was.
    ///
    /// - Throws: ``StorageError``. The uses are then written by the next call.
    package func writeSessionUses() async throws {
        let uses = sessionUses.withLock { uses in
            defer { uses = [:] }
            return uses
        }
        do {
            try await store.webSessions.recordUse(uses)
        } catch {
            sessionUses.withLock { $0.merge(uses) { max($0, $1) } }
            throw error
        }
    }

    /// Deletes sessions and pairings that have ended.
    ///
    /// - Throws: ``StorageError``.
    package func pruneSessions() async throws { try await store.webSessions.prune(now: clock.unixSeconds()) }
}
