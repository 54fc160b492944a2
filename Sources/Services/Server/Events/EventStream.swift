import Access
package import GatewayAPI
import HTTPTypes
package import Hummingbird

/// Who reads a stream of events.
package struct EventReader: Sendable {
    let client: ClientConnection
    let mayStillRead: @Sendable () async throws -> Bool

    /// - Parameter mayStillRead: Whether the reader's key still allows the stream. An error counts as yes: the keys cannot be read now.
    package init(_ client: ClientConnection, mayStillRead: @escaping @Sendable () async throws -> Bool) {
        (self.client, self.mayStillRead) = (client, mayStillRead)
    }
}

extension GatewayRequestContext {
    /// The sender of the request as the reader of a stream that needs a scope.
    package func eventReader(_ scope: KeyScope) -> EventReader {
        guard let keys else { return EventReader(client) { true } }
        return EventReader(client, mayStillRead: keys.question(of: identity, for: scope))
    }
}

/// The response of a route that streams events.
package enum EventStream {
    /// How often a stream asks whether its reader may still read.
    private static let check = Duration.seconds(1)

    /// Creates a response whose stream ends soon after its client left or lost its right to read: a key that was revoked, has
    /// expired or was narrowed ends its streams.
    ///
    /// - Parameters:
    ///   - place: The reader's place, held until the response is dropped.
    ///   - contentType: The type of a stream of another form than server-sent events.
    ///   - copy: Writes the events, and returns soon after the disconnect is set.
    package static func response(
        _ place: EventReaders.Place, to reader: EventReader, contentType: String = "text/event-stream",
        copy: @escaping @concurrent @Sendable (inout any ResponseBodyWriter, ClientDisconnect) async throws -> Void
    ) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: contentType, .cacheControl: "no-cache", .accelBuffering: "no"],
            body: ResponseBody { [place] writer in
                _ = place
                let disconnect = ClientDisconnect()
                reader.client.onDeparture { disconnect.set() }
                let watch = Task {
                    while !disconnect.isSet {
                        try await Task.sleep(for: check)
                        if (try? await reader.mayStillRead()) == false { disconnect.set() }
                    }
                }
                defer {
                    watch.cancel()
                    reader.client.stopWatching()
                }
                try await copy(&writer, disconnect)
                try await writer.finish(nil)
            })
    }
}
