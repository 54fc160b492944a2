import ArgumentParser
import Gateway
import Storage
import Text

/// `selene backfill status`: counts embedded, waiting and failed notes.
struct BackfillStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show embedded, waiting and failed notes.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    private struct Status: Encodable {
        struct Space: Encodable {
            var id: Int64
            var model: String
            var active: Bool
            var embedded: Int
            var waiting: Int
            var leased: Int
            var failed: Int
            var failures: [DeadLetter]
        }
        var notes: Int
        var spaces: [Space]
    }

    func run() async throws {
        let status = try await CommandContext.run(try options.load()) { context in
            let embeddings = context.store.embeddings
            try await embeddings.freeDeadLeases()
            var status = Status(notes: try await embeddings.noteCount(), spaces: [])
            for space in try await embeddings.spaces() where space.isFilled {
                status.spaces.append(
                    .init(
                        id: space.stored.id, model: space.stored.space.model, active: space.isActive,
                        embedded: space.embedded, waiting: space.queue.waiting, leased: space.queue.leased,
                        failed: space.queue.failed,
                        failures: try await embeddings.failed(in: space.stored.id, after: nil, limit: 20).items
                            .map(\.letter)))
            }
            return status
        }
        if json { return Terminal.line(try JSONOutput.text(status)) }
        Terminal.line("\(Count.of(status.notes, "note"))")
        for space in status.spaces {
            let state =
                "\(space.embedded) embedded, \(space.waiting) waiting, \(space.leased) leased, \(space.failed) failed"
            Terminal.line("space \(space.id)  \(space.model)  \(state)\(space.active ? "  active" : "")")
            for failure in space.failures {
                Terminal.line("  note \(failure.noteID), \(failure.attempts) tries: \(failure.reason)")
            }
        }
        if status.spaces.isEmpty { Terminal.line("nothing is embedded yet; run selene backfill") }
    }
}

/// `selene backfill retry`: queues failed notes again.
struct BackfillRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Queue failed notes again.")

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Retry the failed notes (required).")
    var failed = false

    @Option(help: "Only in this space; see selene spaces list (default: all spaces).")
    var space: Int64?

    @Option(help: "Only this note; needs --space.")
    var note: Int64?

    func validate() throws {
        guard note == nil || space != nil else { throw ValidationError("--note needs --space") }
        guard failed else { throw ValidationError("expected --failed: selene backfill retry --failed") }
    }

    func run() async throws {
        let (space, note) = (space, note)
        let count = try await CommandContext.run(try options.load()) { context in
            guard let note, let space else { return try await context.store.embeddings.retryFailed(in: space) }
            return try await context.store.embeddings.retryFailed(note, in: space) ? 1 : 0
        }
        Terminal.line("\(Count.of(count, "note")) queued again")
    }
}

/// `selene backfill discard`: takes a failed note off the queue.
struct BackfillDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard", abstract: "Take a failed note off the queue, until its text changes.")

    @Argument(help: "The note's id: selene backfill status.")
    var note: Int64

    @Option(help: "The space; see selene spaces list.")
    var space: Int64

    @OptionGroup var options: ConfigurationOptions

    func run() async throws {
        let (space, note) = (space, note)
        let isGone = try await CommandContext.run(try options.load()) {
            try await $0.store.embeddings.discardFailed(note, in: space)
        }
        guard isGone else {
            Terminal.note("selene: note \(note) is not a failed one of space \(space)")
            throw ExitCode.failure
        }
        Terminal.line("note \(note) is discarded")
    }
}
