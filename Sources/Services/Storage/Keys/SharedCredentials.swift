import Foundation

/// Keys, their usage, browser sessions and pairings that several gateways share, in place of those of the SQLite file.
///
/// ``KeyStore``, ``WebSessionStore`` and ``PairingStore`` call it after their checks. Methods throw ``StorageError`` for what
/// those stores document, and the server's own error while it is away.
package protocol SharedCredentials: Sendable {
    func createKey(
        name: String, secret: String, grant: KeyGrant, parent: Int64?, now: Int64
    ) async throws -> KeyRecord
    func allKeys() async throws -> [KeyRecord]
    func changeKey(_ nameOrID: String, _ change: @escaping @Sendable (inout KeyGrant) -> Void) async throws -> KeyRecord
    /// Revokes a key and those that it made, whose names it returns.
    func revokeKey(_ nameOrID: String) async throws -> [String]
    func snapshot(of day: UTCDay) async throws -> KeySnapshot
    func addUsage(
        _ counts: [KeyDay: KeyUsage], lastUsed: [Int64: Int64], sumsOf day: UTCDay
    ) async throws -> [Int64: Int]
    func usage(since day: UTCDay) async throws -> [(place: KeyDay, usage: KeyUsage)]

    func openSession(
        hash: [UInt8], owner: WebSessionRecord.Owner, userAgent: String, replacing: [UInt8]?, now: Int64
    ) async throws -> WebSessionRecord
    func allSessions() async throws -> [WebSessionRecord]
    func endSession(hash: [UInt8]) async throws
    func endSession(id: Int64) async throws -> Bool
    func recordSessionUse(_ uses: [Int64: Int64]) async throws
    func prune(now: Int64) async throws

    /// Adds a pairing. Its secrets come as hashes.
    func addPairing(codeHash: [UInt8], _ pairing: PairingRecord, now: Int64) async throws
    /// The pairing of a code that has not expired.
    func pairing(codeHash: [UInt8], now: Int64) async throws -> PairingRecord?
    /// Gives a request its grant; nil when none waits.
    func approve(codeHash: [UInt8], grant: KeyGrant, grantedBy: Int64?, now: Int64) async throws -> PairingRecord?
    /// Turns a pairing into a key and a session.
    func redeem(
        codeHash: [UInt8], pollHash: [UInt8]?, keySecret: String, sessionHash: [UInt8], userAgent: String, now: Int64
    ) async throws -> (key: KeyRecord, session: WebSessionRecord)?
}

extension GatewayDatabase {
    /// Whether keys are shared by several gateways, and the notes are not in this file.
    package var hasNotesElsewhere: Bool { sharedCredentials != nil }

    var sharedCredentials: (any SharedCredentials)? { shared.parts?.credentials }

    /// The file's own keys, sessions and usage, for a migration.
    package var ownCredentials: FileCredentials { FileCredentials(database: self) }
}
