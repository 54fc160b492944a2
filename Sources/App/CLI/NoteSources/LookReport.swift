import ArgumentParser
import GatewayAPI
import NoteSources
import Notes
import Storage
import Text

extension CommandContext {
    /// Looks at all files of a source, with progress.
    func look(at name: String) async throws -> LookReport {
        let source = try await sources.find(name)
        let kind = try await sources.details(name).source.kind
        var bar = ProgressBar("read", unit: kind == .folder ? "files" : "bytes")
        let look = SingleLook(store: store, claims: exportClaims.checked)
        let (now, outcome) = try await look.run(source) { done, all in
            bar.update(done: done, total: all)
        } waiting: {
            Terminal.note("selene: a running gateway follows \(name), and looks now")
        }
        bar.finish()
        return LookReport(source: now, outcome: outcome)
    }
}

/// What a look found, for the terminal or as JSON.
struct LookReport: Encodable, Sendable {
    var source: Source
    var added: Int?
    var updated: Int?
    var unchanged: Int?
    var removed: Int?
    var restored: Int?
    /// Files that were not read, with the reason.
    var problems: [String] = []
    /// What was not read as it was written; the notes have all of their text.
    var warnings: [String] = []
    /// Notes that were kept beside their files, moved, or left deleted.
    var remarks: [String] = []

    init(source: Source, outcome: LookOutcome?) {
        self.source = source
        guard let outcome else { return }
        (added, updated, unchanged) = (outcome.stored.inserted, outcome.stored.updated, outcome.stored.unchanged)
        (removed, restored) = (outcome.removed, outcome.restored)
        (problems, warnings) = (outcome.problems, outcome.warnings)
        remarks =
            outcome.stored.remarks.map(\.sentence) + outcome.empty.map { "\($0): is empty; skipped" }
            + outcome.edited.map { "\($0): the file is gone; its note was edited in the gateway and is kept" }
            + outcome.unsettled.map { "\($0): is being written; the gateway reads it later" }
    }

    /// Prints the report. Exits with 2 when files were not read.
    func print(asJSON: Bool) throws {
        if asJSON {
            Terminal.line(try JSONOutput.text(self))
        } else {
            for line in problems + warnings + remarks { Terminal.note("selene: \(line)") }
            if let added, let updated {
                Terminal.line(
                    "\(source.name): \(Count.of(added, "note")) stored, \(updated) updated"
                        + (removed ?? 0 == 0 ? "" : ", \(removed ?? 0) to the bin")
                        + (restored ?? 0 == 0 ? "" : ", \(restored ?? 0) back from the bin"))
            }
            Terminal.line("\(source.name): \(source.state.rawValue), \(source.summary)")
        }
        if !problems.isEmpty { throw ExitCode(2) }
    }
}
