public import Foundation
import GatewayAPI

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Connections to one gateway, with its address, key, timeouts and retry policy.
///
/// Both services and any number of tasks may share one instance.
public final class GatewayConnection: Sendable {
    /// Timeouts of answers, in seconds. Each one runs only while a caller waits.
    public struct Timeouts: Sendable, Hashable {
        /// Until the head of an answer that needs no model, and between its pieces.
        public var data: TimeInterval
        /// Until the head of an answer from a model, which may have to be loaded first.
        public var firstByte: TimeInterval
        /// Between the pieces of a model's answer.
        public var idle: TimeInterval
        /// Between the events of a run, of which the gateway sends one every 10 seconds or a comment.
        public var events: TimeInterval

        /// Creates timeouts; the model timeouts exceed the gateway's own, whose errors are more specific.
        public init(
            data: TimeInterval = 30, firstByte: TimeInterval = 310, idle: TimeInterval = 130,
            events: TimeInterval = 25
        ) {
            self.data = data
            self.firstByte = firstByte
            self.idle = idle
            self.events = events
        }
    }

    /// The maximum size of a whole answer, in bytes.
    public static let maxReplyBytes = 64 << 20
    /// The maximum number of concurrent requests and streams; further ones wait.
    public static let maxConnections = 128
    /// The maximum length of one line of a stream, in bytes.
    public static let maxLineBytes = 16 << 20

    /// The gateway's address.
    public let baseURL: URL
    private let tokens: any TokenStore
    let timeouts: Timeouts
    private let retry: RetryPolicy
    private let session: URLSession
    private let delegate: SessionDelegate

