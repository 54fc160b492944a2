import HTTPTypes
import Server
import Synchronization

/// Limits how many clients read job events at once.
final class JobReaders: Sendable {
    /// The maximum number of readers, over all jobs.
    static let limit = 64
    /// The maximum number of readers with one key.
    static let limitOfKey = 8

    /// Readers by key; nil for all readers without a key.
    private let counts = Mutex<[Int64?: Int]>([:])

    /// Admits a reader.
    ///
    /// - Parameter key: The reader's key. Readers without a key (nil) have only the overall limit.
    /// - Throws: ``GatewayError`` with 429 when a limit is reached.
    func take(_ key: Int64?) throws(GatewayError) -> Place {
        let refusal = counts.withLock { counts -> String? in
            guard counts.values.reduce(0, +) < Self.limit else { return "\(Self.limit) clients read events already" }
            guard key == nil || counts[key, default: 0] < Self.limitOfKey else {
                return "\(Self.limitOfKey) clients read events with this key already"
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
        private let readers: JobReaders
        private let key: Int64?

        fileprivate init(_ readers: JobReaders, _ key: Int64?) {
            self.readers = readers
            self.key = key
        }

        deinit { readers.giveBack(key) }
    }
}
