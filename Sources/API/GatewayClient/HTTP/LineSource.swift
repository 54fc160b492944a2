import Foundation

/// Reads lines of JSON from an exchange, one at a time. Its deinit stops the exchange.
actor LineSource<Line: Decodable & Sendable> {
    private let exchange: Exchange
    private let idle: Duration
    private let requestID: String
    private let isLast: @Sendable (Line) -> Bool
    private let decoder = JSONDecoder()
    private var buffer: LineBuffer
    private var isDone = false
    private var isBusy = false

    init(
        _ exchange: Exchange, idle: Duration, maxBytes: Int, requestID: String,
        isLast: @escaping @Sendable (Line) -> Bool
    ) {
        self.exchange = exchange
        self.idle = idle
        self.requestID = requestID
        self.isLast = isLast
        buffer = LineBuffer(maxBytes: maxBytes)
    }

    deinit { exchange.stop(GatewayClientError(.cancelled, "the stream's reader is gone")) }

    /// Returns the next line; nil after the last one.
    ///
    /// - Throws: ``GatewayClientError``.
    func next() async throws -> Line? {
        guard !isBusy else {
            throw GatewayClientError(.invalidRequest, "a stream has one reader at a time", requestID: requestID)
        }
        isBusy = true
        defer { isBusy = false }
        do {
            return try await nextLine()
        } catch var error as GatewayClientError {
            error.requestID = error.requestID ?? requestID
            exchange.stop(error)
            throw error
        }
    }

    private func nextLine() async throws -> Line? {
        guard !isDone else {
            // The connection is reusable only after the end of the body was read.
            while let rest = try? await exchange.next(within: .seconds(1)), !rest.isEmpty {}
            return nil
        }
        while true {
            while let bytes = buffer.next() {
                if bytes.isEmpty { continue }
                let line = try decoded(bytes)
                isDone = isLast(line)
                return line
            }
            guard let piece = try await exchange.next(within: idle) else {
                throw GatewayClientError(.cut, "the answer ended before it was complete")
            }
            try buffer.append(piece)
        }
    }

    private func decoded(_ bytes: Data) throws -> Line {
        do {
            return try decoder.decode(Line.self, from: bytes)
        } catch {
            if let failure = try? decoder.decode(ReportedError.self, from: bytes) {
                throw GatewayClientError(.cut, failure.error, code: failure.code)
            }
            throw GatewayClientError(.undecodable, "a line of the answer cannot be decoded: \(error)")
        }
    }
}

/// The gateway's error body, before an answer or in the middle of one; Ollama's has no code.
struct ReportedError: Decodable {
    var error: String
    var code: String?
}

/// Splits bytes into lines.
struct LineBuffer {
    private let maxBytes: Int
    private var bytes = Data()
    /// Offsets of the next line's first byte, and of the first byte not yet searched for a line end.
    private var start = 0
    private var searched = 0

    init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// Appends received bytes.
    ///
    /// - Throws: ``GatewayClientError`` when a line exceeds `maxBytes`.
    mutating func append(_ piece: Data) throws {
        bytes.removeFirst(start)
        bytes = Data(bytes)
        searched -= start
        start = 0
        bytes.append(piece)
        guard bytes.count <= maxBytes || bytes.contains(UInt8(ascii: "\n")) else {
            throw GatewayClientError(.tooLarge, "a line of the answer is longer than \(maxBytes) bytes")
        }
    }

    /// Returns the next complete line without its line end; nil when there is none yet.
    mutating func next() -> Data? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        defer { (start, searched) = (end + 1, end + 1) }
        return bytes[start..<end]
    }
}
