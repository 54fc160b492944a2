import HTTPTypes
import Server
import Synchronization

/// Counts who reads the events of jobs, and bounds them.
final class JobReaders: Sendable {
    /// Readers at once, of all jobs.
    static let limit = 64
    /// Readers at once with one key, so that none holds every place.
    static let limitOfKey = 8

    /// Readers by key; those without a key count together.
    private let counts = Mutex<[Int64?: Int]>([:])

    /// Takes a place for a reader.
    ///
    /// - Parameter key: The reader's key; nil for one without, whom only the limit of all holds back.
    /// - Throws: ``GatewayError`` with 429 when too many read already, of all or of this key.
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

    /// A reader's place; given back when nobody holds it any more.
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
