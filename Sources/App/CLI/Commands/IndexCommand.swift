import ArgumentParser
import Foundation
import Gateway
import Logging
import PostgresStorage
import Retrieval
import Search
import Server
import Text

/// `selene index`: shows, writes and tunes the index files.
struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "Show, write and tune the index of the notes.",
        discussion: """
            The index is derived from the database and may be deleted at any time. `selene serve` keeps it up to date. \
            Tuning enables a compressed first pass if its recall@10 on your own vectors is at least 0.995. Every \
            explanation shows that recall.

              selene index status
              selene index tune
            """,
        subcommands: [Status.self, Build.self, Tune.self], defaultSubcommand: Status.self)

    /// Opens Search, runs the body, and closes the gateway.
    ///
    /// - Parameter fileOnly: Whether the command works on index files only.
    fileprivate static func with<Value: Sendable>(
        _ options: ConfigurationOptions, fileOnly: Bool = false,
        _ body: @escaping @Sendable (RetrievalService) async throws -> Value
    ) async throws -> Value {
        let configuration = try options.load()
        if fileOnly, configuration.search.isSearchedByServer {
            throw ValidationError(
                "`selene index build` writes index files, and the server searches (SELENE_POSTGRES_SEARCH=server); see "
                    + "`selene index tune`")
        }
        do {
            return try await LocalSearch.run(configuration, body)
        } catch is CancellationError {
            throw Interrupt.exitCode
        } catch {
            throw Failure.exit(for: error)
        }
    }

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show what the index holds and how it searches (the default).")

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            let status = try await IndexCommand.with(options) { try await $0.indexStatus() }
            let isElsewhere = try options.load().search.isSearchedByServer
            Terminal.line(
                json ? try JSONOutput.text(status) : IndexCommand.text(status, isElsewhere: isElsewhere))
        }
    }

    struct Build: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "build", abstract: "Write the index file now.")

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let (isWritten, status) = try await IndexCommand.with(options, fileOnly: true) {
                (try await $0.index.follower.writeFile(), try await $0.indexStatus())
            }
            guard isWritten else {
                Terminal.note("selene: no index file was written: SELENE_INDEX=off, or another process is writing it")
                throw ExitCode.failure
            }
            Terminal.line(IndexCommand.text(status))
        }
    }

    struct Tune: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "tune", abstract: "Measure compressed first passes on your vectors and use the best.",
            discussion: """
                Each of a sample of stored vectors serves as a query for its ten nearest others. The fastest first \
                pass that finds 99.5% of them is used from now on, also by running servers. If none does, the exact \
                scan is used.
                """)

        @Option(help: "Number of stored vectors to use as queries, 10 to 10000.")
        var sample = 500

        @Option(
            help: ArgumentHelp(
                "When PostgreSQL searches, the memory for building the index, such as 2GB (default: the server's).",
                discussion: """
                    It is the server's maintenance_work_mem of the build. A graph that does not fit is finished on the \
                    disk, which takes many times as long; the command warns.
                    """, valueName: "size"))
        var memory: MemorySize?

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            guard (10...10_000).contains(sample) else {
                throw ValidationError("--sample: expected 10 to 10000, got \(sample)")
            }
        }

        func run() async throws {
            let configuration = try options.load()
            if configuration.search.isSearchedByServer {
                let tuning = PostgresIndexTuning(sample: sample, memory: memory, json: json)
                return try await tuning.run(configuration)
            }
            guard memory == nil else {
                throw ValidationError(
                    "--memory is for notes that PostgreSQL searches (SELENE_POSTGRES_SEARCH=server)")
            }
            let sample = sample
            let (found, status) = try await IndexCommand.with(options) { service in
                let found = try await service.index.tune(sample: sample) { Terminal.note("measuring: \($0)") }
                return (found, try await service.indexStatus())
            }
            let report = TuningReport(
                found.map {
                    .init(
                        plan: $0.plan.rawValue, candidates: $0.candidates, recall: $0.recallAt10,
                        median_ms: $0.median / .milliseconds(1))
                }, status: status)
            if json { return Terminal.line(try JSONOutput.text(report)) }
            report.show("plan    candidates")
            Terminal.line("")
            Terminal.line(IndexCommand.text(status))
        }
    }

    /// The status as lines for a person.
    ///
    /// - Parameter isElsewhere: Whether PostgreSQL searches the notes.
    fileprivate static func text(_ status: IndexStatus, isElsewhere: Bool = false) -> String {
        func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
        var lines = ["notes      \(status.notes), \(status.embeddedNotes) embedded"]
        if let model = status.model, let dimensions = status.dimensions {
            lines.append("space      \(model), \(dimensions) dimensions, \(status.vectors) vectors")
        } else {
            lines.append("space      none yet; run `selene backfill`")
        }
        var sizes = "vectors \(megabytes(status.matrixBytes)), text \(megabytes(status.textBytes))"
        if status.codeBytes > 0 { sizes += ", \(isElsewhere ? "index" : "codes") \(megabytes(status.codeBytes))" }
        lines.append("size       \(sizes)")
        switch (status.file, status.fileBytes) {
        case (nil, _) where isElsewhere: lines.append("file       none: the index is in PostgreSQL")
        case (nil, _): lines.append("file       none is kept (SELENE_INDEX=off)")
        case (let file?, nil): lines.append("file       \(file), not written yet")
        case (let file?, let bytes?):
            lines.append(
                "file       \(file), \(megabytes(bytes)), \(Count.of(status.notesBeyondFile, "note")) changed since")
        }
        if let tuning = status.tuning {
            lines.append(
                "plan       \(status.plan): recall@10 \(String(format: "%.4f", tuning.recallAt10)) over "
                    + "\(tuning.sample) queries, \(String(format: "%.1f", tuning.speedup)) times as fast as exact")
        } else {
            lines.append("plan       exact")
        }
        lines.append("\(isElsewhere ? "server " : "machine")    \(status.kernel); \(status.blas)")
        if !isElsewhere { lines.append(String(format: "opened in  %.0f ms", status.openedMilliseconds)) }
        return lines.joined(separator: "\n")
    }
}
