package import NIOCore

/// Cuts a byte stream into whole lines without changing a byte.
///
/// Lines end at `\n` alone: U+0085, U+2028 and U+2029 are text. All lines that a chunk completes come out as one
/// buffer, so that forwarding costs one write for each chunk, not for each line.
package struct LineFramer: Sendable {
    /// What becomes of a line that is longer than the limit.
    package enum Overflow: Sendable, Hashable {
        /// It is an error.
        case fails
        /// Its beginning comes out as it is, so that no line has to fit in memory.
        case passes
    }

    private let maxLineBytes: Int
    private let overflow: Overflow
    private var rest = ByteBuffer()
    /// Whether all that came out ends with a line's end; always true where a line that is too long is an error.
    package private(set) var endsWithLine = true

    /// Creates a framer.
    ///
    /// - Parameter maxLineBytes: The longest line, without its end.
    package init(maxLineBytes: Int, overflow: Overflow = .fails) {
        self.maxLineBytes = maxLineBytes
        self.overflow = overflow
    }

    /// Adds a chunk. Returns all lines that are now complete, each with its `\n`, or nil when there are none.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/lineTooLong``.
    package mutating func push(_ chunk: ByteBuffer) throws(UpstreamError) -> ByteBuffer? {
        var chunk = chunk
        let view = chunk.readableBytesView
        guard let last = view.lastIndex(of: UInt8(ascii: "\n")) else {
            rest.writeBuffer(&chunk)
            guard rest.readableBytes > maxLineBytes else { return nil }
            guard overflow == .passes else { throw tooLong() }
            endsWithLine = false
            return takeRemainder()
        }
        let length = last - view.startIndex + 1
        if overflow == .fails {
            try check(view)
        } else if length == view.count, rest.readableBytes == 0 {
            endsWithLine = true
            return chunk
        }
        guard var lines = chunk.readSlice(length: length) else { return nil }
        if rest.readableBytes > 0 {
            rest.writeBuffer(&lines)
            lines = takeRemainder()
        }
        if chunk.readableBytes > 0 { rest = chunk }
        endsWithLine = true
        return lines
    }

    /// The bytes after the last line end, which a stream that was cut leaves.
    package var remainder: ByteBuffer { rest }

    /// Takes ``remainder`` out.
    package mutating func takeRemainder() -> ByteBuffer {
        defer { rest = ByteBuffer() }
        return rest
    }

    /// Refuses a chunk with a line that is too long, counting what came before the chunk.
    private func check(_ chunk: ByteBufferView) throws(UpstreamError) {
        // A chunk that is smaller than the limit, with what came before it, cannot hold such a line.
        guard rest.readableBytes + chunk.count > maxLineBytes else { return }
        var length = rest.readableBytes
        for byte in chunk {
            length = byte == UInt8(ascii: "\n") ? 0 : length + 1
            if length > maxLineBytes { throw tooLong() }
        }
    }

    private func tooLong() -> UpstreamError {
        UpstreamError(.lineTooLong, "a line of the stream is longer than \(maxLineBytes) bytes")
    }
}

/// The lines of an upstream's NDJSON, as many at a time as are ready.
///
/// A last line without `\n` gets one. When a body fails, the bytes after its last line end are dropped, because half a
/// line is useless.
package struct NDJSONLines: AsyncSequence, Sendable {
    /// One or more whole lines, each with its `\n`.
    package typealias Element = ByteBuffer

    private let body: UpstreamBody
    private let maxLineBytes: Int

    /// Creates the sequence. The body has one consumer.
    package init(_ body: UpstreamBody, maxLineBytes: Int = 16 << 20) {
        self.body = body
        self.maxLineBytes = maxLineBytes
    }

    /// Begins to consume the lines.
    package func makeAsyncIterator() -> Iterator {
        Iterator(body: body.makeAsyncIterator(), framer: LineFramer(maxLineBytes: maxLineBytes))
    }

    /// Takes lines as they arrive.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var body: UpstreamBody.Iterator
        fileprivate var framer: LineFramer
        private var isDone = false

        fileprivate init(body: UpstreamBody.Iterator, framer: LineFramer) {
            self.body = body
            self.framer = framer
        }

        /// Returns the next whole lines; nil at the end.
        ///
        /// - Throws: ``UpstreamError``.
        package mutating func next() async throws -> ByteBuffer? {
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
