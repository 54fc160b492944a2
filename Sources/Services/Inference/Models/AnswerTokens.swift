package import NIOCore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Counts the tokens of a streamed answer, without buffering it.
///
/// It reads the counts where Ollama's, OpenAI's and Anthropic's APIs define them (``CountScanner``), anywhere in the
/// answer. An answer without counts costs an estimate. For the prompt: a token for each four bytes of the request, at
/// most ``estimateLimit``. For the completion: a token for each line or event of a stream, or for each four bytes of a
/// whole answer, at most ``estimateLimit``. Only an answer that says that it loaded or unloaded a model is free.
package struct AnswerTokens: Sendable {
    /// The largest estimate for a prompt or a whole answer, in tokens.
    package static let estimateLimit = 4096

    /// The framing of an answer.
    package enum Form: Sendable, Hashable {
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
    /// The number of lines or events so far.
    private var parts = 0
    /// Whether the current line is incomplete.
    private var isWithinLine = false
    /// How many bytes of `data:` the line has matched; nil when it is another line.
    private var matched: Int? = 0

    private static let data = Array("data:".utf8)

    /// Creates a counter.
    ///
    /// - Parameters:
    ///   - path: The request's path, which distinguishes OpenAI's answers from Ollama's own.
    ///   - requestBytes: The length of the request's body.
    ///   - form: The framing of the answer.
    package init(path: String, requestBytes: Int, form: Form) {
        self.form = form
        self.requestBytes = requestBytes
        isEmbedding = ModelRequest.isEmbedding(path)
        scanner = CountScanner(path.hasPrefix("/v1/") ? .openAI : .ollama)
    }

    /// Estimates the tokens of a text from its length in bytes; at least 1.
    package static func estimate(bytes: Int) -> Int { max(1, bytes / 4) }

    /// Estimates the tokens of a request without an answer.
    package static func estimate(requestBytes: Int) -> Int { min(estimate(bytes: requestBytes), estimateLimit) }

    /// Takes the next bytes of the answer.
    package mutating func push(_ bytes: ByteBuffer) {
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

    /// Takes a line, or a part of one.
    private mutating func pushLine(_ bytes: UnsafeRawBufferPointer, isWhole: Bool) {
        // Few lines of a stream have counts, so most need only the fast check.
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

    /// The tokens of the answer so far.
    ///
    /// - Parameter isWhole: Whether the answer is complete. A cut answer costs at least its lines or events.
    package func count(isWhole: Bool) -> (prompt: Int, completion: Int) {
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
