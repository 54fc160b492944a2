import HTTPTypes
import Server
import Synchronization

/// Limits how many clients read runs at once.
final class ChatReaders: Sendable {
    /// Readers by key; nil for readers without a key.
    private let counts = Mutex<[Int64?: Int]>([:])

    /// Admits a reader.
    ///
    /// - Throws: ``GatewayError`` with 429 when a limit is reached.
    func take(_ key: Int64?) throws(GatewayError) -> Place {
        let refusal = counts.withLock { counts -> String? in
            guard counts.values.reduce(0, +) < ChatLimits.readers else {
                return "\(ChatLimits.readers) clients read runs already"
            }
            guard key == nil || counts[key, default: 0] < ChatLimits.readersOfKey else {
                return "\(ChatLimits.readersOfKey) clients read runs with this key already"
            }
            counts[key, default: 0] += 1
            return nil
        }
        if let refusal {
            throw GatewayError(.tooManyRequests, .overloaded, refusal, headers: [.retryAfter: "5"])
        }
        return Place(self, key)
    }

    private func giveBack(_ key: Int64?) {
        counts.withLock { counts in
            let rest = counts[key, default: 0] - 1
            counts[key] = rest > 0 ? rest : nil
        }
    }

    /// A reader's place, released when the last reference is dropped.
    final class Place: Sendable {
        private let readers: ChatReaders
        private let key: Int64?

        fileprivate init(_ readers: ChatReaders, _ key: Int64?) {
            self.readers = readers
            self.key = key
        }

        deinit { readers.giveBack(key) }
    }
}
