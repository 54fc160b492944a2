import ArgumentParser
import Backfill
import Gateway
import Storage

/// `selene backfill`: vectors for the notes that have none.
struct BackfillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backfill",
        abstract: "Embed the notes that are new or changed, with Ollama.",
        discussion: """
            Each batch is stored as soon as it is embedded: stop it at any time (Ctrl-C, or worse), run it again, and it \
            goes on. Long notes are embedded passage by passage. A model's own prefixes are used and are part of the embedding space; another model fills a new \
            space, which answers queries once it is complete.

            Exit code 2 means that some notes could not be embedded; they are listed.

              selene backfill
              selene backfill --model bge-m3 --batch 64 --concurrency 2
            """)

    @OptionGroup var options: ConfigurationOptions

    @Option(help: "Embedding model (SELENE_EMBED_MODEL).")
    var model: String?

    @Option(help: "Texts in one embedding call, 1 to 512: a note, or a passage of a long one, is a text.")
    var batch = 32

    @Option(help: "Embedding calls at once, 1 to 32.")
    var concurrency = 1

    @Flag(help: "Print a JSON summary.")
    var json = false

    func validate() throws {
        guard (1...512).contains(batch) else { throw ValidationError("--batch must be from 1 to 512") }
        guard (1...32).contains(concurrency) else { throw ValidationError("--concurrency must be from 1 to 32") }
    }

    /// The summary that `--json` prints.
    private struct Summary: Encodable {
        struct Failure: Encodable {
            var note_id: Int64
            var reason: String
        }
        var model: String
        var dimensions: Int
        var embedded: Int
        var total: Int
        var active: Bool
        var seconds: Double
        var failures: [Failure]
    }

    func run() async throws {
        let configuration = try options.load(["embed_model": model])
        let (batch, concurrency) = (batch, concurrency)
        let summary = try await Workbench.run(configuration) { bench in
            try await Self.backfill(
                bench,
                options: BackfillOptions(model: bench.configuration.embedModel, batch: batch, concurrency: concurrency))
        }
        if json {
            Terminal.line(
                try JSONOutput.text(
                    Summary(
                        model: summary.space.space.model, dimensions: summary.space.space.dimensions,
                        embedded: summary.embedded, total: summary.total, active: summary.isActive,
                        seconds: Double(summary.elapsed.components.seconds)
                            + Double(summary.elapsed.components.attoseconds) / 1e18,
                        failures: summary.failures.map { .init(note_id: $0.noteID, reason: $0.reason) })))
        } else {
            Terminal.line(Self.text(summary))
            for failure in summary.failures.prefix(20) {
                Terminal.note("selene: note \(failure.noteID): \(failure.reason)")
            }
        }
        if !summary.failures.isEmpty { throw ExitCode(2) }
    }

    /// Runs with a progress bar.
    static func backfill(_ bench: Workbench, options: BackfillOptions) async throws -> BackfillSummary {
        let service = BackfillService(
            database: bench.database, upstream: bench.upstream, options: options, logger: bench.logger)
        let bar = BarHolder()
        do {
            let summary = try await service.run { progress in
                await bar.update(progress)
            }
            await bar.finish()
            return summary
        } catch {
            await bar.finish()
            if error is CancellationError || Task.isCancelled {
                Terminal.note("selene: stopped; what was embedded is stored. Run it again to go on")
                throw CancellationError()
            }
            throw error
        }
    }

    static func text(_ summary: BackfillSummary) -> String {
        let space = summary.space.space
        return "\(summary.embedded) notes embedded with \(space.model) (\(space.dimensions) dimensions), "
            + "\(summary.total) in all"
            + (summary.failures.isEmpty ? "" : ", \(summary.failures.count) refused by the model")
            + (summary.isActive ? "" : "; the space before it goes on answering")
    }

    /// The bar of a run; progress is reported by one batch after the other.
    private actor BarHolder {
        var bar = ProgressBar("backfill", unit: "notes")

        func update(_ progress: BackfillProgress) {
            bar.update(done: progress.done, total: progress.total, failed: progress.failed)
        }

        func finish() { bar.finish() }
    }
}
