import ArgumentParser
import GatewayAPI
import GatewayClient
import Text

/// `selene threads`: proposals for threads, through a running gateway.
struct ThreadsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "threads",
        abstract: "Find threads in the notes, and decide on what is proposed, through a running gateway.",
        discussion: """
            Groups of similar notes become proposals: a new thread, notes that join a thread, or a thread that has grown apart. \
            Threads change only when you accept a proposal. The gateway looks each day from SELENE_BRIEFING_AT on. With \
            SELENE_THREADS_MODEL a model phrases names and summaries; what no note supports is left out, and `selene threads \
            run` says how many private notes were withheld from a model on another machine.

              selene threads run
              selene threads
              selene threads accept 3 --name "Roof"
              selene threads decline 4

            The key is read from SELENE_KEY; a gateway of this machine needs none. It needs the scope notes:read to list, otherwise notes:write.

            Exit codes: 0 done, 1 failed, 64 wrong usage, 130 interrupted.
            """,
        subcommands: [
            ThreadsProposalsCommand.self, ThreadsRunCommand.self, ThreadsAcceptCommand.self, ThreadsDeclineCommand.self,
        ], defaultSubcommand: ThreadsProposalsCommand.self)
}

/// `selene threads proposals`
struct ThreadsProposalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proposals", abstract: "List proposals, newest first (the default).")

    @Option(help: ArgumentHelp("open, accepted, declined or all (default: open).", valueName: "state"))
    var state: String?

    @Option(help: "The maximum number of proposals, 1 to 100 (default: 20).")
    var limit: Int?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            let list = try await service.threadProposals(state, PageRequest(limit: limit))
            try Terminal.report(list, asJSON: json) {
                if list.proposals.isEmpty { Terminal.line("No proposals.") }
                for proposal in list.proposals { ProposalText.write(proposal) }
                if list.nextCursor != nil { Terminal.line("There are more: --limit 100.") }
            }
        }
    }
}

/// `selene threads run`
struct ThreadsRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Group the notes that changed, and look for threads.")

    @Flag(help: "Compare and group all notes anew.")
    var again = false

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            var job = try await service.startThreads(ThreadsJobRequest(again: again ? true : nil))
            var bar = ProgressBar("threads", unit: "notes")
            while !job.state.isFinal {
                try await Task.sleep(for: .milliseconds(200))
                job = try await service.job(job.id)
                if job.total > 0 { bar.update(done: job.done, total: job.total) }
            }
            bar.finish()
            guard job.state == .done else {
                Terminal.note("selene: threads: \(SafeText(oneLine: job.message ?? job.state.rawValue))")
                throw ExitCode.failure
            }
            let done = job
            try Terminal.report(done, asJSON: json) { Terminal.line(SafeText(oneLine: done.message ?? "done")) }
        }
    }
}

/// `selene threads accept`
struct ThreadsAcceptCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Carry out a proposal: make its thread, or put its notes into one.")

    @Argument(help: "The proposal's id.")
    var id: Int64

    @Option(help: "Another name for the new thread (default: the proposed one).")
    var name: String?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let proposal = try await RemoteDataService(try gateway.connect()).acceptProposal(id, name: name)
            try Terminal.report(proposal, asJSON: json) { ProposalText.write(proposal) }
        }
    }
}

/// `selene threads decline`
struct ThreadsDeclineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline", abstract: "Decline a proposal; it is not made again.")

    @Argument(help: "The proposal's id.")
    var id: Int64

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let proposal = try await RemoteDataService(try gateway.connect()).declineProposal(id)
            try Terminal.report(proposal, asJSON: json) { ProposalText.write(proposal) }
        }
    }
}

/// Prints proposals for a reader.
private enum ProposalText {
    static func write(_ proposal: ThreadProposal) {
        let kind =
            switch proposal.kind {
            case .new: "new thread"
            case .join: "joins"
            case .split: "split"
            }
        let state = proposal.state == .open ? "" : ", \(proposal.state.rawValue)"
        Terminal.line("\(proposal.id)  " + Terminal.bold(SafeText(oneLine: proposal.name)) + " (\(kind)\(state))")
        Terminal.line("    \(SafeText(oneLine: proposal.why))")
        if let sentences = proposal.phrasing?.sentences, !sentences.isEmpty {
            for sentence in sentences {
                let notes = sentence.notes.map { "[note \($0)]" }.joined()
                Terminal.line("    \(SafeText(oneLine: sentence.text)) \(notes)")
            }
        } else {
            Terminal.line("    \(SafeText(oneLine: proposal.summary))")
        }
        if let phrasing = proposal.phrasing, phrasing.withheld > 0 {
            Terminal.line("    \(phrasing.withheld) private notes withheld from \(SafeText(oneLine: phrasing.model))")
        }
        for part in proposal.parts {
            if proposal.parts.count > 1 {
                Terminal.line("    \(SafeText(oneLine: part.name)): \(Count.of(part.count, "note"))")
            }
            for note in part.notes.prefix(5) {
                Terminal.line("    note \(note.id)  \(SafeText(oneLine: note.title))")
            }
        }
    }
}
