import Foundation
import Synchronization

/// One parser that sees bytes from outside: takes any bytes, and stops the process when one of the parser's promises does
/// not hold.
typealias FuzzBody = @Sendable ([UInt8]) -> Void

/// The parsers by name.
enum Target {
    static let all: [String: FuzzBody] = [
        "lines": LineTargets.lines,
        "model-peek": JSONTargets.peek,
        "body-rewrite": JSONTargets.rewrite,
        "json-slice": JSONTargets.slice,
        "answer-tokens": JSONTargets.tokens,
        "embeddings": JSONTargets.embeddings,
        "api-types": JSONTargets.types,
        "headers": HeadTargets.headers,
        "origins": HeadTargets.origins,
        "request-heads": RequestTargets.heads,
        "bearer": RequestTargets.bearer,
        "citation-markers": AnswerTargets.markers,
        "citation-check": AnswerTargets.check,
        "calls-in-text": AnswerTargets.calls,
        "chat-ollama": ChatStreamTargets.ollama,
        "chat-openai": ChatStreamTargets.openAI,
        "chat-anthropic": ChatStreamTargets.anthropic,
        "chat-requests": ChatRequestTargets.requests,
        "texts": TextTargets.texts,
        "keywords": TextTargets.keywords,
        "markdown": FileTargets.markdown,
        "notes-jsonl": FileTargets.notes,
        "exports": FileTargets.exports,
        "collection": FileTargets.collection,
        "document-epub": DocumentTargets.epub,
        "document-docx": DocumentTargets.docx,
        "document-html": DocumentTargets.html,
        "document-markdown": DocumentTargets.markdown,
        "document-text": DocumentTargets.text,
        "document-message": DocumentTargets.message,
        "index-file": IndexTargets.file,
        "keyword-segment": IndexTargets.segment,
        "mcp-messages": AssistantTargets.messages,
        "mcp-headers": AssistantTargets.headers,
        "push-messages": PushTargets.messages,
        "push-templates": PushTargets.templates,
        "push-ntfy": PushTargets.ntfy,
        "push-answers": PushTargets.answers,
        "schedules": CalendarTargets.schedules,
        "goal-utterances": CalendarTargets.utterances,
        "goal-quantities": CalendarTargets.quantities,
    ]

    /// The one that this process runs.
    static let current = Current()

    final class Current: Sendable {
        /// A closure that crosses a generic function's `inout` is wrapped once more each time; a structure is not.
        private struct Chosen { var body: FuzzBody }

        private let chosen = Mutex<Chosen?>(nil)
        func set(_ body: @escaping FuzzBody) { chosen.withLock { $0 = Chosen(body: body) } }
        func run(_ bytes: [UInt8]) { chosen.withLock { $0 }?.body(bytes) }
    }
}

/// A promise of a parser.
func promise(_ holds: Bool, _ message: @autoclosure () -> String, line: UInt = #line) {
    if !holds { fatalError("broken promise, line \(line): \(message())") }
}

/// Choices, then the input proper: the first bytes of an input decide how the rest is used.
struct Input {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }
    mutating func number() -> Int { Int(byte()) << 8 | Int(byte()) }

    /// The bytes up to a separator, which is dropped.
    mutating func piece(upTo separator: UInt8) -> [UInt8] {
        let end = rest.firstIndex(of: separator) ?? rest.endIndex
        defer { rest = rest[end...].dropFirst() }
        return Array(rest[..<end])
    }

    /// The rest in pieces, as a socket might give it.
    func pieces(_ seed: UInt8) -> [ArraySlice<UInt8>] {
        var (pieces, rest, state) = ([ArraySlice<UInt8>](), rest, UInt32(seed) &+ 1)
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let count = seed == 0 ? rest.count : 1 + Int(state >> 24) % (seed < 128 ? 4 : 64)
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces
    }

    var text: String { String(decoding: rest, as: UTF8.self) }
}

/// A folder of this process for parsers that read files; in memory where the system has such a place.
enum Scratch {
    static let folder: URL = {
        let base = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let folder = URL(filePath: base).appending(path: "selene-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: Scratch.folder) }
        return folder
    }()

    /// Writes a file and gives its place.
    static func write(_ bytes: some Sequence<UInt8>, _ name: String) -> URL {
        let url = folder.appending(path: name)
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? Data(bytes).write(to: url)
        return url
    }
}
