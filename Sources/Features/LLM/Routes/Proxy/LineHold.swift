import NIOCore

/// Keeps the beginning of a line back until its end comes: clients decode what they get at once.
///
/// A beginning of more than ``limit`` bytes is let go, so that no line has to fit in memory.
struct LineHold {
    /// Bytes of a line that are held at most.
    static let limit = 256 << 10

    private var rest = ByteBuffer()
    /// Whether all that was let through ends with a line's end.
    private(set) var endsWithLine = true

    /// Takes bytes and returns those that may go on; nil when all are held.
    mutating func push(_ chunk: ByteBuffer) -> ByteBuffer? {
        var chunk = chunk
        let view = chunk.readableBytesView
        let whole = view.lastIndex(of: UInt8(ascii: "\n")).map { $0 - view.startIndex + 1 } ?? 0
        if whole == view.count, rest.readableBytes == 0 { return passed(chunk, whole: true) }
        if whole == 0 {
            rest.writeBuffer(&chunk)
            guard rest.readableBytes > Self.limit else { return nil }
            return passed(takeRest(), whole: false)
        }
        guard var lines = chunk.readSlice(length: whole) else { return nil }
        if rest.readableBytes > 0 {
            var joined = takeRest()
            joined.writeBuffer(&lines)
            lines = joined
        }
        rest = chunk
        return passed(lines, whole: true)
    }

    /// What is still held at the end of the stream.
    mutating func finish() -> ByteBuffer? { rest.readableBytes > 0 ? takeRest() : nil }

    private mutating func passed(_ bytes: ByteBuffer, whole: Bool) -> ByteBuffer {
        endsWithLine = whole
        return bytes
    }

    private mutating func takeRest() -> ByteBuffer {
        defer { rest = ByteBuffer() }
        return rest
    }
}
