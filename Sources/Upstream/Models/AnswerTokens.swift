public import NIOCore

/// Reads from an answer that passes by how many tokens it cost, and keeps no more of it than its end.
///
/// Ollama writes the counts last: in the last line of a stream, at the end of a whole answer, in the last event of an
/// OpenAI stream that was asked for them. What a model wrote cannot pass for a count, since quotes are escaped within
/// strings. An answer without counts is estimated: a token for each line or event of a stream, and one for each four
/// bytes of the request, ``promptEstimateLimit`` at most.
public struct AnswerTokens {
    /// Bytes of an answer's end that are enough: behind the counts comes less than that in every answer.
    public static let tailLimit = 2 << 10
    /// The most tokens of a prompt that was not counted.
    public static let promptEstimateLimit = 4096

    private let isOpenAI: Bool
    private let requestBytes: Int
    /// The answer's end: at most twice the limit, so that it is cut but rarely.
    private var tail: [UInt8] = []
    /// Bytes of the answer that are kept now.
    var keptBytes: Int { tail.count }
    private let isFormerEmbedding: Bool
    private var firstInput: Int?
    private var isFirst = true
    private var isAtLineStart = true
    private var lines = 0
    private var events = 0

    /// Creates a counter.
    ///
    /// - Parameters:
    ///   - path: The request's path, which tells OpenAI's answers from Ollama's own.
    ///   - requestBytes: The length of the request's body.
    public init(path: String, requestBytes: Int) {
        isOpenAI = path.hasPrefix("/v1/")
        isFormerEmbedding = path == "/api/embeddings"
        self.requestBytes = requestBytes
    }

    /// Takes the next bytes of the answer.
    public mutating func push(_ bytes: ByteBuffer) {
        guard bytes.readableBytes > 0 else { return }
        if isFirst {
            isFirst = false
            // Anthropic's streams tell the prompt's tokens in their first event.
            if isOpenAI { firstInput = Self.last("input_tokens", in: Array(bytes.readableBytesView.prefix(4096))) }
        }
        countLines(bytes)
        let view = bytes.readableBytesView.suffix(Self.tailLimit)
        if tail.count + view.count > 2 * Self.tailLimit { tail.removeFirst(tail.count - (Self.tailLimit - view.count)) }
        tail += view
    }

    private mutating func countLines(_ bytes: ByteBuffer) {
        let isAtStart = isAtLineStart
        let (newLines, newEvents, endsLine) = unsafe bytes.withUnsafeReadableBytes { raw -> (Int, Int, Bool) in
            var (lines, events, isAtStart) = (0, 0, isAtStart)
            for index in 0..<raw.count {
                let byte = unsafe raw[index]
                // "data: …" is the only line of an event that begins so.
                if isAtStart, byte == UInt8(ascii: "d") { events += 1 }
                isAtStart = byte == UInt8(ascii: "\n")
                if isAtStart { lines += 1 }
            }
            return (lines, events, isAtStart)
        }
        lines += newLines
        events += newEvents
        isAtLineStart = endsLine
    }

    /// What the answer cost, as far as it came.
    ///
    /// - Parameters:
    ///   - isStream: Whether it came in lines or events.
    ///   - isWhole: Whether its end came.
    public func count(isStream: Bool, isWhole: Bool) -> (prompt: Int, completion: Int) {
        var end = tail
        let estimate = min(requestBytes / 4, Self.promptEstimateLimit)
        guard isOpenAI else {
            if isStream { end = Self.lastLine(of: end) }
            let (prompt, completion) = (Self.last("prompt_eval_count", in: end), Self.last("eval_count", in: end))
            if prompt != nil || completion != nil { return (prompt ?? 0, completion ?? 0) }
            // Loading and unloading cost nothing. The former embedding route has no counts.
            if isStream { return isWhole && Self.contains("done_reason", end) ? (0, 0) : (0, lines) }
            return isWhole && !isFormerEmbedding ? (0, 0) : (estimate, 0)
        }
        let prompt = Self.last("prompt_tokens", in: end) ?? Self.last("input_tokens", in: end)
        let completion = Self.last("completion_tokens", in: end) ?? Self.last("output_tokens", in: end)
        if prompt != nil || completion != nil { return (prompt ?? firstInput ?? estimate, completion ?? 0) }
        return (firstInput ?? estimate, isStream ? events : 0)
    }

    private static func lastLine(of bytes: [UInt8]) -> [UInt8] {
        let end = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        let start = end.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? end.startIndex
        return Array(end[start...])
    }

    private static func contains(_ key: String, _ bytes: [UInt8]) -> Bool {
        end(ofLast: Array("\"\(key)\":".utf8), in: bytes) != nil
    }

    /// The number behind the last `"key":`.
    static func last(_ key: String, in bytes: [UInt8]) -> Int? {
        guard let start = end(ofLast: Array("\"\(key)\":".utf8), in: bytes) else { return nil }
        var number = 0
        var count = 0
        for byte in bytes[start...].drop(while: { $0 == 0x20 }) {
            guard (0x30...0x39).contains(byte), count < 12 else { break }
            number = number * 10 + Int(byte - 0x30)
            count += 1
        }
        return count > 0 ? number : nil
    }

    private static func end(ofLast pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        var end = bytes.count
        while end >= pattern.count {
            // The colon is rare, so it is looked for first.
            guard let colon = bytes[..<end].lastIndex(of: UInt8(ascii: ":")) else { return nil }
            if colon + 1 >= pattern.count, bytes[(colon + 1 - pattern.count)...colon].elementsEqual(pattern) {
                return colon + 1
            }
            end = colon
        }
        return nil
    }
}
