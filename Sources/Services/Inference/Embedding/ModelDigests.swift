import Synchronization
import Transport

/// Looks up the digests of models and caches them briefly.
///
/// `ollama pull` can change the weights behind a name at any time, so a cached digest expires soon.
final class ModelDigests: Sendable {
    /// How long a failed lookup is cached, so that requests do not wait for a hung upstream one after the other.
    static let pause = Duration.seconds(1)
    /// The timeout of a lookup that only serves the cache.
    static let cacheTimeout = Duration.seconds(2)

    private struct Entry {
        var digest: String?
        var until: ContinuousClock.Instant
    }
    private let entries = Mutex<[String: Entry]>([:])
    private let freshness: Duration
    private let look: @Sendable (String, Duration?) async throws(UpstreamError) -> String

    /// - Parameter look: Asks the upstream; its second parameter is the timeout of the first byte.
    init(
        freshness: Duration, look: @escaping @Sendable (String, Duration?) async throws(UpstreamError) -> String
    ) {
        self.freshness = freshness
        self.look = look
    }

    /// Returns a model's digest; nil when the upstream does not return one in time.
    func digest(of model: String) async -> String? {
        if let entry = fresh(model) { return entry.digest }
        let digest = try? await look(model, Self.cacheTimeout)
        if Task.isCancelled { return digest }
        return keep(digest, of: model)
    }

    /// Returns a model's digest, or throws when the upstream does not return one.
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
            // Bounds the names that clients invent.
            if entries.count >= 256 { entries = entries.filter { now < $0.value.until } }
            if entries.count < 256 { entries[model] = entry }
        }
        return entry.digest
    }
}
