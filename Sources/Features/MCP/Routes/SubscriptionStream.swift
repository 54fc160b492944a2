import HTTPTypes
import Hummingbird
import NIOCore
import Server
import ServiceLifecycle

/// The stream of a `subscriptions/listen`: server-sent events until the client leaves or the gateway shuts down.
struct SubscriptionStream: Sendable {
    /// How often a comment line is sent while nothing changes, to keep the connection alive.
    private static let keepAlive = Duration.seconds(15)

    let subscription: MCPSubscription
    let reader: EventReader

    func response(_ place: EventReaders.Place) -> Response {
        EventStream.response(place, to: reader) { try await copy(to: &$0, $1) }
    }

    @concurrent private func copy(to writer: inout any ResponseBodyWriter, _ disconnect: ClientDisconnect) async throws
    {
        var subscription = subscription
        try await writer.write(Self.event(subscription.acknowledgement))
        var spokeAt = ContinuousClock.now
        while !disconnect.isSet {
            // The client listens again and reads what it wants when a shutdown ends its stream.
            if Task.isShuttingDownGracefully { return try await writer.write(Self.event(subscription.end)) }
            let notices = try await subscription.changes()
            for notice in notices { try await writer.write(Self.event(notice)) }
            if !notices.isEmpty {
                spokeAt = .now
            } else if ContinuousClock.now - spokeAt > Self.keepAlive {
                spokeAt = .now
                try await writer.write(ByteBuffer(string: ": still here\n\n"))
            }
            try await Task.sleep(for: subscription.interval)
        }
    }

    private static func event(_ json: [UInt8]) -> ByteBuffer {
        var event = ByteBuffer(string: "event: message\ndata: ")
        event.writeBytes(json)
        event.writeStaticString("\n\n")
        return event
    }
}
