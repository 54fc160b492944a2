import Synchronization
import Transport

/// The digests of models, looked up now and then.
///
/// A name may come to mean other weights at any time (`ollama pull`); what was looked up is trusted for a short while.
final class ModelDigests: Sendable {
    /// How long a failed look keeps the next one away, so that an upstream which hangs is not waited for again and again.
    static let pause = Duration.seconds(1)
    /// How long a look may take that only serves the cache.
    static let cacheTimeout = Duration.seconds(2)

    private struct Entry {
        var digest: String?
        var until: ContinuousClock.Instant
    }
    private let entries = Mutex<[String: Entry]>([:])
    private let freshness: Duration
    private let look: @Sendable (String, Duration?) async throws(UpstreamError) -> String

    /// - Parameter look: Asks the upstream; the second parameter says how long its answer may take to begin.
    init(
        freshness: Duration, look: @escaping @Sendable (String, Duration?) async throws(UpstreamError) -> String
    ) {
        self.freshness = freshness
        self.look = look
    }

    /// The digest of a model; nil when the upstream does not say it in time.
    func digest(of model: String) async -> String? {
        if let entry = fresh(model) { return entry.digest }
        let digest = try? await look(model, Self.cacheTimeout)
        if Task.isCancelled { return digest }
        return keep(digest, of: model)
    }

    /// The digest of a model, which the upstream must say.
    ///
    /// - Throws: ``UpstreamError``, with status 404 when no upstream holds the model.
    func requireDigest(of model: String) async throws(UpstreamError) -> String {
        if let digest = fresh(model)?.digest { return digest }
        let digest = try await look(model, nil)
        keep(digest, of: model)
        return digest
    }

    private func fresh(_ model: String) -> Entry? {
        let now = ContinuousClock.now
        return entries.withLock { $0[model] }.flatMap { now < $0.until ? $0 : nil }
    }

    @discardableResult
    private func keep(_ digest: String?, of model: String) -> String? {
        let now = ContinuousClock.now
        let entry = Entry(
            digest: digest?.isEmpty == true ? nil : digest, until: now + (digest == nil ? Self.pause : freshness))
        entries.withLock { entries in
            // Names that clients made up do not stay.
            if entries.count >= 256 { entries = entries.filter { now < $0.value.until } }
            if entries.count < 256 { entries[model] = entry }
        }
        return entry.digest
    }
}
