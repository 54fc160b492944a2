package import Database
package import GatewayAPI

/// What the keys that registered devices and sent messages may still do. Keys that a key made share with it.
package struct PushOwners: Sendable {
    /// The largest number of devices of a key and of the keys that it made.
    static let maxDevices = 50

    private let may: @Sendable (_ scope: KeyScope, _ key: Int64, _ now: Int64) -> Bool
    private let family: @Sendable (_ key: Int64) -> [Int64]

    /// - Parameters:
    ///   - may: Whether a key has a scope at a time in seconds since 1970: neither it nor one that made it was revoked, has
    ///     expired or lost the scope.
    ///   - family: The keys that share with a key, itself included.
    package init(
        may: @escaping @Sendable (_ scope: KeyScope, _ key: Int64, _ now: Int64) -> Bool,
        family: @escaping @Sendable (_ key: Int64) -> [Int64]
    ) { (self.may, self.family) = (may, family) }

    /// Whether a key may still have devices.
    ///
    /// - Parameter now: Milliseconds since 1970.
    func mayReceive(_ key: Int64, now: Int64) -> Bool { may(.pushReceive, key, now / 1000) }

    /// Whether a key may still have devices that run shortcuts.
    func maySend(_ key: Int64, now: Int64) -> Bool { may(.pushSend, key, now / 1000) }

    /// The keys that share with a key, as a parameter.
    package func sharing(with key: Int64) -> SQLValue { .numbers(family(key)) }

    /// Checks that a key may register another device.
    ///
    /// - Throws: ``StorageError/Code/conflict`` when the key and those that share with it have ``maxDevices``.
    func checkShare(of key: Int64, _ session: any SQLSession) throws {
        let count = try session.first(
            "SELECT count(*) FROM gateway_push_devices WHERE owner IN \(session.dialect.numbers("$1"))",
            [sharing(with: key)])
        guard count?.count(0) ?? 0 < Self.maxDevices else {
            throw StorageError(
                .conflict, "the key has \(Self.maxDevices) devices, which is its share; delete unused ones")
        }
    }
}
