import ArgumentParser
import Backfill
import Foundation
import Gateway
import Storage

/// `selene spaces`: the embedding spaces of a database, and which one answers.
struct SpacesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spaces",
        abstract: "See, switch and remove embedding spaces.",
        discussion: """
            A space is everything that makes vectors comparable: the model with its very weights, the prefixes, how notes \
            are cut. Another model fills a space of its own beside the one that answers, and takes its place once it is \
            complete. Running servers follow at once.

              selene backfill --model bge-m3
              selene spaces list
              selene spaces switch 2
              selene spaces rollback
              selene spaces drop 1
            """,
        subcommands: [
            SpacesListCommand.self, SpacesSwitchCommand.self, SpacesRollbackCommand.self, SpacesDropCommand.self,
        ], defaultSubcommand: SpacesListCommand.self)

    /// A space as `--json` prints it.
    struct Description: Encodable {
        var id: Int64
        var model: String
        var digest: String
        var dimensions: Int
        var passages: Bool
        var active: Bool
        var previous: Bool
        var filled: Bool
        var embedded: Int
        var notes: Int
        var waiting: Int
        var failed: Int
        var created_at: String
        var activated_at: String?

        init(_ status: SpaceStatus, notes: Int) {
            id = status.stored.id
            model = status.stored.space.model
            digest = status.stored.space.digest
            dimensions = status.stored.space.dimensions
            passages = status.stored.space.chunkerVersion > 0
            active = status.isActive
            previous = status.isPrevious
            filled = status.isFilled
            embedded = status.embedded
            self.notes = notes
            waiting = status.queue.waiting + status.queue.leased
            failed = status.queue.failed
            created_at = status.createdAt
            activated_at = status.activatedAt
        }

        var text: String {
            let state = active ? "active" : previous ? "previous" : filled ? "being filled" : ""
            let cut = passages ? "" : ", whole notes"
            return "\(String(id).padded(to: 3)) \(model.padded(to: 28)) \(dimensions) dimensions\(cut), "
                + "\(embedded) of \(notes) notes  \(state)"
        }
    }

    /// All spaces, described.
    static func describe(_ database: GatewayDatabase) async throws -> [Description] {
        let notes = try await database.notes.count()
        return try await database.spaces.all().map { Description($0, notes: notes) }
    }
}

/// `selene spaces list`.
struct SpacesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "All spaces (the default).")

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let spaces = try await Workbench.run(try options.load()) { try await SpacesCommand.describe($0.database) }
        if json { return Terminal.line(try JSONOutput.text(spaces)) }
        for space in spaces { Terminal.line(space.text) }
        if spaces.isEmpty { Terminal.note("selene: no space yet; run selene backfill") }
    }
}

/// `selene spaces switch`.
struct SpacesSwitchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch", abstract: "Answer from a space, in running servers too.")

    @Argument(help: "The space's number.")
    var space: Int64

    @Option(help: "Percent of the notes that must have vectors in it.")
    var at = 100.0

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (0...100).contains(at) else { throw ValidationError("--at must be from 0 to 100") }
    }

    func run() async throws {
        let (space, share, percent) = (space, at / 100, at)
        let spaces = try await Workbench.run(try options.load()) { bench in
            let database = bench.database
            guard try await database.spaces.all().contains(where: { $0.stored.id == space }) else {
                throw StorageError(.notFound, "there is no embedding space \(space)")
            }
            try await database.queue.reconcile(for: space)
            switch try await database.spaces.switch(to: space, atLeast: share, isAutomatic: false) {
            case .switched, .active, .leftBefore: break
            case .incomplete(let missing, let notes):
                throw StorageError(
                    .conflict,
                    "space \(space) lacks \(missing) of \(notes) notes; embed them first, or accept less: --at \(Self.share(missing, notes)) "
                        + "(asked for: \(percent))")
            }
            return try await SpacesCommand.describe(database)
        }
        if json { return Terminal.line(try JSONOutput.text(spaces)) }
        for space in spaces { Terminal.line(space.text) }
    }

    private static func share(_ missing: Int, _ notes: Int) -> Int {
        notes > 0 ? (notes - missing) * 100 / notes : 100
    }
}

/// `selene spaces rollback`.
struct SpacesRollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Answer from the space before.",
        discussion: """
            Works at once, whatever was written since: notes that the space lacks are found by their words until they are \
            embedded, by a running server or by selene backfill with that space's model.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let spaces = try await Workbench.run(try options.load()) { bench in
            let space = try await bench.database.spaces.rollBack()
            try await bench.database.queue.reconcile(for: space.id)
            return try await SpacesCommand.describe(bench.database)
        }
        if json { return Terminal.line(try JSONOutput.text(spaces)) }
        for space in spaces { Terminal.line(space.text) }
    }
}

/// `selene spaces drop`.
struct SpacesDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Remove a space with its vectors; not the active one.")

    @Argument(help: "The space's number.")
    var space: Int64

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let configuration = try options.load()
        let space = space
        let spaces = try await Workbench.run(configuration) { bench in
            try await bench.database.spaces.drop(space)
            return try await SpacesCommand.describe(bench.database)
        }
        // The index of a space is derived from its vectors.
        if let folder = configuration.indexFolder {
            try? FileManager.default.removeItem(atPath: folder + "/space-\(space).index")
        }
        if json { return Terminal.line(try JSONOutput.text(spaces)) }
        Terminal.line("dropped space \(space)")
    }
}
