import GatewayAPI
import NIOCore
import Synchronization
package import Transport

/// Decides whether a model runs on machines of the user. No other place decides it.
///
/// A model of Ollama's API runs elsewhere when one of these says so: its name (``isCloudName(_:)``), the answer to `/api/show`
/// or `/api/tags` (``isElsewhere(_:)``), or the address of an upstream that may get the request (``isHere(_:)``).
package enum ModelPlace {
    /// Whether a name asks for a model of Ollama's cloud, as Ollama reads names: the tag is `cloud` or ends with `-cloud`, in any
    /// letter case. Ollama needs no local stub for such a name, and its `/api/show` is then answered by ollama.com, without
    /// `remote_host`.
    package static func isCloudName(_ name: String) -> Bool {
        // A colon before the last slash belongs to a registry's port. A digest after "@" names the same model.
        let last = name.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return last.split(separator: "@", omittingEmptySubsequences: false)
            .flatMap { $0.split(separator: ":", omittingEmptySubsequences: false).dropFirst() }
            .contains { part in
                let tag = part.filter { !$0.isWhitespace }.lowercased()
                return tag == "cloud" || tag.hasSuffix("-cloud")
            }
    }

    /// Whether a model's entry in `/api/tags`, or the answer to `/api/show`, names another server.
    static func isElsewhere(_ description: JSONValue) -> Bool {
        ["remote_host", "remote_model"].contains { description[$0]?.text?.isEmpty == false }
    }

    /// Whether an upstream is at an address of this machine or of a private network.
    package static func isHere(_ upstream: UpstreamConfiguration) -> Bool { upstream.isPrivateHost }
}

/// Whether models of Ollama's cloud may be used: the setting `cloud`. Thread-safe.
package final class CloudSwitch: Sendable {
    private let value: Mutex<Bool>

    package init(isOn: Bool = true) { value = Mutex(isOn) }

    /// Whether such models may be used.
    package var isOn: Bool { value.withLock { $0 } }

    /// Changes the setting.
    package func set(_ isOn: Bool) { value.withLock { $0 = isOn } }

    /// Refuses a model whose name is one of Ollama's cloud while the setting is off.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/cloudOff``.
    func check(_ name: String) throws(UpstreamError) {
        if !isOn, ModelPlace.isCloudName(name) { throw Self.refusal(of: name) }
    }

    /// The error for a refused model.
    package static func refusal(of name: String) -> UpstreamError {
        UpstreamError(
            .cloudOff,
            "the model \"\(name)\" runs in Ollama's cloud, and SELENE_CLOUD is off; use a model of this machine, or set "
                + "SELENE_CLOUD=on")
    }
}

extension UpstreamError.Code {
    /// The model runs in Ollama's cloud, and the settings refuse such models.
    package static let cloudOff = UpstreamError.Code(rawValue: "cloud_off")
}

/// What Ollama said about where its models run, for a short time. Thread-safe.
final class KnownPlaces: Sendable {
    private struct Entry {
        var isHere: Result<Bool, UpstreamError>
        var until: ContinuousClock.Instant
    }
    private static let freshness = Duration.seconds(30)
    /// How long a failure is kept, so that a search does not wait for a hung Ollama several times.
    private static let pause = Duration.seconds(1)
    private static let capacity = 256

    private let entries = Mutex<[String: Entry]>([:])

    /// Whether a model runs here; nil when that is unknown or too old.
    func isHere(_ model: String, at now: ContinuousClock.Instant = .now) -> Bool? {
        try? answer(of: model, at: now)?.get()
    }

    /// Why Ollama did not say a moment ago where a model runs; nil when it did, or was not asked.
    func failure(of model: String, at now: ContinuousClock.Instant = .now) -> UpstreamError? {
        if case .failure(let error)? = answer(of: model, at: now) { error } else { nil }
    }

    private func answer(of model: String, at now: ContinuousClock.Instant) -> Result<Bool, UpstreamError>? {
        let name = ModelName.canonical(model)
        return entries.withLock { $0[name] }.flatMap { now < $0.until ? $0.isHere : nil }
    }

