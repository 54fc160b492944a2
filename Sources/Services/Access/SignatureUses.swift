import Synchronization

/// The signatures that were used, as long as their time lets them count, so that a copy of a request does not.
///
/// Ollama's client signs whole seconds, and its signatures have no random part: equal requests within a second have equal
/// signatures. So the address that used one first may use it again for ``repeatSeconds``.
final class SignatureUses: Sendable {
    /// How far the clocks of a client and the gateway may differ, in seconds.
    static let window: Int64 = 60
    /// How long the first user of a signature may repeat it, in seconds.
    static let repeatSeconds: Int64 = 2
    /// The most signatures that are remembered for a key. They are gone after twice the window, so a key may sign about
    /// 30 different requests a second.
    static let maxPerKey = 4096

    /// Whether a signature may be used.
    enum Answer: Sendable, Hashable {
        case counts
        case wasUsed
        /// Too many signatures of this key are remembered.
        case tooMany
    }

    private struct Use {
        let address: ClientAddress
        let first: Int64
        /// From when on its time is too old to count.
        let end: Int64
    }

    private let uses = Mutex<[Int64: [[UInt8]: Use]]>([:])

    /// Records a use of a valid signature.
    ///
    /// - Parameters:
    ///   - signedAt: The time within the signature, at most ``window`` from now.
    ///   - now: Seconds since 1970.
    func use(
        _ signature: [UInt8], signedAt: Int64, of key: Int64, from address: ClientAddress, now: Int64
    ) -> Answer {
        uses.withLock { uses in
            var ofKey = uses[key] ?? [:]
            if let use = ofKey[signature], now <= use.end {
                return use.address == address && now - use.first <= Self.repeatSeconds ? .counts : .wasUsed
            }
            if ofKey.count >= Self.maxPerKey {
                ofKey = ofKey.filter { now <= $0.value.end }
                uses = uses.filter { $0.value.values.contains { now <= $0.end } }
            }
            guard ofKey.count < Self.maxPerKey else { return .tooMany }
            ofKey[signature] = Use(address: address, first: now, end: signedAt + Self.window)
            uses[key] = ofKey
            return .counts
        }
    }
}