    /// Creates a connection without sending anything.
    ///
    /// - Parameters:
    ///   - address: For example `http://100.64.0.7:5678` or `localhost:5678`; a path becomes the prefix of every route.
    ///   - tokens: The source of the API key.
    ///   - timeouts: How long answers may take.
    ///   - retry: How often and when failed calls are retried. Calls that store something new never are.
    /// - Throws: ``GatewayClientError`` when the address is not an HTTP address.
    public init(
        _ address: String, tokens: any TokenStore = EnvironmentTokenStore(), timeouts: Timeouts = Timeouts(),
        retry: RetryPolicy = RetryPolicy()
    ) throws {
        let text = address.contains("://") ? address : "http://" + address
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty, parts.query == nil,
            parts.fragment == nil, parts.user == nil, parts.password == nil, let url = parts.url
        else {
            throw GatewayClientError(.invalidRequest, "\"\(address)\" is not an address such as http://127.0.0.1:5678")
        }
        baseURL = url
        self.tokens = tokens
        self.timeouts = timeouts
        self.retry = retry
        delegate = SessionDelegate()
        session = URLSession(configuration: Self.configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    // MARK: Calls

    /// Sends a call and decodes its whole answer.
    func send<Reply: Decodable>(_ call: Call, as type: Reply.Type = Reply.self) async throws -> Reply {
        let (data, requestID) = try await answer(to: call)
        do {
            return try JSONDecoder().decode(Reply.self, from: data)
        } catch {
            throw GatewayClientError(
                .undecodable, "the answer to \(call.method) \(call.path) cannot be decoded: \(error)",
                requestID: requestID)
        }
    }

    /// Sends a call whose answer has no body.
    func sendForNothing(_ call: Call) async throws { _ = try await answer(to: call) }

    /// Sends a call and returns the bytes of the reply.
    func sendForData(_ call: Call) async throws -> Data { try await answer(to: call).body }

    private func answer(to call: Call) async throws -> (body: Data, requestID: String) {
        try await repeating(call) { id in
            let exchange = try await self.open(call, id)
            return (try await self.collect(exchange, call, id), id)
        }
    }

    /// Sends a call and returns its answer line by line.
    ///
    /// - Parameter isLast: Whether a line is the last one; a stream that ends without a last line was cut off.
    func lines<Line: Decodable & Sendable>(
        _ call: Call, as type: Line.Type = Line.self, isLast: @escaping @Sendable (Line) -> Bool
    ) async throws -> AsyncThrowingStream<Line, any Error> {
        let (exchange, requestID) = try await repeating(call) { id in (try await self.open(call, id), id) }
        let source = LineSource(
            exchange, idle: .seconds(timeouts.idle), maxBytes: Self.maxLineBytes, requestID: requestID, isLast: isLast)
        // The stream pulls and buffers nothing. Dropping its last reference frees the source, which stops the exchange.
        return AsyncThrowingStream { try await source.next() }
    }

    /// Retries an attempt as the policy and the call allow.
    private func repeating<Value: Sendable>(
        _ call: Call, _ attempt: (_ requestID: String) async throws -> Value
    ) async throws -> Value {
        let id = UUID().uuidString.lowercased()
        var count = 1
        while true {
            do {
                return try await attempt(count == 1 ? id : "\(id)-\(count)")
            } catch let error as GatewayClientError {
                guard call.repetition.allows(error), try await waits(after: error, attempt: count) else { throw error }
                count += 1
            }
        }
    }

    /// Waits after a failed attempt, as the policy says.
    ///
    /// - Parameter attempt: The number of attempts so far, from 1.
    /// - Returns: false, at once, when no attempt is left.
    /// - Throws: ``GatewayClientError`` when the task is cancelled.
    func waits(after error: GatewayClientError, attempt: Int) async throws -> Bool {
        guard
            let pause = retry.delay(afterAttempt: attempt, retryAfter: error.retryAfter, random: .random(in: 0...1))
        else { return false }
        do {
            try await Task.sleep(for: .seconds(pause))
            return true
        } catch {
            throw GatewayClientError(.cancelled, "the call was cancelled")
        }
    }

    /// Sends a request and waits for the head; throws the gateway's error when the status is not 2xx.
    func open(_ call: Call, _ id: String) async throws -> Exchange {
        let request = try await request(call, id)
        let exchange = start(request)
        do {
            let head = try await exchange.head(
                within: .seconds(call.timeout == .model ? timeouts.firstByte : timeouts.data))
            guard !(200..<300).contains(head.status) else { return exchange }
            let body = try await collect(exchange, call, id)
            throw Self.refusal(head, body, id)
        } catch var error as GatewayClientError {
            exchange.stop(error)
            error.requestID = error.requestID ?? id
            throw error
        }
    }

    private func collect(_ exchange: Exchange, _ call: Call, _ id: String) async throws -> Data {
        var data = Data()
        while let piece = try await exchange.next(
            within: .seconds(call.timeout == .model ? timeouts.idle : timeouts.data))
        {
            data += piece
            guard data.count <= Self.maxReplyBytes else {
                let error = GatewayClientError(
                    .tooLarge, "the answer is longer than \(Self.maxReplyBytes) bytes", requestID: id)
                exchange.stop(error)
                throw error
            }
        }
        return data
    }

    private func request(_ call: Call, _ id: String) async throws -> URLRequest {
        var base = baseURL.absoluteString
        while base.hasSuffix("/") { base.removeLast() }
        guard let url = URL(string: base + call.target) else {
            throw GatewayClientError(.invalidRequest, "\"\(call.path)\" is not a valid URL path")
        }
        var request = URLRequest(url: url)
        request.httpMethod = call.method
        request.timeoutInterval = Self.configuration.timeoutIntervalForRequest
        request.setValue(id, forHTTPHeaderField: "X-Request-Id")
        request.setValue("application/json, application/x-ndjson", forHTTPHeaderField: "Accept")
        for (name, value) in call.headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body = call.body {
            request.httpBody = body
            if call.headers["Content-Type"] == nil {
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            }
        }
        let token: String?
        do {
            token = try await tokens.token()
        } catch {
            throw GatewayClientError(.invalidRequest, "the API key cannot be read: \(error)")
        }
        if let token {
            guard token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw GatewayClientError(.invalidRequest, "the API key has characters that a header cannot carry")
            }
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        return request
    }

    private func start(_ request: URLRequest) -> Exchange {
        let exchange = Exchange()
        let task = session.dataTask(with: request)
        delegate.add(exchange, for: task)
        exchange.start(task)
        return exchange
    }

    private static var configuration: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        // A stream occupies a connection for its whole life.
        configuration.httpMaximumConnectionsPerHost = maxConnections
        // Our timeouts run only while a caller waits; the session's would also run while reading is suspended.
        configuration.timeoutIntervalForRequest = 7 * 86_400
        configuration.timeoutIntervalForResource = 7 * 86_400
        return configuration
    }

    private static func refusal(_ head: Exchange.Head, _ body: Data, _ id: String) -> GatewayClientError {
        let said = try? JSONDecoder().decode(ReportedError.self, from: body)
        return GatewayClientError(
            .refused, said?.error ?? "the gateway answered \(head.status)", status: head.status, code: said?.code,
            retryAfter: head.fields["retry-after"].flatMap(Self.seconds), requestID: head.fields["x-request-id"] ?? id)
    }

    /// Returns the seconds of a `Retry-After` value, which is a number or a date.
    static func seconds(_ text: String) -> TimeInterval? {
        if let number = TimeInterval(text.trimmingCharacters(in: .whitespaces)) {
            return number.isFinite ? max(0, number) : nil
        }
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
        return format.date(from: text).map { max(0, $0.timeIntervalSinceNow) }
    }
}
