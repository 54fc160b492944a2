public import NIOCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads from an answer that passes by how many tokens it cost, and keeps none of its bytes.
///
/// Counts are read where Ollama's, OpenAI's and Anthropic's APIs define them (``CountScanner``), wherever they stand in
/// the answer. An answer without counts costs an estimate, never nothing: a token for each four bytes of the request,
/// ``estimateLimit`` at most, and a token for each line or event of a stream, or for each four bytes of a whole answer,
/// ``estimateLimit`` at most. Only an answer that says itself that it loaded or unloaded a model is free.
public struct AnswerTokens: Sendable {
    /// The most tokens of a prompt, or of a whole answer, that was not counted.
    public static let estimateLimit = 4096

    /// How an answer is framed.
    public enum Form: Sendable, Hashable {
        /// One JSON value.
        case whole
        /// One JSON value on each line.
        case lines
        /// Server-sent events with a JSON value each.
        case events
    }

    private let form: Form
    private let isEmbedding: Bool
    private let requestBytes: Int
    private var scanner: CountScanner
    private var answerBytes = 0
    /// Lines, or events, that came.
    private var parts = 0
    /// Whether a line began that has not ended.
    private var isWithinLine = false
    /// How much of `data:` the line so far has; nil when the line is none of data.
    private var matched: Int? = 0

    private static let data = Array("data:".utf8)

    /// Creates a counter.
    ///
    /// - Parameters:
    ///   - path: The request's path, which tells OpenAI's answers from Ollama's own.
    ///   - requestBytes: The length of the request's body.
    ///   - form: How the answer is framed.
    public init(path: String, requestBytes: Int, form: Form) {
        self.form = form
        self.requestBytes = requestBytes
        isEmbedding = path.contains("/embed")
        scanner = CountScanner(path.hasPrefix("/v1/") ? .openAI : .ollama)
    }

    /// Tokens of a text of so many bytes that nobody counted: at least 1.
    public static func estimate(bytes: Int) -> Int { max(1, bytes / 4) }

    /// Tokens of a request whose answer never came.
    public static func estimate(requestBytes: Int) -> Int { min(estimate(bytes: requestBytes), estimateLimit) }

    /// Takes the next bytes of the answer.
    public mutating func push(_ bytes: ByteBuffer) {
        answerBytes += bytes.readableBytes
        unsafe bytes.withUnsafeReadableBytes { raw in
            guard form != .whole else { return unsafe scanner.push(raw) }
            var rest = unsafe raw[...]
            while unsafe !rest.isEmpty {
                let end = unsafe Self.lineEnd(in: rest)
                unsafe pushLine(UnsafeRawBufferPointer(rebasing: rest[..<(end ?? rest.endIndex)]), isWhole: end != nil)
                isWithinLine = end == nil
                guard let end else { return }
                if form == .lines { parts += 1 }
                scanner.endValue()
                matched = 0
                unsafe rest = rest[(end + 1)...]
            }
        }
    }

    /// Takes a line, or as much of it as came.
    private mutating func pushLine(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) {
        // Of a stream hardly a line has counts, so that most are looked through by the fastest way there is.
        let isPlain = unsafe isWhole && !isWithinLine && !scanner.mayCount(in: bytes)
        var index = 0
        if form == .events {
            while let count = matched, count < Self.data.count, index < bytes.count {
                matched = unsafe bytes[index] == Self.data[count] ? count + 1 : nil
                if matched == Self.data.count { parts += 1 }
                index += 1
            }
            guard matched == Self.data.count else { return }
        }
        guard !isPlain, index < bytes.count else { return }
        unsafe scanner.push(UnsafeRawBufferPointer(rebasing: bytes[index...]))
    }

    private static func lineEnd(in bytes: Slice<UnsafeRawBufferPointer>) -> Int? {
        let part = unsafe UnsafeRawBufferPointer(rebasing: bytes)
        guard let start = part.baseAddress, let end = unsafe memchr(start, 0x0A, part.count) else { return nil }
        return unsafe bytes.startIndex + (UnsafeRawPointer(end) - start)
    }

    /// What the answer cost, as far as it came.
    ///
    /// - Parameter isWhole: Whether its end came. One that was cut costs no less than its lines or events.
    public func count(isWhole: Bool) -> (prompt: Int, completion: Int) {
        let isFree = isWhole && scanner.hasLoaded && scanner.prompt == nil && scanner.completion == nil
        guard !isFree else { return (0, 0) }
        let prompt = scanner.prompt ?? Self.estimate(requestBytes: requestBytes)
        guard !isEmbedding else { return (prompt, 0) }
        let seen = form == .whole ? min(answerBytes / 4, Self.estimateLimit) : parts
        guard let completion = scanner.completion else {
            // Ollama leaves out a count of 0, so a whole answer that counts its prompt has no other tokens.
            return (prompt, isWhole && scanner.prompt != nil && form != .events ? 0 : seen)
        }
        return (prompt, isWhole ? completion : max(completion, seen))
    }
}
