import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene actions`: tasks that notes speak of, through a running gateway.
struct ActionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "actions",
        abstract: "Find tasks in notes, and confirm or decline them, through a running gateway.",
        discussion: """
            Reads notes of the last 90 days that are new or changed, in English and German, without a model. A task becomes \
            one of its note's thread when you confirm it; a declined one does not come back.

              selene actions                             find tasks and list those that wait
              selene actions --confirm 4 --confirm 7
              selene actions --confirm 5 --thread 2      for a note that is in no thread
              selene actions --decline 6

            The key is read from SELENE_KEY; a gateway of this machine needs none. It needs the scopes notes:read and notes:write.

            Exit codes: 0 done, 1 failed, 64 wrong usage.
            """)

    @Option(help: "Make a task of this draft.")
    var confirm: [Int64] = []

    @Option(help: "Decline this draft.")
    var decline: [Int64] = []

    @Option(help: "The thread of the confirmed tasks (default: the note's).")
    var thread: Int64?

    @Option(help: "Only notes of the last so many days (default: 90).")
    var days: Int?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if let days, !(1...36_500).contains(days) { throw ValidationError("--days: expected 1 to 36500, got \(days)") }
        if thread != nil, confirm.isEmpty { throw ValidationError("--thread goes with --confirm") }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            for id in decline { _ = try await service.declineTaskDraft(id) }
            for id in confirm {
                let task = try await service.confirmTaskDraft(id, TaskDraftUpdate(thread: thread))
                if !json { Terminal.line("task \(task.id)  \(SafeText(oneLine: task.title ?? "Untitled"))") }
            }
            if confirm.isEmpty, decline.isEmpty { try await find(service) }
            let drafts = try await service.taskDrafts()
            try Terminal.report(drafts, asJSON: json) { Self.write(drafts) }
        }
    }

    private func find(_ service: RemoteDataService) async throws {
        var job = try await service.startActions(ActionsJobRequest(days: days))
        while !job.state.isFinal {
            try await Task.sleep(for: .milliseconds(200))
            job = try await service.job(job.id)
        }
        guard job.state == .done else {
            Terminal.note("selene: the notes were not read: \(SafeText(oneLine: job.message ?? job.state.rawValue))")
            throw ExitCode.failure
        }
        if !json, let message = job.message { Terminal.line("\(SafeText(oneLine: message))") }
    }

    private static func write(_ list: TaskDraftList) {
        for draft in list.drafts {
            let due = draft.due.map { ", due \($0)" } ?? ""
            let thread = draft.thread.map { ", in \($0.name)" } ?? ", in no thread"
            Terminal.line(
                "\(draft.id)  " + Terminal.bold(SafeText(oneLine: draft.title)) + "\(SafeText(oneLine: due + thread))")
            let place = draft.source.message.map { "message \($0)" } ?? "note \(draft.source.noteID)"
            Terminal.line("    \(place): \(SafeText(oneLine: draft.source.text))")
        }
        if list.nextCursor != nil { Terminal.line("There are more.") }
    }
}
