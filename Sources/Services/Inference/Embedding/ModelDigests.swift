import Synchronization
import Transport

/// The digests of models, looked up now and then.
///
/// A name may come to mean other weights at any time (`ollama pull`); what was looked up is trusted for a short while.
final class ModelDigests: Sendable {
    /// How long a failed look keeps the next one away, so that an upstream which hangs is not waited for again and again.
    static let pause = Duration.seconds(1)

    private struct Entry {
        var digest: String?
        var until: ContinuousClock.Instant
    }
    private let entries = Mutex<[String: Entry]>([:])
    private let freshness: Duration
    private let look: @Sendable (String) async throws(UpstreamError) -> String

    init(freshness: Duration, look: @escaping @Sendable (String) async throws(UpstreamError) -> String) {
        self.freshness = freshness
        self.look = look
    }

    /// The digest of a model; nil when it is not to be had now.
    func digest(of model: String) async -> String? {
        let now = ContinuousClock.now
        if let entry = entries.withLock({ $0[model] }), now < entry.until { return entry.digest }
        let digest = try? await look(model)
        if Task.isCancelled { return digest }
        let entry = Entry(
            digest: digest?.isEmpty == true ? nil : digest, until: .now + (digest == nil ? Self.pause : freshness))
        entries.withLock { entries in
            // Names that clients made up do not stay.
            if entries.count >= 256 { entries = entries.filter { now < $0.value.until } }
            if entries.count < 256 { entries[model] = entry }
        }
        return entry.digest
    }
}
