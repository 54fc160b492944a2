import HTTPTypes
import Synchronization

/// Limits how many clients read events of one kind at once.
package final class EventReaders: Sendable {
    private let what: String
    private let limit: Int
    private let limitOfKey: Int
    /// Readers by key; nil for all readers without a key.
    private let counts = Mutex<[Int64?: Int]>([:])

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - what: What is read, for errors, such as `job events`.
    ///   - limit: The maximum number of readers.
    ///   - limitOfKey: The maximum number of readers with one key, and those that it made.
    package init(of what: String, limit: Int, limitOfKey: Int) {
        self.what = what
        self.limit = limit
        self.limitOfKey = limitOfKey
    }

    /// The current number of readers.
    package var count: Int { counts.withLock { $0.values.reduce(0, +) } }

    /// Admits a reader.
    ///
    /// - Parameter key: The reader's key. Readers without a key (nil) have only the overall limit.
    /// - Throws: ``GatewayError`` with 429 when a limit is reached.
    package func take(_ key: Int64?) throws(GatewayError) -> Place {
        let refusal = counts.withLock { counts -> String? in
            guard counts.values.reduce(0, +) < limit else { return "\(limit) clients read \(what) already" }
            guard key == nil || counts[key, default: 0] < limitOfKey else {
                return "\(limitOfKey) clients read \(what) with this key already"
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
    package final class Place: Sendable {
        private let readers: EventReaders
        private let key: Int64?

        fileprivate init(_ readers: EventReaders, _ key: Int64?) {
            self.readers = readers
            self.key = key
        }

        deinit { readers.giveBack(key) }
    }
}
