import ArgumentParser
import Books
import Find
import Finding
import Gateway
import GatewayAPI
import Search
import Server

/// `selene find`: one search over everything, without a server.
struct FindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find in notes, books, chats, memories, threads and goals.",
        discussion: """
            One ranked list. Books are searched up to your page. Without Ollama, words decide.

              selene find tide gauge
              selene find 'tag:garden -roses after:2026-01'
              selene find 'from:(chats|notes) "spring tide"'
              selene find who fixed the pump --kind chats --json

            Operators: "exact phrase", -word, this OR that, tag:, -tag:, type:, thread:, source:, title:, book:, in:, has:task, \
            from:(notes|books|chats|memories|threads|goals), before:, after:, on: with days such as 2026, 2026-01, 2026-01-31, \
            yesterday, last-week. Any other text is words. Quote them for your shell.
            """)

    /// The time for each kind. Without a server the index is opened first, which takes longer than a box may wait.
    private static let patience = Duration.seconds(60)

    @Argument(help: "Words and operators.")
    var words: [String]

    @Option(help: "Only this kind: notes, books, chats, memories, threads or goals; may be repeated.")
    var kind: [String] = []

    @Option(help: "Maximum number of hits, 1 to 100.")
    var limit = 20

    @Flag(help: "Print the JSON reply of the HTTP route.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let text = words.joined(separator: " ")
        guard text.utf8.count <= FindQuestion.maxBytes, text.contains(where: { !$0.isWhitespace }) else {
            throw ValidationError("expected words of 1 to \(FindQuestion.maxBytes) bytes")
        }
        guard (1...FindService.maxLimit).contains(limit) else {
            throw ValidationError("--limit: expected 1 to \(FindService.maxLimit), got \(limit)")
        }
        let kinds = try kind.map { name in
            guard let kind = FindKind(rawValue: name) else {
                let known = FindKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--kind: \"\(name)\" is none of \(known)")
            }
            return kind
        }
        let configuration = try options.load()
        do {
            let (json, limit) = (json, limit)
            try await LocalSearch.services(configuration) { services in
                let service = services.find(
                    configuration, services.library(configuration), times: (Self.patience, Self.patience))
                let reply = try await service.find(text, kinds: kinds.isEmpty ? nil : Set(kinds), limit: limit)
                Terminal.line(json ? SafeText(try JSONOutput.text(reply)) : FoundText.of(reply))
                // Keeps a large new index for the next search; a failure to write it does not matter.
                try? await services.retrieval.index.writeIfWorthwhile()
            }
        } catch is CancellationError {
            throw Interrupt.exitCode
        } catch {
            throw Failure.exit(for: error)
        }
    }
}

/// Formats the hits of all kinds for a person.
enum FoundText {
    static func of(_ reply: FindResponse) -> SafeText {
        var lines: [SafeText] = reply.wordsOnly.map {
            Terminal.dim(SafeText(oneLine: "\($0.kind.rawValue): words only: \($0.reason)"))
        }
        lines += reply.leftOut.map { Terminal.dim(SafeText(oneLine: "\($0.kind.rawValue): left out: \($0.reason)")) }
        if reply.results.isEmpty { lines.append("Nothing found.") }
        for (index, hit) in reply.results.enumerated() {
            let about = [name(of: hit.kind), String((hit.createdAt ?? "").prefix(10)), place(of: hit)]
            let title: SafeText = hit.title.isEmpty ? "" : "\(Terminal.bold(SafeText(oneLine: hit.title)))  "
            lines.append(
                "\(index + 1). \(title)"
                    + Terminal.dim(SafeText(oneLine: about.filter { !$0.isEmpty }.joined(separator: " · "))))
            if !hit.snippet.isEmpty { lines.append("   \(SafeText(oneLine: hit.snippet))") }
            if let more = hit.more {
                lines.append("   \(Terminal.dim(SafeText(oneLine: "and \(more) more in it")))")
            }
        }
        if reply.nextCursor != nil { lines.append(Terminal.dim("There is more: --limit 100.")) }
        return SafeText.lines(lines)
    }

    private static func name(of kind: FindKind) -> String {
        switch kind {
        case .notes: "note"
        case .books: "book"
        case .chats: "chat"
        case .memories: "memory"
        case .threads: "thread"
        case .goals: "goal"
        }
    }

    private static func place(of hit: FindHit) -> String {
        if let page = hit.place.page { return "#\(hit.id) page \(hit.place.label ?? String(page))" }
        if let message = hit.place.message { return "\(hit.id) message \(message)" }
        return "#\(hit.id)"
    }
}
