import Inference
import NIOCore
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Carries one answer from an upstream to a client: bytes in, bytes out, without I/O.
///
/// Lines stay whole, because clients decode each read at once. Tokens are counted in passing. An answer that breaks off
/// gets an ending that no client takes for a complete answer. The client gets the same lines however the upstream cuts
/// its bytes.
struct AnswerStream {
    /// How the upstream's bytes become the client's.
    enum Form: Sendable, Hashable {
        /// Unchanged bytes. An incomplete line is held back until its end arrives, or until it has ``heldLimit`` bytes.
        case forwarded(AnswerFraming)
        /// Ollama's NDJSON in whole lines of at most ``lineLimit`` bytes, sent as events if the client wants events.
        /// A missing end of the last line is added. The last line must say `"done": true` or report an error.
        case lines(asEvents: Bool)

        /// How the answer is framed for the client.
        var framing: AnswerFraming {
            switch self {
            case .forwarded(let framing): framing
            case .lines(let asEvents): asEvents ? .serverSentEvents : .ndjson
            }
        }
    }

    /// The largest part of a forwarded line that is held back, in bytes.
    static let heldLimit = 256 << 10
    /// The largest line of one of the gateway's own streams, in bytes.
    static let lineLimit = 16 << 20

    private let form: Form
    private var framer: LineFramer
    private var tokens: AnswerTokens?
    /// The last lines sent, if their end tells whether the answer is complete.
    private var last: ByteBuffer?
    private var hasEnded = false

    /// Creates an answer without any bytes.
    ///
    /// - Parameter tokens: Counts the tokens of the answer; nil for an answer without charge.
    init(_ form: Form, tokens: AnswerTokens? = nil) {
        self.form = form
        self.tokens = tokens
        switch form {
        case .forwarded: framer = LineFramer(maxLineBytes: Self.heldLimit, overflow: .passes)
        case .lines: framer = LineFramer(maxLineBytes: Self.lineLimit)
        }
    }

    /// Takes bytes of the upstream. Returns the bytes to send now, nil for none.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/lineTooLong``. A forwarded answer never throws.
    mutating func push(_ bytes: ByteBuffer) throws(UpstreamError) -> ByteBuffer? {
        switch form {
        case .forwarded(let framing):
            tokens?.push(bytes)
            return framing == .bytes ? bytes : try framer.push(bytes)
        case .lines:
            return try framer.push(bytes).map { pass($0) }
        }
    }

    /// Ends the answer because the upstream ended it. Returns the bytes held back, nil for none.
    mutating func finish() -> ByteBuffer? {
        hasEnded = true
        var rest = framer.takeRemainder()
        guard rest.readableBytes > 0 else { return nil }
        guard case .lines = form else { return rest }
        rest.writeInteger(UInt8(ascii: "\n"))
        return pass(rest)
    }

    /// Whether the complete answer arrived.
    var isWhole: Bool {
        switch form {
        case .forwarded: hasEnded
        case .lines: last.map(Self.endsAnswer) ?? false
        }
    }

    /// The ending of an answer that broke off; nil when the framing has no way to report an error. Drops held-back
    /// bytes.
    ///
    /// - Parameters:
    ///   - error: The JSON that describes the failure.
    ///   - isNamed: Whether this API's events have names, as Anthropic's do.
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
                // Ends the incomplete event; an extra empty line is harmless.
                end.writeStaticString(framer.endsWithLine ? "\n" : "\n\n")
            }
            if isNamed { end.writeStaticString("event: error\n") }
            end.writeStaticString("data: ")
            end.writeBuffer(&json)
            end.writeStaticString("\n\n")
        }
        return end
    }

    /// The tokens of the answer so far; nil for an answer without charge, or after the first call.
    mutating func takeCount() -> (prompt: Int, completion: Int)? {
        guard let counted = tokens else { return nil }
        tokens = nil
        return counted.count(isWhole: isWhole)
    }

    /// The tokens of the answer so far, also before its end; nil when they are not counted.
    var generatedTokens: Int? { tokens?.count(isWhole: false).completion }

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

    /// Whether the last of these lines ends an answer: `"done": true`, or an error.
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

/// How an answer divides into pieces that must stay whole.
enum AnswerFraming: Sendable, Hashable, CaseIterable {
    /// Any bytes.
    case bytes
    /// Lines of JSON: `{…}\n`, Ollama's format.
    case ndjson
    /// Events: `data: {…}\n\n`.
    case serverSentEvents

    /// The framing of a content type; parameters are ignored.
    init(contentType: String?) {
        let essence = contentType.map { $0.utf8.prefix { !", ;".utf8.contains($0) } }
        switch essence.map({ String(Substring($0)).lowercased() }) {
        case "application/x-ndjson": self = .ndjson
        case "text/event-stream": self = .serverSentEvents
        default: self = .bytes
        }
    }

    /// How token counts are read from an answer with this framing.
    var tokenForm: AnswerTokens.Form {
        switch self {
        case .bytes: .whole
        case .ndjson: .lines
        case .serverSentEvents: .events
        }
    }
}
