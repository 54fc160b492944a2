import ArgumentParser
import Backfill
import Chat
import Gateway
import Inference
import LLM
import Search
import Storage
import Text
import Tools

/// `selene backfill`: embeds notes that have no vectors.
struct BackfillCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backfill",
        abstract: "Embed new and changed notes.",
        discussion: """
            Each batch is stored as soon as it is embedded, so you can stop or kill a backfill and run it again. \
            Several backfills share the work. Long notes are embedded passage by passage, with the prefixes that the \
            model was trained with. Another model fills a new embedding space, which answers queries once it is \
            complete (see selene spaces).

            Without Ollama it ends at once, and waits for one that goes away meanwhile (--patience). A note that the \
            model refuses is retried a few times and then marked as failed. Exit code 2 means that notes failed; they \
            are listed.

              selene backfill
              selene backfill --model bge-m3 --batch 64 --concurrency 2
              selene backfill status
              selene backfill retry --failed
              selene backfill discard 17 --space 1
            """,
        subcommands: [
            BackfillRunCommand.self, BackfillStatusCommand.self, BackfillRetryCommand.self, BackfillDiscardCommand.self,
        ],
        defaultSubcommand: BackfillRunCommand.self)

    /// Runs a backfill with a progress bar, or with JSON lines.
    ///
    /// - Parameter isCached: Whether to use the embedding cache beside the database.
    static func backfill(
        _ context: CommandContext, options: BackfillOptions, isCached: Bool = false, asJSON: Bool = false
    ) async throws -> BackfillSummary {
        let cache =
            isCached
            ? OpenEmbeddingCache(databasePath: context.configuration.databasePath, logger: context.logger) : nil
        let settings = context.configuration
        let models = EmbeddingModels(
            upstream: context.upstream,
            admission: Admission(maxInFlight: options.concurrency, maxWaiting: options.concurrency * 2),
            providers: try RemoteProvider.all(
                settings.llm.providers, cloud: CloudSwitch(isOn: settings.llm.allowsCloud), logger: context.logger))
        let service = BackfillService(
            database: context.backfillStore, models: models, options: options, cache: cache?.cache,
            isPrivate: settings.chat.privacy.covers, logger: context.logger)
        let bar = BarHolder(asJSON: asJSON)
        do {
            let summary = try await service.run { progress in
                await bar.update(progress)
            }
            await bar.finish()
            await cache?.close()
            return summary
        } catch {
            await bar.finish()
            await cache?.close()
            if error is CancellationError || Task.isCancelled {
                Terminal.note("selene: stopped; embedded notes are stored. Run it again to continue")
                throw CancellationError()
            }
            throw error
        }
    }

    static func text(_ summary: BackfillSummary) -> String {
        let space = summary.space.space
        var text =
            "\(Count.of(summary.embedded, "note")) embedded with \(space.model) (\(space.dimensions) dimensions), "
            + "\(summary.total) in all"
        if summary.copied > 0 { text += ", \(summary.copied) copied from another space" }
        if summary.withheld > 0 { text += ", \(Count.of(summary.withheld, "private note")) withheld" }
        if summary.waiting > 0 { text += ", \(summary.waiting) waiting" }
        if !summary.failures.isEmpty { text += ", \(summary.failures.count) refused by the model" }
        if summary.isActive { return text }
        return text
            + (summary.wasLeft
                ? "; not active, since you switched to another space: selene spaces switch \(summary.space.id)"
                : "; not active yet: the previous space still answers")
    }

    /// Prints a run's progress, as a bar or as JSON lines. An actor, since batches report concurrently.
    private actor BarHolder {
        private struct Line: Encodable {
            var event = "progress"
            var done: Int
            var total: Int
            var failed: Int
            var paused: String?
        }

        private let asJSON: Bool
        private var bar = ProgressBar("backfill", unit: "notes")
        private var writtenAt: ContinuousClock.Instant?
        private var pause: String?

        init(asJSON: Bool) { self.asJSON = asJSON }

        func update(_ progress: BackfillProgress) {
            guard asJSON else {
                if let reason = progress.pause, reason != pause {
                    Terminal.note("\(Terminal.isInteractive ? "\n" : "")selene: waiting: \(reason)")
                }
                pause = progress.pause
                return bar.update(done: progress.done, total: progress.total, failed: progress.failed)
            }
            let now = ContinuousClock.now
            let isNews = progress.pause != pause || progress.done >= progress.total
            if let writtenAt, now - writtenAt < .seconds(1), !isNews { return }
            writtenAt = now
            pause = progress.pause
            let line = Line(
                done: progress.done, total: progress.total, failed: progress.failed, paused: progress.pause)
            if let text = try? JSONOutput.text(line) { Terminal.line(text) }
        }

        func finish() { if !asJSON { bar.finish() } }
    }
}
