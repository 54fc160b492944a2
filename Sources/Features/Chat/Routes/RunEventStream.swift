import ChatRun
import GatewayAPI
import HTTPTypes
import Hummingbird
import NIOCore
import Server
import ServiceLifecycle

/// `GET /api/chat/runs/:id/events`: what a reader lacks, then what follows, until the run ends.
///
/// The reader holds only a position; nothing is queued for it. A reader that leaves changes nothing in the run.
struct RunEventStream: Sendable {
    /// How often a run of another process is looked at in the database.
    private static let lookInterval = Duration.milliseconds(500)

    let service: ChatService
    let id: String
    let lastEventID: String?
    let place: EventReaders.Place
    let client: EventReader

    /// The streaming response.
    func response() -> Response { EventStream.response(place, to: client) { try await copy(to: &$0, $1) } }

    @concurrent private func copy(to writer: inout any ResponseBodyWriter, _ gone: ClientDisconnect) async throws {
        var lastEventID = lastEventID
        while !gone.isSet, let run = service.live(id) {
            guard let next = try await follow(run, after: lastEventID, &writer, gone) else { return }
            lastEventID = next
        }
        try await copyStored(to: &writer, gone)
    }

    /// Follows a run of this process. Returns nil when the stream is complete or the reader left, else the last id: the
    /// run was continued as another one.
    @concurrent private func follow(
        _ run: LiveRun, after lastEventID: String?, _ writer: inout any ResponseBodyWriter, _ gone: ClientDisconnect
    ) async throws -> String? {
        var (reader, read) = await run.attach(lastEventID: lastEventID)
        let number = reader
        gone.onSet { Task { await run.detach(number) } }
        defer { Task { await run.detach(number) } }
        reader = number
        var isFirst = true
        while true {
            var bytes = ByteBuffer()
            for frame in read.frames { bytes.writeBytes(frame.serverSentEvent) }
            if read.frames.isEmpty, !isFirst, !read.isComplete { bytes.writeStaticString(": still at work\n\n") }
            if isFirst, bytes.readableBytes == 0 { bytes.writeStaticString(": attached\n\n") }
            isFirst = false
            if bytes.readableBytes > 0 { try await writer.write(bytes) }
            // A shutdown does not wait for readers, which can reconnect.
            if read.isComplete { return nil }
            if await !run.has(reader) { return nil }
            read = await run.read(reader, after: read.next)
        }
    }

    /// Sends a run of the database: what another process has stored of it, then the whole once it has ended.
    @concurrent private func copyStored(to writer: inout any ResponseBodyWriter, _ gone: ClientDisconnect) async throws
    {
        var (progress, sentAt) = (StoredProgress(), ContinuousClock.Instant?.none)
        while !gone.isSet {
            let run = try await service.find(id)
            guard !run.state.isFinal else {
                var log = StoredProgress.log(of: run)
                var bytes = ByteBuffer(bytes: RunFrame.snapshot(log.snapshot).serverSentEvent)
                log.append(StoredEvents.end(of: run))
                if let last = log.snapshot.events.last {
                    bytes.writeBytes(RunFrame.event(last.event, end: log.end).serverSentEvent)
                }
                return try await writer.write(bytes)
            }
            var bytes = ByteBuffer()
            for frame in progress.frames(of: run) { bytes.writeBytes(frame.serverSentEvent) }
            if bytes.readableBytes == 0, sentAt.map({ ContinuousClock.now - $0 > ChatLimits.keepAlive }) ?? true {
                bytes.writeStaticString(": another process works on this run\n\n")
            }
            if bytes.readableBytes > 0 {
                sentAt = .now
                try await writer.write(bytes)
            }
            if Task.isShuttingDownGracefully { return }
            try await Task.sleep(for: Self.lookInterval)
        }
    }
}

/// What readers have of a run that another process works on.
struct StoredProgress {
    private var log: RunLog?
    private var record = ChatRecord()

    /// A log with the text and events that are stored.
    static func log(of run: ChatRun) -> RunLog {
        let text = run.text ?? ""
        return RunLog(
            text: text, events: StoredEvents.of(run.record ?? ChatRecord(), textBytes: text.utf8.count), life: run.life)
    }

    /// The frames that readers lack: more text, or all of it again when anything else has changed.
    mutating func frames(of run: ChatRun) -> [RunFrame] {
        let text = run.text ?? ""
        var now = run.record ?? ChatRecord()
        // Durations change each time, and are no event.
        now.timingsMilliseconds = [:]
        guard var known = log, now == record, known.end.life == run.life, text.utf8.starts(with: known.utf8) else {
            let isNew = log != nil || !text.isEmpty || now != ChatRecord()
            let fresh = Self.log(of: run)
            (log, record) = (fresh, now)
            return isNew ? [.snapshot(fresh.snapshot)] : []
        }
        let place = known.end
        known.append(String(decoding: text.utf8.dropFirst(known.utf8.count), as: UTF8.self))
        log = known
        return known.read(after: place, maxBytes: .max).frames
    }
}
