import Access
import GatewayAPI
import HTTPTypes
package import Hummingbird
import NIOCore
package import Server
import ServiceLifecycle
import KeyRoom

/// `GET /api/admin/events`: the state of each topic, then its changes, as server-sent events.
///
/// A reader gets the latest state of each topic that it lacks, at most once a second; a slow one misses states in between. A
/// stream begins with all states, so a reader that reconnects needs no position.
package struct ConsoleEvents: Sendable {
    /// How often a reader looks for updates, and whether its client left.
    static let step = Duration.milliseconds(250)
    /// How often a comment is sent while nothing changes.
    static let keepAlive = Duration.seconds(10)
    /// The maximum number of readers.
    static let maxReaders = (all: 32, ofKey: 8)

    private let cache: LiveStateCache
    private let readers = EventReaders(
        of: "the console's events", limit: maxReaders.all, limitOfKey: maxReaders.ofKey)

    /// - Parameter topics: Each has a name of its own.
    package init(_ topics: [LiveTopic]) { cache = LiveStateCache(topics) }

    /// Streams events until the client leaves, its key ends or the gateway stops.
    package func handle(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let wanted = try wanted(by: request, context)
        let place = try readers.take(context.identity.rootKey)
        let cache = cache
        let reader = EventReader(context.client, mayStillRead: Self.question(of: context.identity, context.keys))
        return EventStream.response(place, to: reader) { writer, departure in
            // Clients see at once that the stream is open.
            try await writer.write(ByteBuffer(string: ": open\n\n"))
            var seen = [UInt64](repeating: 0, count: cache.topics.count)
            var spokeAt = ContinuousClock.now
            // A shutdown does not wait for readers, which can reconnect.
            while !departure.isSet, !Task.isShuttingDownGracefully {
                var bytes = ByteBuffer()
                for update in await cache.updates(of: wanted, after: seen) {
                    seen[update.topic] = update.revision
                    bytes.writeString("event: \(update.event)\ndata: ")
                    bytes.writeBytes(update.data)
                    bytes.writeStaticString("\n\n")
                }
                if bytes.readableBytes == 0, ContinuousClock.now - spokeAt > Self.keepAlive {
                    bytes.writeStaticString(": nothing new\n\n")
                }
                if bytes.readableBytes > 0 {
                    spokeAt = .now
                    try await writer.write(bytes)
                }
                try await Task.sleep(for: Self.step)
            }
        }
    }

    /// The places of the topics that a request names and its key may read; `all` leaves out what it may not read.
    private func wanted(by request: Request, _ context: GatewayRequestContext) throws -> [Int] {
        let names = cache.topics.map(\.name)
        guard let text = try request.parameter("topics") else {
            throw GatewayError.field("topics", "is required: all, or some of \(names.joined(separator: ","))")
        }
        let scopes = context.identity.grant.scopes
        if text == "all" { return cache.topics.indices.filter { scopes.allow(cache.topics[$0].scope) } }
        let places = try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
            guard let place = names.firstIndex(of: String(word)) else {
                throw GatewayError.field("topics", "expected all, or some of \(names.joined(separator: ","))")
            }
            return place
        }
        for place in places { try context.requireScope(cache.topics[place].scope) }
        return Set(places).sorted()
    }

    /// Asks whether a caller that could read may still do so: it needs the rights that it had, since topics differ in theirs.
    private static func question(of identity: Identity, _ keys: KeyRing?) -> @Sendable () async throws -> Bool {
        guard let keys else { return { true } }
        let isGood = keys.question(of: identity, for: .admin)
        return {
            guard try await isGood() else { return false }
            guard let key = identity.keyID else { return true }
            return try await keys.identity(ofKey: key)?.grant == identity.grant
        }
    }
}
