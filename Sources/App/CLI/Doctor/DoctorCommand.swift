import ArgumentParser
import Foundation
import Gateway
import GatewayAPI
import KeyRoom
import Logging
import PostgresStorage
import Search
import Storage
import Text

/// `selene doctor`: finds problems and names their remedies.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems and say how to fix them.",
        discussion: """
            Names the version and how to update it. Checks the database (damage, references, triggers, odd rows), the \
            queue and the index files against the notes, permissions, left-over files, disk space, the clock, the \
            upstreams and the settings. Of notes in PostgreSQL it checks the connection and the queue there. It \
            changes nothing and can run while a server runs.

            With --fix it applies the safe repairs: it recreates triggers, queues forgotten notes, frees leases of \
            ended processes, removes other users' access to the gateway's own files, and deletes left-over files and \
            unusable index files.

            With --client it says what to enter in an app, and asks a running gateway what that app asks, except what makes \
            a model work. The key is that of SELENE_KEY. Known are \(
                KnownClient.all.map(\.id).joined(separator: ", ")).

              selene doctor
              selene doctor --fix
              selene doctor --client open-webui
              selene doctor --json | jq '.findings[] | select(.severity == "problem")'

            Exit codes: 0 no problems (perhaps warnings), 1 problems, 64 wrong usage or configuration, 65 the database \
            was written by a newer version, 130 interrupted.
            """)

    @Flag(help: "Apply the safe repairs (default: only report).")
    var fix = false

    @Option(help: ArgumentHelp("What to enter in an app, and whether it gets answers.", valueName: "app"))
    var client: String?

    @Option(help: "With --client: address of the gateway (SELENE_URL; default: the one on this machine's database).")
    var url: String?

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    private struct Report: Encodable {
        var problems: Int
        var warnings: Int
        var fixed: Int
        var findings: [Finding]
    }

    func validate() throws {
        if let client { _ = try ClientReport.client(client) }
        if client != nil, fix {
            throw ValidationError("--fix: cannot be combined with --client, which changes nothing")
        }
        if client == nil, url != nil { throw ValidationError("--url: only with --client") }
    }

    func run() async throws {
        if let client { return try await ClientReport.run(ClientReport.client(client), url: url, json: json) }
        let configuration = try options.load()
        let (fix, json) = (fix, json)
        let findings: [Finding]
        do {
            findings = try await Interrupt.cancellable {
                try await Self.examine(configuration, fix: fix) { if !json { Terminal.line($0.text) } }
            }
        } catch {
            throw Failure.exit(for: error)
        }
        let open = findings.filter { !$0.isFixed }
        let report = Report(
            problems: open.count { $0.severity == .problem }, warnings: open.count { $0.severity == .warning },
            fixed: findings.count { $0.isFixed }, findings: findings)
        try Terminal.report(report, asJSON: json) {
            let fixed = report.fixed > 0 ? ", \(report.fixed) fixed" : ""
            Terminal.line("\(Count.of(report.problems, "problem")), \(Count.of(report.warnings, "warning"))\(fixed)")
        }
        if report.problems > 0 { throw ExitCode.failure }
    }

    /// Runs the checks for a running gateway, without repairs.
    ///
    /// - Parameter isDeep: Whether to run the slow checks, which read the whole database and the index.
    static func findings(of configuration: GatewayConfiguration, isDeep: Bool) async throws -> [DoctorFinding] {
        try await examine(configuration, fix: false, isDeep: isDeep) { _ in }.map {
            DoctorFinding(
                check: $0.check, severity: $0.severity.rawValue, message: $0.message, remedy: $0.remedy,
                isFixable: $0.fix != nil)
        }
    }

    /// Runs all checks. Checks of the open database run only when the file itself is sound.
    private static func examine(
        _ configuration: GatewayConfiguration, fix: Bool, isDeep: Bool = true, _ show: (Finding) -> Void
    ) async throws -> [Finding] {
        let path = configuration.databasePath
        var all: [Finding] = []
        func run(_ checks: [Check]) async throws {
            for check in checks {
                try Task.checkCancellation()
                for finding in try await check.findings() {
                    let treated = fix ? await treat(finding) : finding
                    show(treated)
                    all.append(treated)
                }
            }
        }
        try await run([Installation.check] + (isDeep ? [DatabaseChecks.file(path)] : []))
        var database: GatewayDatabase?
        if !all.contains(where: { $0.severity == .problem }), FileManager.default.fileExists(atPath: path) {
            database = try GatewayDatabase(path: path, repairsTriggers: false)
        }
        defer { try? database?.close() }
        let keys: SettingsChecks.Keys
        if let server = configuration.search.postgresStore(CommandContext.logger(.error)) {
            defer { server.close() }
            try await run([
                PostgresChecks.connection(server, isSearchedByServer: configuration.search.isSearchedByServer)
            ])
            let isAway = all.contains { $0.check == PostgresChecks.name && $0.severity == .problem }
            if !isAway {
                let checks =
                    [QueueChecks.queue(server.embeddings), SourceChecks.all(server)]
                    + QueueChecks.index(server, configuration)
                try await run(checks.filter { isDeep || !$0.isSlow })
            }
            let records = isAway ? nil : try await server.keys.all()
            keys = { records }
        } else {
            if let database {
                let checks =
                    DatabaseChecks.open(database)
                    + [QueueChecks.queue(database.embeddings), SourceChecks.all(database)]
                    + QueueChecks.index(database, configuration)
                try await run(checks.filter { isDeep || !$0.isSlow })
            }
            keys = { [database] in try await database?.keys.all() ?? [] }
        }
        try await run(FileChecks.all(configuration) + SettingsChecks.all(configuration, keys))
        return all
    }

    private static func treat(_ finding: Finding) async -> Finding {
        guard let fix = finding.fix else { return finding }
        var treated = finding
        do {
            try await fix()
            treated.isFixed = true
        } catch {
            treated.message +=
                " (the repair failed: \((error as? StorageError)?.message ?? error.localizedDescription))"
        }
        return treated
    }
}
