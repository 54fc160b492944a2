import Dispatch
package import GatewayAPI
import Logging
import Push
import PushChannels
import Storage
import Synchronization
import Transport

/// Fetches the pictures of notifications and keeps them, so that devices get them from the gateway.
///
/// A picture is fetched once for all devices of a message, only from public addresses, and only when the message is about to
/// be sent. A message waits for it ``waitTimeout`` at most and is sent without it then.
package final class PictureFetcher: Sendable {
    /// Bytes of a picture that is fetched.
    static let maxBytes = 4 << 20
    /// Pictures that are fetched at once, and that wait for it.
    static let fetches = 4
    static let maxWaiting = 100
    /// How long a message waits for its picture.
    static let waitTimeout = Duration.seconds(12)
    /// How long a failure counts before the picture is fetched again.
    private static let memory = Duration.seconds(600)
    /// How long a file is believed to be there.
    private static let trust = Duration.seconds(30)
    /// Names in memory at most.
    private static let maxNames = 1000

    /// What a message has of its picture.
    enum Look: Sendable, Hashable {
        /// It is kept, at this address of the gateway.
        case kept(url: String, format: String)
        /// It is being fetched.
        case pending
        /// The message goes without it: a sentence.
        case left(String)
    }

    private struct State {
        /// Pictures that are being fetched or wait for it, since when.
        var jobs: [PictureName: ContinuousClock.Instant] = [:]
        var waiting: [(name: PictureName, url: String)] = []
        var running = 0
        var failures: [PictureName: (reason: String, at: ContinuousClock.Instant)] = [:]
        var kept: [PictureName: (format: PictureHeader.Format, at: ContinuousClock.Instant)] = [:]
    }

    let store: PictureStore
    private let base: String
    private let fetch: PublicFetch
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter database: The path of the database; the pictures are in a folder beside it.
    init(_ settings: PushSettings, besides database: String, logger: Logger) {
        store = PictureStore(folder: "\(database)-pictures", maxBytes: settings.picturesMB << 20)
        let home = settings.channels.home.prefix { $0 != "?" && $0 != "#" }
        base = home + (home.hasSuffix("/") ? "" : "/") + "api/v1/pictures/"
        fetch = PublicFetch(
            accepts: "image/png, image/jpeg, image/gif, image/webp;q=0.5",
            limits: PublicFetch.Limits(
                total: .seconds(10), connect: .seconds(5), firstByte: .seconds(8), idle: .seconds(5)),
            allowsPrivate: settings.channels.allowsPrivateURLs)
        self.logger = logger
    }

    /// The address of any picture, for the size of payloads.
    var sample: String { base + String(repeating: "0", count: 48) + ".jpeg" }

    /// Looks for the picture of a message, and has it fetched when it is not there.
    ///
    /// - Parameters:
    ///   - image: The `image` of the message.
    ///   - message: The message's id.
    func look(_ image: String, of message: String) -> Look {
        let (name, isOwn) = Self.name(image, message)
        if let format = known(name) { return .kept(url: url(name, format), format: format.rawValue) }
        guard !isOwn else { return .left("it is not kept any more") }
        guard store.maxBytes > 0 else { return .left("pictures are off (SELENE_PUSH_PICTURES_MB)") }
        let now = ContinuousClock.now
        let (look, next) = state.withLock { state -> (Look, (name: PictureName, url: String)?) in
            if let failure = state.failures[name], now - failure.at < Self.memory {
                return (.left(failure.reason), nil)
            }
            if let since = state.jobs[name] {
                return (now - since < Self.waitTimeout ? .pending : .left("it was not fetched in time"), nil)
            }
            guard state.waiting.count < Self.maxWaiting else {
                return (.left("\(Self.maxWaiting) other pictures wait to be fetched"), nil)
            }
            state.jobs[name] = now
            state.waiting.append((name, image))
            return (.pending, Self.next(&state))
        }
        if let next { run(next) }
        return look
    }

    /// Keeps a picture that came with a message.
    ///
    /// - Parameter start: Seconds since 1970 from which on it is needed.
    /// - Returns: Its name; also when it could not be kept, since the message counts more.
    func keep(_ bytes: [UInt8], from start: Int64?) async -> PictureName {
        let name = PictureName.random()
        guard let header = PictureHeader(bytes), store.maxBytes > 0 else { return name }
        do {
            try await Self.blocking { [store] in try store.keep(bytes, as: name, header.format, from: start) }
        } catch {
            logger.warning("a picture cannot be kept; its message goes without it", metadata: ["error": "\(error)"])
        }
        return name
    }

    /// A stored message as clients get it: with the address of its picture at the gateway, or without a picture.
    package func shown(_ body: JSONValue?, of message: String?) -> JSONValue? {
        guard case .object(var members)? = body, case .string(let image)? = members["image"], let message else {
            return body
        }
        let (name, _) = Self.name(image, message)
        members["image"] = known(name).map { .string(url(name, $0)) }
        return .object(members)
    }

    /// Deletes pictures that are too old.
    func prune(now: Int64) async {
        try? await Self.blocking { [store] in store.prune(now: now) }
    }

    private static func name(_ image: String, _ message: String) -> (name: PictureName, isOwn: Bool) {
        if let own = PictureName(image: image) { return (own, true) }
        return (PictureName(of: image, in: message), false)
    }

    private func url(_ name: PictureName, _ format: PictureHeader.Format) -> String {
        "\(base)\(name.text).\(format.rawValue)"
    }

    /// The format of a picture that is kept.
    private func known(_ name: PictureName) -> PictureHeader.Format? {
        let now = ContinuousClock.now
        if let kept = state.withLock({ $0.kept[name] }), now - kept.at < Self.trust { return kept.format }
        let format = store.find(name)
        state.withLock { state in
            if state.kept.count >= Self.maxNames { state.kept.removeAll() }
            state.kept[name] = format.map { ($0, now) }
        }
        return format
    }

    // MARK: Fetching

    /// The next picture to fetch, if there is a free place.
    private static func next(_ state: inout State) -> (name: PictureName, url: String)? {
        guard state.running < fetches, !state.waiting.isEmpty else { return nil }
        state.running += 1
        return state.waiting.removeFirst()
    }

    private func run(_ first: (name: PictureName, url: String)) {
        Task {
            var job: (name: PictureName, url: String)? = first
            while let (name, url) = job {
                let reason = await self.get(url, as: name)
                job = state.withLock { state in
                    state.running -= 1
                    state.jobs[name] = nil
                    if let reason {
                        if state.failures.count >= Self.maxNames { state.failures.removeAll() }
                        state.failures[name] = (reason, .now)
                    }
                    return Self.next(&state)
                }
            }
        }
    }

    /// Fetches and keeps a picture; returns why not.
    private func get(_ url: String, as name: PictureName) async -> String? {
        var bytes: [UInt8] = []
        do {
            _ = try await fetch.fetch(url) { chunk in
                guard chunk.count <= Self.maxBytes - bytes.count else { throw TooLarge() }
                bytes += chunk
            }
            guard let header = PictureHeader(bytes) else { return "it is none of PNG, JPEG, GIF and WebP" }
            guard header.isBounded else { return "it has too many pixels: \(header)" }
            try await Self.blocking { [store, bytes] in try store.keep(bytes, as: name, header.format) }
            return nil
        } catch let failure as PublicFetch.Failure {
            switch failure {
            case .url(let sentence): return sentence
            case .privateAddress(let host): return "\(host) is in a private network or on this machine"
            }
        } catch is TooLarge {
            return "it is larger than \(Self.maxBytes) bytes"
        } catch let error as StorageError {
            return error.message
        } catch {
            return "the fetch was ended"
        }
    }

    private struct TooLarge: Error {}

    /// Runs what blocks beside the tasks.
    private static func blocking(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }

    private static let queue = DispatchQueue(label: "selene-pictures")
}
