import ArgumentParser
import Gateway
import Storage

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
        let status = try await Workbench.run(try options.load()) { bench in
            let database = bench.database
            try await database.queue.freeDeadLeases()
            var status = Status(notes: try await database.notes.count(), spaces: [])
            for space in try await database.spaces.all() where space.isFilled {
                status.spaces.append(
                    .init(
                        id: space.stored.id, model: space.stored.space.model, active: space.isActive,
                        embedded: space.embedded, waiting: space.queue.waiting, leased: space.queue.leased,
                        failed: space.queue.failed,
                        failures: try await database.queue.deadLetters(in: space.stored.id, limit: 20)))
            }
            return status
        }
        if json { return Terminal.line(try JSONOutput.text(status)) }
        Terminal.line("\(status.notes) notes")
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

    func validate() throws {
        guard failed else { throw ValidationError("expected --failed: selene backfill retry --failed") }
    }

    func run() async throws {
        let space = space
        let count = try await Workbench.run(try options.load()) { try await $0.database.queue.retryFailed(in: space) }
        Terminal.line("\(count) notes queued again")
    }
}
