public import NIOCore

/// Cuts a byte stream into whole lines without touching a byte.
///
/// Lines end at `\n` alone: U+0085, U+2028 and U+2029 are text. All whole lines that a chunk completes come out as one
/// buffer, so that forwarding costs one write for each chunk, not for each line.
public struct LineFramer: Sendable {
    private let maxLineBytes: Int
    private var rest = ByteBuffer()

    /// Creates a framer.
    ///
    /// - Parameter maxLineBytes: The longest line, its end not counted.
    public init(maxLineBytes: Int) { self.maxLineBytes = maxLineBytes }

    /// Takes a chunk; returns the whole lines that are complete now, each with its `\n`, or nil when there is none.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/lineTooLong``.
    public mutating func push(_ chunk: ByteBuffer) throws(UpstreamError) -> ByteBuffer? {
        var chunk = chunk
        let view = chunk.readableBytesView
        guard let last = view.lastIndex(of: UInt8(ascii: "\n")) else {
            rest.writeBuffer(&chunk)
            guard rest.readableBytes <= maxLineBytes else { throw tooLong() }
            return nil
        }
        let first = rest.readableBytes > 0 || view.count > maxLineBytes ? view.firstIndex(of: UInt8(ascii: "\n")) : nil
        if let first, rest.readableBytes + (first - view.startIndex) > maxLineBytes { throw tooLong() }
        guard var lines = chunk.readSlice(length: last - view.startIndex + 1) else { return nil }
        guard chunk.readableBytes <= maxLineBytes else { throw tooLong() }
        if rest.readableBytes > 0 {
            rest.writeBuffer(&lines)
            lines = rest
            rest = ByteBuffer()
        }
        if chunk.readableBytes > 0 { rest.writeBuffer(&chunk) }
        return lines
    }

    /// The bytes after the last line end; a stream that was cut leaves some.
    public var remainder: ByteBuffer { rest }

    private func tooLong() -> UpstreamError {
        UpstreamError(.lineTooLong, "a line of the stream is longer than \(maxLineBytes) bytes")
    }
}

/// The whole lines of an upstream's NDJSON, as many at a time as are ready.
///
/// A last line without its `\n` gets one. Bytes after the last line end of a body that failed are dropped: half a line
/// helps nobody.
public struct NDJSONLines: AsyncSequence, Sendable {
    /// One or more whole lines, each with its `\n`.
    public typealias Element = ByteBuffer

    private let body: UpstreamBody
    private let maxLineBytes: Int

    /// Creates the sequence; the body has one consumer.
    public init(_ body: UpstreamBody, maxLineBytes: Int = 16 << 20) {
        self.body = body
        self.maxLineBytes = maxLineBytes
    }

    /// Begins to consume the lines.
    public func makeAsyncIterator() -> Iterator {
        Iterator(body: body.makeAsyncIterator(), framer: LineFramer(maxLineBytes: maxLineBytes))
    }

    /// Takes the lines as they come.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var body: UpstreamBody.Iterator
        fileprivate var framer: LineFramer
        private var isDone = false

        fileprivate init(body: UpstreamBody.Iterator, framer: LineFramer) {
            self.body = body
            self.framer = framer
        }

        /// The next whole lines; nil at the end.
        ///
        /// - Throws: ``UpstreamError``.
        public mutating func next() async throws -> ByteBuffer? {
            while !isDone {
                guard let chunk = try await body.next() else {
                    isDone = true
                    var last = framer.remainder
                    guard last.readableBytes > 0 else { return nil }
                    last.writeInteger(UInt8(ascii: "\n"))
                    return last
                }
                if let lines = try framer.push(chunk) { return lines }
            }
            return nil
        }
    }
}
