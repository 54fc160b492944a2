import ArgumentParser
import AuditRoom
import Database
import GatewayAPI
import Text

/// `selene audit`: who changed what.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List administrative changes: who did what, and what came of it.",
        discussion: """
            Keys, pairings, sign-outs, models, settings, spaces, jobs and stopped requests, over HTTP and by this program. Entries \
            hold names and ids, never a key, a prompt or the text of a note. Nothing changes or deletes them; the latest \
            \(AuditRoom.maxEntries) are kept. Reads the database itself, so it works without a running gateway.

              selene audit
              selene audit --action key.create --since 2026-03-14
              selene audit --key 3 --limit 200
              selene audit --json | jq '.[] | select(.outcome != "done")'

            A line has time (UTC), who, action, what, outcome and status. Who is the name of a key, or: command line; token \
            (SELENE_API_TOKEN); this machine (a command through the running gateway); no key; new device (it took a code of the \
            command line or the token); configuration file and signal (a reload).

            Actions: \(AuditAction.allCases.map(\.rawValue).joined(separator: ", ")).

            Exit codes: 0 done, 1 failed, 64 wrong usage, 130 interrupted.
            """)

    @Option(help: "Maximum number of entries, 1 to 10000.")
    var limit = 50

    @Option(help: "Only this action, such as key.create.")
    var action: String?

    @Option(help: "Only changes with the key of this id: selene keys list.")
    var key: Int64?

    @Option(help: "Only entries of this time or later, such as 2026-03-14 (UTC).")
    var since: String?

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print a JSON list.")
    var json = false

    /// The number of rows that are read at once.
    private static let pageSize = 500

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit: expected 1 to 10000, got \(limit)") }
        _ = try filter()
    }

    private func filter() throws -> AuditFilter {
        var filter = AuditFilter(keyID: key)
        if let action {
            guard let known = AuditAction(rawValue: action) else {
                let near = NearestName.question(action, among: AuditAction.allCases.map(\.rawValue))
                throw ValidationError("--action: there is no action \(action)\(near.map { "; \($0)" } ?? "")")
            }
            filter.action = known
        }
        if let since {
            guard since.utf8.count <= 64, let seconds = Timestamp.unixSeconds(since) else {
                throw ValidationError("--since: expected a date such as 2026-03-14, got \(since)")
            }
            filter.since = seconds &* 1000
        }
        return filter
    }

    func run() async throws {
        let (limit, filter) = (limit, try filter())
        let (found, hasMore) = try await CommandContext.run(try options.load()) {
            try await Self.read($0.store.audit, filter, limit)
        }
        try Terminal.report(found, asJSON: json) {
            if found.isEmpty { Terminal.line("No entries.") }
            var table = TextTable()
            for entry in found {
                table.add(
                    entry.at, entry.by + (entry.keyID.map { " (key \($0))" } ?? ""), entry.action, Self.object(entry),
                    entry.outcome, entry.status.map(String.init) ?? "", entry.detail ?? "")
            }
            table.write()
            if hasMore { Terminal.line(Terminal.dim("There are more: --limit")) }
        }
    }

    private static func object(_ entry: AuditEntry) -> String {
        switch (entry.object, entry.objectID) {
        case (let name?, let id?): "\(name) (\(id))"
        case (let name?, nil): name
        case (nil, let id?): id
        case (nil, nil): ""
        }
    }

    private static func read(
        _ audit: AuditRoom, _ filter: AuditFilter, _ limit: Int
    ) async throws -> (found: [AuditEntry], hasMore: Bool) {
        var found: [AuditEntry] = []
        var cursor: PageCursor?
        repeat {
            let page = try await audit.page(filter, after: cursor, limit: min(pageSize, limit - found.count))
            found += page.items
            cursor = page.next
        } while cursor != nil && found.count < limit
        return (found, cursor != nil)
    }
}
