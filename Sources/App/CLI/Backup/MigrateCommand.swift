import ArgumentParser
import Foundation
import Gateway
import Logging
import PostgresStorage
import Storage
import StoreMigration

/// `selene migrate`: moves notes between the SQLite file and PostgreSQL.
struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Move a store to PostgreSQL, or back into a file, while the gateway runs.",
        discussion: """
            Moves notes with their threads, tags, sources, vectors and all columns of other programs, chat sessions with \
            their messages, memories, the keys, and \(RoomTransfer.subjects). \
            Gateways and other programs may go on writing to the source: changes of notes are followed, others come with \
            the next run, and every row of both stores is compared by a hash. Stop it at any time and run it again: it continues, and applies only what has changed since.

            First it lists the rows that are not moved and stay where they are. Values that the gateway reads \
            as another type are listed, too. See Documentation/Scale.md for both lists and for the switch.

              selene migrate --to postgres://selene@db.example/notes
              selene migrate --to postgres://selene@db.example/notes --verify
              selene migrate --from postgres://selene@db.example/notes --to back.sqlite

            Put the password into PGPASSWORD or ~/.pgpass: other users can read command lines.

            Exit codes: 0 moved, and all rows are equal; 1 failed or refused; 2 rows differ; 64 wrong usage; 65 a store is \
            damaged or was written by a newer version; 130 interrupted.
            """)

    @Option(help: "Source: a file or postgres://… (default: the notes database, SELENE_DATABASE).")
    var from: String?

    @Option(help: "Target: a file or postgres://… (default: the notes database, SELENE_DATABASE).")
    var to: String?

    @Flag(help: "Only compare both stores, and write nothing.")
    var verify = false

    @Flag(
        help:
            "Delete what is in the target and did not come from the source, of all that moves (default: refuse)."
    )
    var overwrite = false

    @Flag(help: "Print JSON lines: the plan, progress, then a summary.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func validate() throws {
        let servers = [from, to].compactMap { $0 }.filter(Self.isServer)
        guard servers.count == 1 else {
            throw ValidationError(
                "expected one address postgres://… and one file: give --to postgres://… or --from postgres://…")
        }
    }

    private static func isServer(_ place: String) -> Bool { PostgresAddress.schemes.contains(where: place.hasPrefix) }

    func run() async throws {
        let path = try options.load().databasePath
        let (source, target) = (from ?? path, to ?? path)
        let (verifies, overwrites, asJSON) = (verify, overwrite, json)
        do {
            let isEqual = try await Interrupt.cancellable {
                try await MigrationStage.with(source, target, isServer: Self.isServer) { from, to in
                    try await Self.run(from, to, verifies, StoreMigration.Options(overwrites: overwrites), asJSON)
                }
            }
            if !isEqual { throw ExitCode(2) }
        } catch {
            if error is CancellationError, !verify {
                Terminal.note("selene: stopped; what was moved is stored. Run it again to continue")
            }
            throw Failure.exit(for: error)
        }
    }

    private static func run(
        _ from: any TransferSide, _ to: any TransferSide, _ verifies: Bool, _ options: StoreMigration.Options,
        _ asJSON: Bool
    ) async throws -> Bool {
        let report = MigrationReport(asJSON: asJSON)
        let started = ContinuousClock.now
        let left = try await from.leftBehind(in: to)
        if !verifies { try await report.plan(from, to, left) }
        let migration = StoreMigration(from: from, to: to, options: options) { await report.update($0) }
        do {
            let summary = try await verifies ? migration.verify() : migration.run()
            await report.finish()
            let seconds = ((ContinuousClock.now - started) / .milliseconds(1)).rounded() / 1000
            try await report.end(summary, from, to, left, isVerification: verifies, seconds: seconds)
            return summary.isEqual
        } catch {
            await report.finish()
            throw error
        }
    }
}

/// Opens the two stores of a migration.
enum MigrationStage {
    /// Statements of a migration write hundreds of notes.
    static let statementTime = Duration.seconds(300)

    static func with<Value: Sendable>(
        _ source: String, _ target: String, isServer: (String) -> Bool,
        _ body: (any TransferSide, any TransferSide) async throws -> Value
    ) async throws -> Value {
        let (server, file) = isServer(source) ? (source, target) : (target, source)
        if file == source {
            guard FileManager.default.fileExists(atPath: file) else {
                throw ValidationError("there is no notes database \(file)")
            }
        }
        var options = PostgresPool.Options()
        options.size = 4
        options.statementTime = statementTime
        let store: PostgresStore
        do {
            store = PostgresStore(try PostgresAddress(server), options: options, logger: CommandContext.logger(.error))
        } catch {
            throw ValidationError(error.message)
        }
        defer { store.close() }
        try await store.prepare()
        let database = try GatewayDatabase(path: file)
        defer { try? database.close() }
        let sides: (any TransferSide, any TransferSide) =
            file == source
            ? (FileTransfer(database), PostgresTransfer(store)) : (PostgresTransfer(store), FileTransfer(database))
        return try await body(sides.0, sides.1)
    }
}
