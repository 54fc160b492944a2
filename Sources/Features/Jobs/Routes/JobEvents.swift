import Database
import GatewayAPI
import HTTPTypes
import Hummingbird
import JobRoom
import NIOCore
import Server
import ServiceLifecycle
import Storage

/// `GET /api/jobs/:id/events`: streams the current state of a job, then its changes, until the job ends.
///
/// Nothing is queued: a slow reader gets the latest state and misses those in between. An event's id is the job's
/// revision, so a reader that reconnects with `Last-Event-ID` gets only newer states. While the records are away the reader
/// waits.
struct JobEvents: Sendable {
    /// How often the job's row is read.
    static let interval = Duration.milliseconds(250)
    /// How often a comment line is sent while nothing changes, to keep the connection alive.
    static let keepAlive = Duration.seconds(15)

    let jobs: JobRoom
    let id: Int64
    /// The revision that the reader has already.
    let seen: Int64?
    /// The reader's place, held until the response is dropped.
    let place: EventReaders.Place
    let reader: EventReader

    /// The streaming response.
    func response() -> Response {
        EventStream.response(place, to: reader) { try await copy(to: &$0, $1) }
    }

    @concurrent private func copy(to writer: inout any ResponseBodyWriter, _ disconnect: ClientDisconnect) async throws
    {
        var seen = seen
        var spokeAt = ContinuousClock.now
        while !disconnect.isSet {
            let job = try await poll()
            if let job, job.revision != seen {
                seen = job.revision
                spokeAt = .now
                var event = ByteBuffer(string: "id: \(job.revision)\nevent: job\ndata: ")
                event.writeBytes(try JSONReply.data(job))
                event.writeStaticString("\n\n")
                try await writer.write(event)
            } else if ContinuousClock.now - spokeAt > Self.keepAlive {
                spokeAt = .now
                try await writer.write(ByteBuffer(string: ": still \(job?.state.rawValue ?? "there")\n\n"))
            }
            // A shutdown does not wait for readers, which can reconnect.
            if job?.state.isFinal == true || Task.isShuttingDownGracefully { return }
            try await Task.sleep(for: Self.interval)
        }
    }

    /// Reads the job; nil while the records are away or busy.
    private func poll() async throws -> Job? {
        do {
            return try await jobs.find(id).job
        } catch let error as any TransientError where error.isTransient {
            return nil
        }
    }
}
