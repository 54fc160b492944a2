import NIOCore

/// Where the beginnings of prompts were sent, so that a conversation goes on at the endpoint that has computed its beginning.
///
/// A body's beginning is known by the hashes of all its prefixes of whole ``block``s. Bounded; the oldest are forgotten. Pure.
struct PromptPrefixes: Sendable {
    /// The step between prefixes, in bytes. A shorter beginning costs nothing to compute again.
    static let block = 512
    /// The longest prefix that is looked at, in bytes.
    static let longest = 64 << 10
    /// The prefixes that are kept.
    private let limit: Int
    private var endpoints: [UInt64: (endpoint: String, turn: UInt64)] = [:]

    init(limit: Int = 16_384) { self.limit = max(1, limit) }

    /// The hashes of a body's prefixes, shortest first; empty for a short one. FNV-1a over 64 bits.
    static func hashes(of body: ByteBuffer) -> [UInt64] {
        let bytes = body.readableBytesView.prefix(longest)
        guard bytes.count >= block else { return [] }
        var hashes: [UInt64] = []
        hashes.reserveCapacity(bytes.count / block)
        var (hash, left) = (UInt64(0xCBF2_9CE4_8422_2325), block)
        for byte in bytes {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            left -= 1
            guard left == 0 else { continue }
            hashes.append(hash)
            left = block
        }
        return hashes
    }

    /// The endpoint that got the longest of a body's prefixes last; nil when less than half of the body is known.
    ///
    /// Programs begin each conversation alike. That is no reason to put all of them on one endpoint.
    func endpoint(for hashes: [UInt64]) -> String? {
        for (index, hash) in hashes.enumerated().reversed() where (index + 1) * 2 >= hashes.count {
            if let known = endpoints[hash] { return known.endpoint }
        }
        return nil
    }

    /// Remembers where a body was sent.
    ///
    /// - Parameter turn: A number that grows from one request to the next.
    mutating func sent(_ hashes: [UInt64], to endpoint: String, turn: UInt64) {
        for hash in hashes { endpoints[hash] = (endpoint, turn) }
        guard endpoints.count > limit else { return }
        // The older half goes, so that this happens seldom.
        let turns = endpoints.values.map(\.turn).sorted()
        let middle = turns[turns.count / 2]
        endpoints = endpoints.filter { $0.value.turn > middle }
    }
}
