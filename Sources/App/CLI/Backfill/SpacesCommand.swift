import ArgumentParser
import Backfill
import Foundation
import Gateway
import GatewayAPI
import Search
import Storage

/// `selene spaces`: lists, switches and removes embedding spaces.
struct SpacesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "spaces",
        abstract: "List, switch and remove embedding spaces.",
        discussion: """
            Vectors of one space are comparable: they have the same model weights, prefixes and passages. Another \
            model fills a space beside the active one, which becomes active once it is complete. Running servers \
            switch at once.

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

    /// Describes all spaces.
    static func describe(_ embeddings: any EmbeddingAdministration) async throws -> [Description] {
        let notes = try await embeddings.noteCount()
        return try await embeddings.spaces().map { Description($0, notes: notes) }
    }
}

/// `selene spaces list`: prints all spaces.
struct SpacesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List all spaces (the default).")

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let spaces = try await CommandContext.run(try options.load()) {
            try await SpacesCommand.describe($0.store.embeddings)
        }
        if json { return Terminal.line(try JSONOutput.text(spaces)) }
        for space in spaces { Terminal.line(space.text) }
        if spaces.isEmpty { Terminal.note("selene: no space yet; run selene backfill") }
    }
}

/// `selene spaces switch`: makes a space active.
struct SpacesSwitchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch", abstract: "Make a space active, for running servers too.")

    @Argument(help: "The id of the space; see selene spaces list.")
    var space: Int64

    @Option(help: "Percent of the notes that must have vectors in the space, 0 to 100.")
    var at = 100.0

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (0...100).contains(at) else { throw ValidationError("--at: expected 0 to 100, got \(at)") }
    }

    func run() async throws {
        let (space, share, percent) = (space, at / 100, at)
        let spaces = try await CommandContext.run(try options.load()) { context in
            let embeddings = context.store.embeddings
            switch try await embeddings.switch(to: space, atLeast: share, isThorough: true) {
            case .switched, .active, .leftBefore: await context.record(.spaceSwitch, nil, id: space)
            case .incomplete(let missing, let notes):
                throw StorageError(
                    .conflict,
                    "space \(space) lacks \(missing) of \(notes) notes; embed them first, or lower --at from "
                        + "\(percent) to \(Self.share(missing, notes))")
            }
            return try await SpacesCommand.describe(embeddings)
        }
        if json { return Terminal.line(try JSONOutput.text(spaces)) }
        for space in spaces { Terminal.line(space.text) }
    }

    private static func share(_ missing: Int, _ notes: Int) -> Int {
        notes > 0 ? (notes - missing) * 100 / notes : 100
    }
}

/// `selene spaces rollback`: makes the previous space active.
struct SpacesRollbackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Make the previous space active again.",
        discussion: """
            Takes effect at once. Notes without vectors in that space are found by keywords until a running server, or \
            selene backfill with that space's model, embeds them.
            """)

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let spaces = try await CommandContext.run(try options.load()) { context in
            let embeddings = context.store.embeddings
            _ = try await embeddings.rollBack()
            await context.record(.spaceRollback, nil)
            return try await SpacesCommand.describe(embeddings)
        }
        if json { return Terminal.line(try JSONOutput.text(spaces)) }
        for space in spaces { Terminal.line(space.text) }
    }
}

/// `selene spaces drop`: removes a space that is not active.
struct SpacesDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Remove a space and its vectors; refuses the active space.")

    @Argument(help: "The id of the space; see selene spaces list.")
    var space: Int64

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let configuration = try options.load()
        let space = space
        let spaces = try await CommandContext.run(configuration) { context in
            let embeddings = context.store.embeddings
            try await embeddings.drop(space)
            await context.record(.spaceDrop, nil, id: space)
            return try await SpacesCommand.describe(embeddings)
        }
        // The index file is derived from the vectors that were just removed.
        if let folder = configuration.search.notesIndexFolder {
            try? IndexFolder(path: folder).remove(folder + "/space-\(space).index")
        }
        if json { return Terminal.line(try JSONOutput.text(spaces)) }
        Terminal.line("dropped space \(space)")
    }
}
