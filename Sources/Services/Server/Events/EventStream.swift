import HTTPTypes
package import Hummingbird

/// The response of a route that streams server-sent events.
package enum EventStream {
    /// Creates a response.
    ///
    /// - Parameters:
    ///   - place: The reader's place, held until the response is dropped.
    ///   - contentType: The type of a stream of another form.
    ///   - copy: Writes the events. The stream ends when it returns.
    package static func response(
        _ place: EventReaders.Place, contentType: String = "text/event-stream",
        copy: @escaping @concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: contentType, .cacheControl: "no-cache", .accelBuffering: "no"],
            body: ResponseBody { [place] writer in
                _ = place
                try await copy(&writer)
                try await writer.finish(nil)
            })
    }

    /// Creates a response whose stream ends itself once its client left.
    ///
    /// - Parameter copy: Writes the events, and returns soon after the departure is set.
    package static func response(
        _ place: EventReaders.Place, to client: ClientConnection,
        copy: @escaping @concurrent @Sendable (inout any ResponseBodyWriter, Departure) async throws -> Void
    ) -> Response {
        response(place) { writer in
            let departure = Departure()
            client.onDeparture { departure.set() }
            defer { client.stopWatching() }
            try await copy(&writer, departure)
        }
    }
}
