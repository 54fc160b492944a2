import GatewayAPI
import HTTPTypes
import Hummingbird
import NIOCore
import Server
import ServiceLifecycle
import Storage
import Synchronization

/// `GET /api/jobs/:id/events`: the job as it stands, then each change, until it ends.
///
/// Nothing is queued: a reader that is slow sees the latest state, not every one. An event's id is the job's revision, so
/// a reader that comes back with `Last-Event-ID` is told only what is new.
struct JobEvents: Sendable {
    /// How often the job is looked at.
    static let interval = Duration.milliseconds(250)
    /// How often a line goes out when nothing changes, so that nobody takes the connection for dead.
    static let keepAlive = Duration.seconds(15)

    let jobs: JobStore
    let id: Int64
    /// The revision that the reader has.
    let seen: Int64?
    /// The reader's place, held until the response is dropped, sent or not.
    let place: JobReaders.Place
    let client: ClientConnection

    /// The response that streams.
    func response() -> Response {
        Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-cache", .accelBuffering: "no"],
            body: ResponseBody { [place] writer in
                _ = place
                let isGone = Flag()
                client.onDeparture { isGone.set() }
                defer { client.stopWatching() }
                try await copy(to: &writer, isGone)
                try await writer.finish(nil)
            })
    }

    @concurrent private func copy(to writer: inout any ResponseBodyWriter, _ isGone: Flag) async throws {
        var seen = seen
        var spokeAt = ContinuousClock.now
        while !isGone.isSet {
            let job = try await jobs.find(id).job
            if job.revision != seen {
                seen = job.revision
                spokeAt = .now
                var event = ByteBuffer(string: "id: \(job.revision)\nevent: job\ndata: ")
                event.writeBytes(try JSONReply.data(job))
                event.writeStaticString("\n\n")
                try await writer.write(event)
            } else if ContinuousClock.now - spokeAt > Self.keepAlive {
                spokeAt = .now
                try await writer.write(ByteBuffer(string: ": still \(job.state.rawValue)\n\n"))
            }
            // A server that shuts down does not wait for its readers; they come back to another one.
            if job.state.isFinal || Task.isShuttingDownGracefully { return }
            try await Task.sleep(for: Self.interval)
        }
    }

    private final class Flag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }
}
