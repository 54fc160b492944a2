import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene memories`: what is remembered about the person, through a running gateway.
struct MemoriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memories",
        abstract: "List, add, edit and forget memories, through a running gateway.",
        discussion: """
            Lists the memories with the highest confidence first. The gateway finds them in what you write in chats, unless \
            SELENE_MEMORIES is off.

              selene memories
              selene memories --state proposed             what a model proposes
              selene memories --why 4                      the sentence, and what happened since
              selene memories --confirm 4 --undo 7 --pin 9
              selene memories --find                       read the chats that wait now
              selene memories --limit 200
              selene memories --add "Lives in Leipzig" --type fact
              selene memories --edit 4 --text "Lives in Dresden"
              selene memories --forget 4 --forget 7

            The key is read from SELENE_KEY; a gateway of this machine needs none. It needs the scope notes:read, for changes also notes:write.

            Exit codes: 0 done, 1 failed, 64 wrong usage.
            """)

    @Option(help: "Add a memory with this text.")
    var add: String?

    @Option(help: "Edit this memory; with --text, --type or both.")
    var edit: Int64?

    @Option(help: "The new text of the edited memory.")
    var text: String?

    @Option(
        help:
            "preference, fact, pattern or context (default of --add: fact). Without --add and --edit: list only these.")
    var type: String?

    @Option(help: "Forget this memory.")
    var forget: [Int64] = []

    @Option(help: "Confirm this proposal.")
    var confirm: [Int64] = []

    @Option(help: "Undo the last change of this memory.")
    var undo: [Int64] = []

    @Option(help: "Always send this memory with a question.")
    var pin: [Int64] = []

    @Option(help: "Send this memory only when the question is about it.")
    var unpin: [Int64] = []

    @Option(help: "Show where this memory comes from, and what happened to it.")
    var why: Int64?

    @Flag(help: "Read the chats that wait, and wait for the end.")
    var find = false

    @Option(help: "List those of this state: active, proposed, superseded or all (default: active).")
    var state = "active"

    @Option(help: "The most memories to list, 1 to 500.")
    var limit = 50

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...500).contains(limit) else { throw ValidationError("--limit: expected 1 to 500, got \(limit)") }
        if text != nil, edit == nil { throw ValidationError("--text goes with --edit") }
        if edit != nil, text == nil, type == nil { throw ValidationError("--edit needs --text or --type") }
        if why != nil, add != nil || edit != nil { throw ValidationError("--why goes without --add and --edit") }
        if add != nil, edit != nil { throw ValidationError("--add goes without --edit") }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            for id in forget { _ = try await service.deleteMemory(id) }
            if let edit { _ = try await service.updateMemory(edit, MemoryUpdate(content: text, type: type)) }
            if let add { _ = try await service.createMemory(NewMemory(content: add, type: type ?? "fact")) }
            for id in confirm { _ = try await service.confirmMemory(id) }
            for id in undo { _ = try await service.undoMemory(id) }
            for id in pin { _ = try await service.updateMemory(id, MemoryUpdate(isPinned: true)) }
            for id in unpin { _ = try await service.updateMemory(id, MemoryUpdate(isPinned: false)) }
            if find { try await Self.find(service) }
            if let why {
                let history = try await service.whyMemory(why)
                return try Terminal.report(history, asJSON: json) { Self.write(history) }
            }
            let listed = add == nil && edit == nil ? type : nil
            let found = try await service.memories(state: state, type: listed, PageRequest(limit: limit))
            try Terminal.report(found, asJSON: json) { Self.write(found) }
        }
    }

    private static func write(_ list: MemoriesResponse) {
        if list.memories.isEmpty { Terminal.line("Nothing is remembered.") }
        for memory in list.memories {
            let type = memory.type.map { " (\($0))" } ?? ""
            Terminal.line("\(memory.id)  \(SafeText(oneLine: memory.content + type + note(memory)))")
        }
        if list.nextCursor != nil { Terminal.line("There are more.") }
        if list.isOn == false { Terminal.line("Chats find and use no memories: SELENE_MEMORIES is off.") }
    }

    /// What a list says of a memory beside its text.
    private static func note(_ memory: Memory) -> String {
        guard let details = memory.details else { return "" }
        switch details.state {
        case .proposed: return ", proposed"
        case .superseded: return ", \(details.reason ?? "superseded")"
        case .active: return details.isPinned ? ", pinned" : ""
        }
    }

    private static func write(_ history: MemoryHistory) {
        let memory = history.memory
        Terminal.line("\(memory.id)  \(SafeText(oneLine: memory.content + note(memory)))")
        if let source = memory.details?.source {
            Terminal.line("  \(SafeText(oneLine: "\"\(source.text)\""))")
            Terminal.line(
                "  session \(SafeText(oneLine: source.session)), message \(source.message.map { String($0) } ?? "-")")
            if history.message == nil { Terminal.line("  The message was deleted.") }
        } else {
            Terminal.line("  Written by a person or another program.")
        }
        for change in history.changes {
            let details = [change.content, change.reason].compactMap(\.self).joined(separator: ", ")
            Terminal.line(
                "  \(change.at)  \(SafeText(oneLine: change.action.rawValue + (details.isEmpty ? "" : ": " + details)))"
            )
        }
    }

    /// Runs the job to its end.
    private static func find(_ service: RemoteDataService) async throws {
        var job = try await service.startMemories()
        while !job.state.isFinal {
            try await Task.sleep(for: .milliseconds(200))
            job = try await service.job(job.id)
        }
        Terminal.note("selene: \(SafeText(oneLine: job.message ?? job.state.rawValue))")
    }
}
