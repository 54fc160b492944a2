import ArgumentParser
import Backfill
import Foundation
import Gateway
import GatewayAPI
import LLM
import Storage
import Text

/// `selene backfill run`, the default: embeds new and changed notes.
struct BackfillRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Embed new and changed notes (the default).")

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Embedding model (SELENE_EMBED_MODEL; default nomic-embed-text).")
    var model: String?

    @Option(help: "Maximum number of texts per call, 1 to 512; a text is a note or a passage of a long note.")
    var batch = 64

    @Option(help: "Number of concurrent embedding calls, 1 to 32.")
    var concurrency = 1

    @Option(help: "Stop after this number of notes (default: no limit).")
    var limit: Int?

    @Option(help: "Only notes created since this day (2026-03-14) or in the last days (30d).")
    var since: String?

    @Option(help: "Percent of embedded notes at which a new space becomes active, 1 to 100.")
    var at = 100.0

    @Option(
        help: """
            Give up after Ollama was unreachable or busy for this many seconds, 0 to 86400 (default: 0 before the first \
            note, then 600).
            """)
    var patience: Int?

    @Flag(help: "Only estimate the work and its duration.")
    var dryRun = false

    @Flag(help: "Print JSON lines: progress, then a summary.")
    var json = false

    func validate() throws {
        guard (1...512).contains(batch) else { throw ValidationError("--batch: expected 1 to 512, got \(batch)") }
        guard (1...32).contains(concurrency) else {
            throw ValidationError("--concurrency: expected 1 to 32, got \(concurrency)")
        }
        guard limit.map({ $0 > 0 }) ?? true else {
            throw ValidationError("--limit: expected 1 or more, got \(limit ?? 0)")
        }
        guard (1...100).contains(at) else { throw ValidationError("--at: expected 1 to 100, got \(at)") }
        guard patience.map((0...86_400).contains) ?? true else {
            throw ValidationError("--patience: expected 0 to 86400, got \(patience ?? 0)")
        }
        _ = try day()
    }

    private func day() throws -> String? {
        guard let since else { return nil }
        if since.hasSuffix("d"), let days = Int64(since.dropLast()), (1...36_500).contains(days) {
            return String(Timestamp.text(Int64(Date.now.timeIntervalSince1970) - days * 86_400).prefix(10))
        }
        guard since.utf8.count == 10, Timestamp.unixSeconds(since) != nil else {
            throw ValidationError("--since: expected a day (2026-03-14) or a number of days (30d), got \(since)")
        }
        return since
    }

    /// The last line of `--json`.
    private struct Summary: Encodable {
        struct Failure: Encodable {
            var note_id: Int64
            var reason: String
        }
        var event = "summary"
        var model: String
        var space: Int64
        var dimensions: Int
        var embedded: Int
        var copied: Int
        var withheld: Int
        var waiting: Int
        var total: Int
        var active: Bool
        var seconds: Double
        var failures: [Failure]
    }

    func run() async throws {
        let configuration = try options.load(["embed_model": model])
        var backfill = BackfillOptions(model: configuration.llm.embedModel, batch: batch, concurrency: concurrency)
        backfill.limit = limit
        backfill.filter = QueueFilter(createdSince: try day())
        backfill.switchShare = at / 100
        backfill.firstTimeout = .seconds(patience ?? 0)
        if let patience { backfill.outageTimeout = .seconds(patience) }
        let (chosen, json) = (backfill, json)
        if dryRun {
            let estimate = try await CommandContext.run(configuration) { context in
                try await BackfillEstimate(context.store.embeddings, options: chosen)
            }
            return Terminal.line(json ? try JSONOutput.text(estimate) : estimate.text)
        }
        let summary = try await CommandContext.run(configuration) { context in
            try await BackfillCommand.backfill(context, options: chosen, isCached: true, asJSON: json)
        }
        if json {
            Terminal.line(
                try JSONOutput.text(
                    Summary(
                        model: summary.space.space.model, space: summary.space.id,
                        dimensions: summary.space.space.dimensions, embedded: summary.embedded,
                        copied: summary.copied, withheld: summary.withheld, waiting: summary.waiting,
                        total: summary.total,
                        active: summary.isActive, seconds: summary.elapsed / .seconds(1),
                        failures: summary.failures.map { .init(note_id: $0.noteID, reason: $0.reason) })))
        } else {
            Terminal.line(BackfillCommand.text(summary))
            for failure in summary.failures {
                Terminal.note("selene: note \(failure.noteID): \(failure.reason)")
            }
            if !summary.failures.isEmpty { Terminal.note("selene: to retry them: selene backfill retry --failed") }
        }
        if !summary.failures.isEmpty { throw ExitCode(2) }
    }
}

/// Estimates the work of a backfill, without calling Ollama.
private struct BackfillEstimate: Encodable {
    var model: String
    var notes: Int
    var tokens: Int
    var seconds: Double?

    init(_ embeddings: any EmbeddingAdministration, options: BackfillOptions) async throws {
        model = options.model
        let spaces = try await embeddings.spaces()
        let space = spaces.last { $0.stored.space.model == options.model && $0.stored.space.chunkerVersion > 0 }
        let pending = try await embeddings.pendingSize(
            in: space?.stored.id, filter: options.filter, limit: options.limit)
        notes = pending.notes
        // English has about four bytes per token.
        tokens = (pending.bytes + 3) / 4
        seconds = try await embeddings.rate(of: options.model).map { Double(pending.bytes) / $0 }
    }

    var text: String {
        let time = seconds.map { "about \(Int($0.rounded(.up))) s at the last measured rate" } ?? "no rate is known yet"
        return "\(Count.of(notes, "note")) would be embedded with \(model), about \(tokens) tokens; \(time)"
    }
}
