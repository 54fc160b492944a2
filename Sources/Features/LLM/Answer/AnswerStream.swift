import Inference
import NIOCore
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One answer on its way from an upstream to a client: bytes in, bytes out, without I/O.
///
/// Lines stay whole, since clients decode what they get at once. Tokens are counted on the way, and an answer that breaks
/// off gets an ending that no client takes for a whole one. However the upstream's bytes are cut, the client gets the
/// same lines.
struct AnswerStream {
    /// How the upstream's bytes become the client's.
    enum Form: Sendable, Hashable {
        /// As they come. The beginning of a line waits for its end, ``heldLimit`` bytes of it at most.
        case forwarded(AnswerFraming)
        /// Ollama's NDJSON in whole lines of ``lineLimit`` bytes at most, each of them an event if the client wants events.
        /// The last line gets its end, and has to say `"done": true` or report an error.
        case lines(asEvents: Bool)

        /// How the client gets it.
        var framing: AnswerFraming {
            switch self {
            case .forwarded(let framing): framing
            case .lines(let asEvents): asEvents ? .serverSentEvents : .ndjson
            }
        }
    }

    /// Bytes of a forwarded line that are held back at most.
    static let heldLimit = 256 << 10
    /// Bytes of a line of a stream of the gateway's own at most.
    static let lineLimit = 16 << 20

    private let form: Form
    private var framer: LineFramer
    private var tokens: AnswerTokens?
    /// The last lines that went out, where their end tells whether the answer is whole.
    private var last: ByteBuffer?
    private var hasEnded = false

    /// Creates an answer of which nothing has come.
    ///
    /// - Parameter tokens: Counts what the answer costs; nil for one that costs nothing.
    init(_ form: Form, tokens: AnswerTokens? = nil) {
        self.form = form
        self.tokens = tokens
        switch form {
        case .forwarded: framer = LineFramer(maxLineBytes: Self.heldLimit, overflow: .passes)
        case .lines: framer = LineFramer(maxLineBytes: Self.lineLimit)
        }
    }

    /// Takes bytes of the upstream; returns those that go to the client now, nil for none.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/lineTooLong``; a forwarded answer never does.
    mutating func push(_ bytes: ByteBuffer) throws(UpstreamError) -> ByteBuffer? {
        switch form {
        case .forwarded(let framing):
            tokens?.push(bytes)
            return framing == .bytes ? bytes : try framer.push(bytes)
        case .lines:
            return try framer.push(bytes).map { pass($0) }
        }
    }

    /// Ends the answer as the upstream ended it; returns what was held back, nil for nothing.
    mutating func finish() -> ByteBuffer? {
        hasEnded = true
        var rest = framer.takeRemainder()
        guard rest.readableBytes > 0 else { return nil }
        guard case .lines = form else { return rest }
        rest.writeInteger(UInt8(ascii: "\n"))
        return pass(rest)
    }

    /// Whether the whole answer came.
    var isWhole: Bool {
        switch form {
        case .forwarded: hasEnded
        case .lines: last.map(Self.endsAnswer) ?? false
        }
    }

    /// What ends an answer that broke off; nil when its framing has no way to say it. What was held back is dropped.
    ///
    /// - Parameters:
    ///   - error: The JSON that describes the failure.
    ///   - isNamed: Whether events of this API have names, as Anthropic's do.
    func ending(_ error: ByteBuffer, isNamed: Bool = false) -> ByteBuffer? {
        var (json, end) = (error, ByteBuffer())
        end.reserveCapacity(error.readableBytes + 32)
        switch form.framing {
        case .bytes: return nil
        case .ndjson:
            if !framer.endsWithLine { end.writeStaticString("\n") }
            end.writeBuffer(&json)
            end.writeStaticString("\n")
        case .serverSentEvents:
            if case .forwarded = form {
                // The event that was cut ends here; an empty line more does no harm.
                end.writeStaticString(framer.endsWithLine ? "\n" : "\n\n")
            }
            if isNamed { end.writeStaticString("event: error\n") }
            end.writeStaticString("data: ")
            end.writeBuffer(&json)
            end.writeStaticString("\n\n")
        }
        return end
    }

    /// What the answer cost as far as it came; nil when it costs nothing, or was charged before.
    mutating func takeCount() -> (prompt: Int, completion: Int)? {
        guard let counted = tokens else { return nil }
        tokens = nil
        return counted.count(isWhole: isWhole)
    }

    // MARK: Lines of the gateway's own streams

    private mutating func pass(_ lines: ByteBuffer) -> ByteBuffer {
        tokens?.push(lines)
        last = lines
        guard form.framing == .serverSentEvents else { return lines }
        var framed = ByteBuffer()
        framed.reserveCapacity(lines.readableBytes + 64)
        for line in lines.readableBytesView.split(separator: UInt8(ascii: "\n")) {
            framed.writeStaticString("data: ")
            framed.writeBytes(line)
            framed.writeStaticString("\n\n")
        }
        return framed
    }

    /// Whether the last of these lines ends an answer: it says `"done": true`, or reports an error itself.
    private static func endsAnswer(_ lines: ByteBuffer) -> Bool {
        struct Ending: Decodable {
            var done: Bool?
            var error: String?
        }
        let bytes = lines.readableBytesView
        let end = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes
        let start = end.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? end.startIndex
        let ending = try? JSONDecoder().decode(Ending.self, from: Data(end[start...]))
        return ending?.done == true || ending?.error != nil
    }
}

/// How an answer is cut into pieces that must stay whole.
enum AnswerFraming: Sendable, Hashable, CaseIterable {
    /// As the bytes come.
    case bytes
    /// Whole lines of JSON: `{…}\n`, as Ollama sends them.
    case ndjson
    /// Whole lines of events: `data: {…}\n\n`.
    case serverSentEvents

    /// The framing of a content type, whatever its parameters.
    init(contentType: String?) {
        let essence = contentType.map { $0.utf8.prefix { !", ;".utf8.contains($0) } }
        switch essence.map({ String(Substring($0)).lowercased() }) {
        case "application/x-ndjson": self = .ndjson
        case "text/event-stream": self = .serverSentEvents
        default: self = .bytes
        }
    }

    /// How an answer of this framing is read for its counts.
    var tokenForm: AnswerTokens.Form {
        switch self {
        case .bytes: .whole
        case .ndjson: .lines
        case .serverSentEvents: .events
        }
    }
}
