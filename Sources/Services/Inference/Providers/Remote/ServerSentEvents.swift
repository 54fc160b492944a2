package import NIOCore
package import Transport

/// Reads server-sent events: bytes in, events out. Pure.
///
/// Lines end at `\n` or `\r\n`. Comments, ids and retry times are passed over.
package struct ServerSentEvents: Sendable {
    /// An event with data.
    package struct Event: Sendable, Hashable {
        /// The value of `event:`; empty when there is none.
        package var name = ""
        /// The lines of `data:`, joined by line ends.
        package var data: [UInt8] = []
    }

    /// The most bytes of an event.
    private static let limit = 16 << 20

    private var framer = LineFramer(maxLineBytes: ServerSentEvents.limit)
    private var current = Event()
    private var hasData = false
    private var isAtStart = true

    package init() {}

    /// Reads the next bytes.
    ///
    /// - Returns: The events that they complete, and the error that follows them, after which nothing can be read.
    package mutating func push(_ bytes: ByteBuffer) -> (events: [Event], error: UpstreamError?) {
        var events: [Event] = []
        do throws(UpstreamError) {
            guard let lines = try framer.push(bytes) else { return ([], nil) }
            for line in lines.readableBytesView.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
                try read(Array(line), &events)
            }
            return (events, nil)
        } catch {
            return (events, error)
        }
    }

    /// Ends the stream. Some servers leave out the last line ends.
    package mutating func finish() -> (events: [Event], error: UpstreamError?) {
        var events: [Event] = []
        do throws(UpstreamError) {
            try read(Array(framer.takeRemainder().readableBytesView), &events)
            try read([], &events)
            return (events, nil)
        } catch {
            return (events, error)
        }
    }

    private mutating func read(_ raw: [UInt8], _ events: inout [Event]) throws(UpstreamError) {
        var line = raw[...]
        if line.last == 0x0D { line.removeLast() }
        if isAtStart {
            isAtStart = false
            if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        }
        guard !line.isEmpty else {
            if hasData { events.append(current) }
            (current, hasData) = (Event(), false)
            return
        }
        let name = line.prefix { $0 != UInt8(ascii: ":") }
        var value = line.dropFirst(name.count + 1)
        if value.first == 0x20 { value.removeFirst() }
        if name.elementsEqual("data".utf8) {
            if hasData { current.data.append(0x0A) }
            guard current.data.count + value.count <= Self.limit else {
                throw UpstreamError(.lineTooLong, "an event of the stream is larger than \(Self.limit) bytes")
            }
            current.data += value
            hasData = true
        } else if name.elementsEqual("event".utf8) {
            current.name = String(decoding: value, as: UTF8.self)
        }
    }
}