    /// Keeps what Ollama said, or why it said nothing. A failure does not replace an answer that counts.
    func keep(
        _ isHere: Result<Bool, UpstreamError>, of model: String, at now: ContinuousClock.Instant = .now
    ) {
        let name = ModelName.canonical(model)
        var (isFailure, time) = (false, Self.freshness)
        if case .failure = isHere { (isFailure, time) = (true, Self.pause) }
        entries.withLock { [isFailure, time] entries in
            if isFailure, let known = entries[name], now < known.until, case .success = known.isHere { return }
            if entries.count >= Self.capacity { entries = entries.filter { now < $0.value.until } }
            if entries.count < Self.capacity { entries[name] = Entry(isHere: isHere, until: now + time) }
        }
    }
}

extension OllamaUpstream {
    /// Whether all endpoints are at addresses of the user's machines or networks.
    package var isHere: Bool { addresses.allSatisfy(ModelPlace.isHere) }

    /// Whether a model runs on machines of the user, as far as that is known without asking Ollama; nil when it must be asked.
    package func knowsPlace(of model: String) -> Bool? {
        let name = rules.resolve(model)
        guard isHere, !ModelPlace.isCloudName(model), !ModelPlace.isCloudName(name) else { return false }
        return places.isHere(name)
    }

    /// The timeout of the first byte of each answer to where a model runs.
    private static let placeTimeout = Duration.seconds(2)

    /// Whether a model runs on machines of the user. With several endpoints, each that has the model must say so.
    ///
    /// A server without Ollama's lists and descriptions is known by its address alone. A failure is kept for a second.
    /// - Parameter isDescribed: Whether the caller has read the description, which names no other server.
    /// - Throws: ``UpstreamError`` when Ollama does not answer.
    package func runsHere(_ model: String, isDescribed: Bool = false) async throws(UpstreamError) -> Bool {
        if let known = knowsPlace(of: model) { return known }
        let name = rules.resolve(model)
        // An Ollama that has just described the model answers again.
        if !isDescribed, let failure = places.failure(of: name) { throw failure }
        do throws(UpstreamError) {
            let isHere = try await asks(model, isDescribed: isDescribed)
            places.keep(.success(isHere), of: name)
            return isHere
        } catch {
            if error.code != .cancelled { places.keep(.failure(error), of: name) }
            throw error
        }
    }

    /// Asks Ollama whether a model runs on machines of the user.
    private func asks(_ model: String, isDescribed: Bool) async throws(UpstreamError) -> Bool {
        let name = ModelName.canonical(rules.resolve(model))
        do throws(UpstreamError) {
            let listed = try await models(within: Self.placeTimeout).filter { ModelName.canonical($0.name) == name }
            if listed.contains(where: \.isElsewhere) { return false }
        } catch {
            guard error.isUnknownRoute else { throw error }
        }
        if isDescribed { return true }
        do throws(UpstreamError) {
            let body = try await describe(model, within: Self.placeTimeout)
            let value = (try? JSONDocument(parsing: Array(body.readableBytesView)))?.value
            if value.map(ModelPlace.isElsewhere) == true { return false }
        } catch {
            guard error.isUnknownRoute else { throw error }
        }
        return true
    }

    /// Whether models of Ollama's cloud may be used.
    package var allowsCloud: Bool { cloud.isOn }

    /// What Ollama says of its cloud.
    package struct CloudReport: Sendable, Hashable {
        /// Whether Ollama's cloud is on; nil when the server does not say so.
        package var isOn: Bool?
        /// The listed models that run elsewhere, by name.
        package var models: [String]
    }

    /// Asks Ollama whether its cloud is on (`GET /api/status`), and for the listed models that run elsewhere.
    ///
    /// - Throws: ``UpstreamError`` when Ollama gives no list.
    package func cloudReport() async throws(UpstreamError) -> CloudReport {
        let models = try await models().filter { $0.isElsewhere || ModelPlace.isCloudName($0.name) }.map(\.name)
            .sorted()
        let status = try? await cloudStatus()
        return CloudReport(isOn: status?["cloud"]?["disabled"]?.flag.map { !$0 }, models: models)
    }

    /// Refuses a model of Ollama's cloud while the settings do.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/cloudOff``; others when Ollama does not say where the model runs.
    package func checkCloud(_ model: String) async throws(UpstreamError) {
        guard !cloud.isOn else { return }
        guard try await runsHere(model) else { throw CloudSwitch.refusal(of: model) }
    }
}

extension UpstreamError {
    /// Whether the server has no such route, or no such model.
    fileprivate var isUnknownRoute: Bool { code == .status && [400, 404, 405, 501].contains(status ?? 0) }
}
