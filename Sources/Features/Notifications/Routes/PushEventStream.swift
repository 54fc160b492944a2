import GatewayAPI
import HTTPTypes
import Hummingbird
import NIOCore
import PushRoom
import Server
import ServiceLifecycle

/// Streams events as server-sent events: for a device its notifications and recalls, else all.
///
/// A reader joins the hub before it reads rows, so no event falls between replay and live. The ids are those of the rows,
/// so none comes twice. A reader whose last event is unknown or pruned gets one `reset` and starts anew.
struct PushEventStream: Sendable {
    /// How often a comment is sent while nothing happens, to keep the connection alive.
    static let keepAlive = Duration.seconds(15)
    /// Events that one query reads.
    private static let batch = 100

    let reading: PushReading
    /// The device whose notifications are read; nil for all events.
    let device: StoredPushDevice?
    /// The last event that the reader has; nil for what happens from now on.
    let seen: Int64?
    let reader: EventReader

    /// The streaming response.
    func response(_ place: EventReaders.Place) -> Response {
        EventStream.response(place, to: reader) { writer, gone in
            let reader = reading.hub.join(device?.uuid)
            gone.onSet { reader.wakeSignal.signal() }
            try await copy(to: &writer, reader, gone)
        }
    }

    @concurrent private func copy(
        to writer: inout any ResponseBodyWriter, _ reader: StreamHub.Reader, _ gone: ClientDisconnect
    ) async throws {
        let log = reading.room.log
        var seen = seen
        var spoke = ContinuousClock.now
        // Clients see at once that the stream is open.
        try await writer.write(ByteBuffer(string: ": open\n\n"))
        while !gone.isSet, !Task.isStopping {
            let signals = reader.hub.signals
            let batch = try await log.events(
                after: seen, device: device?.id, kinds: device == nil ? [] : ["sent", "recalled"],
                hasBodies: device != nil, limit: Self.batch)
            switch batch {
            case .reset(let newest):
                seen = newest
                spoke = .now
                try await writer.write(ByteBuffer(string: "id: \(newest)\nevent: reset\ndata: {}\n\n"))
            case .events(let events, let newest):
                for event in events {
                    try await writer.write(try text(of: event, isDevice: device != nil))
                    spoke = .now
                }
                seen = newest
                if events.count == Self.batch { continue }
                if ContinuousClock.now - spoke > Self.keepAlive {
                    spoke = .now
                    try await writer.write(ByteBuffer(string: ": still here\n\n"))
                    if let device { try? await reading.room.devices.markSeen(device.id) }
                }
                await reader.wait(
                    after: newest, signals: signals, until: spoke + Self.keepAlive,
                    isOver: { gone.isSet || Task.isStopping },
                    newestEvent: log.newestEvent)
            }
        }
    }

    private func text(of stored: StoredPushEvent, isDevice: Bool) throws -> ByteBuffer {
        let name = isDevice ? (stored.kind == "sent" ? "notification" : "recall") : stored.kind
        var text = ByteBuffer(string: "id: \(stored.id)\nevent: \(name)\ndata: ")
        var event = Explainer.event(stored)
        event.message = reading.pictures.shown(event.message, of: event.notification)
        text.writeBytes(try JSONReply.data(event))
        text.writeStaticString("\n\n")
        return text
    }
}
