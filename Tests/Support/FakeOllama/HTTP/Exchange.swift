import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// The phase of a request.
enum Phase: String, Sendable {
    /// The blob is being uploaded.
    case upload
    /// Answered without a model.
    case answering
    /// Waiting for its turn to load, or for a slot.
    case queued
    /// Loading its model.
    case loading
    /// Has its model, but nothing is generated yet.
    case prompt
    /// Generating.
    case streaming
}

/// An error reply of Ollama.
struct APIError: Error {
    let status: Int
    let message: String

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }
}

/// One request and the means to answer it.
final class Exchange: Sendable {
    let server: FakeOllama
    let channel: any Channel
    let head: HTTPRequestHead
    let body: Data
    private let drip: Drip
    private let progress = Mutex(Progress())

    private struct Progress: Sendable {
        var phase = Phase.answering
        var isFinished = false
        var isReplying = false
        var digest: String?
    }

    /// The client left.
    struct ClientGone: Error {}
    /// The fault ended the connection.
    struct Ended: Error {}

    init(server: FakeOllama, channel: any Channel, drip: Drip, head: HTTPRequestHead, body: Data) {
        self.server = server
        self.channel = channel
        self.drip = drip
        self.head = head
        self.body = body
    }

    var path: String { String(head.uri.prefix { $0 != "?" }) }
    var isControl: Bool { path.hasPrefix("/_") }

    /// The digest of the uploaded blob, with its prefix.
    var uploadDigest: String? { progress.withLock { $0.digest } }
    func setUploadDigest(_ digest: String) { progress.withLock { $0.digest = digest } }

    func enter(_ phase: Phase) { progress.withLock { $0.phase = phase } }

    func begin() {
        guard !isControl else { return }
        server.state.withLock { state in
            state.statistics.requests[path, default: 0] += 1
            state.statistics.inFlight += 1
            state.statistics.maxInFlight = max(state.statistics.maxInFlight, state.statistics.inFlight)
            state.statistics.lastHeaders = Dictionary(
                head.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
            state.statistics.lastBody = String(decoding: body.prefix(64 << 10), as: UTF8.self)
            state.lastRequest = request
            if state.received.count >= 512 { state.received.removeFirst() }
            state.received.append(request)
        }
    }

    /// The request as received.
    var request: FakeOllama.Request {
        .init(
            method: head.method.rawValue, target: head.uri,
            headers: head.headers.map { .init(name: $0.name, value: $0.value) },
            body: String(decoding: body.prefix(64 << 10), as: UTF8.self))
    }

    func run() async {
        var isComplete = false
        do {
            drip.rate = nil
            try await API(exchange: self).answer(drip: drip)
            isComplete = true
        } catch is Ended {
            isComplete = true
        } catch let error as APIError {
            isComplete = (try? await send(error)) != nil
        } catch {
            isComplete = false
        }
        finish(isComplete: isComplete)
    }

    /// Ends the exchange of a client that left before its request was complete.
    func abandon() { finish(isComplete: false) }

    private func finish(isComplete: Bool) {
        let progress = progress.withLock { progress in
            defer { progress.isFinished = true }
            return progress
        }
        guard !isControl, !progress.isFinished else { return }
        server.state.withLock { state in
            state.statistics.inFlight -= 1
            if isComplete {
                state.statistics.completed += 1
            } else {
                state.statistics.cancelled += 1
                state.statistics.cancelledIn[progress.phase.rawValue, default: 0] += 1
            }
        }
    }

    // MARK: Writing

    /// Larger bodies are sent in chunks, as Go's server does.
    private static let wholeLimit = 2048

    /// Sends a whole reply. A fault may cut or break it in the middle.
    func send(
        status: Int = 200, type: String? = "application/json; charset=utf-8", headers: [(String, String)] = [],
        fault: Fault.Kind? = nil, _ text: String = ""
    ) async throws {
        var bytes = ByteBuffer(string: text)
        var fields = headers
        if let type { fields.append(("Content-Type", type)) }
        if bytes.readableBytes <= Self.wholeLimit { fields.append(("Content-Length", "\(bytes.readableBytes)")) }
        try await startReply(status: status, headers: fields)
        if head.method != .HEAD, bytes.readableBytes > 0 {
            let half = bytes.readableBytes / 2
            switch fault {
            case .cut, .reset:
                if let piece = bytes.readSlice(length: half) { try await write(piece) }
                if case .reset = fault { try await hangUp(reset: true) }
                try await hangUp(reset: false)
            case .badJSON:
                let filler = ByteBuffer(repeating: 0x20, count: bytes.readableBytes - half)
                if let piece = bytes.readSlice(length: half) { try await write(piece) }
                try await write(filler)
            default:
                // With a length, the client has all of the reply before its end is written.
                if bytes.readableBytes <= Self.wholeLimit { finish(isComplete: true) }
                try await write(bytes)
            }
        }
        try await endReply()
    }

    /// Sends an error in the format of the path; nothing if the reply has begun.
    func send(_ error: APIError) async throws {
        guard !progress.withLock({ $0.isReplying }) else { return try await endReply() }
        guard path.hasPrefix("/v1/") else {
            return try await send(status: error.status, JSON.compact(["error": .string(error.message)]).encoded)
        }
        try await send(
            status: error.status, type: "application/json", OpenAI.error(error).encoded + "\n")
    }

    func startReply(status: Int, headers: [(String, String)]) async throws {
        progress.withLock { $0.isReplying = true }
        var fields = HTTPHeaders(headers)
        fields.add(name: "Date", value: "Thu, 01 Jan 2026 00:00:00 GMT")
        if !head.isKeepAlive { fields.add(name: "Connection", value: "close") }
        let reply = HTTPResponseHead(
            version: head.version, status: HTTPResponseStatus(statusCode: status), headers: fields)
        try Task.checkCancellation()
        guard channel.isActive else { throw ClientGone() }
        // Sent with the body's first bytes, or with the end.
        channel.write(HTTPServerResponsePart.head(reply), promise: nil)
    }

    /// Writes bytes and waits until the socket took them: a slow client slows the server.
    func write(_ bytes: ByteBuffer) async throws {
        try await put(.body(.byteBuffer(bytes)))
        server.state.withLock { $0.statistics.bytesWritten += bytes.readableBytes }
    }

    /// Sends a head before any byte of the body.
    func flush() { channel.flush() }

    /// Ends the reply. It counts as completed before its last bytes are sent, so a client that got them sees the count.
    func endReply() async throws {
        finish(isComplete: true)
        try await put(.end(nil))
        if !head.isKeepAlive { try? await channel.close() }
    }

    func pause(_ seconds: Double) async throws {
        if seconds > 0 { try await Task.sleep(for: .seconds(seconds)) }
        try Task.checkCancellation()
    }

    /// Closes the connection, normally or with a reset.
    func hangUp(reset: Bool) async throws -> Never {
        if reset, let option = channel as? any SocketOptionProvider {
            try? await option.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try? await channel.close()
        throw Ended()
    }

    private func put(_ part: HTTPServerResponsePart) async throws {
        try Task.checkCancellation()
        guard channel.isActive else { throw ClientGone() }
        try await channel.writeAndFlush(part).get()
    }
}
