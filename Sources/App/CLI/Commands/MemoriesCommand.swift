import ArgumentParser
import GatewayAPI
import GatewayClient

/// `selene memories`: what is remembered about the person, through a running gateway.
struct MemoriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "memories",
        abstract: "List, add, edit and forget memories, through a running gateway.",
        discussion: """
            Lists the memories with the highest confidence first.

              selene memories
              selene memories --limit 200
              selene memories --add "Lives in Leipzig" --type fact
              selene memories --edit 4 --text "Lives in Dresden"
              selene memories --forget 4 --forget 7

            The key is read from SELENE_API_TOKEN. It needs the scope notes:read, for changes also notes:write.

            Exit codes: 0 done, 1 failed, 64 wrong usage.
            """)

    @Option(help: "Add a memory with this text.")
    var add: String?

    @Option(help: "Edit this memory; with --text, --type or both.")
    var edit: Int64?

    @Option(help: "The new text of the edited memory.")
    var text: String?

    @Option(help: "preference, fact, pattern or context (default of --add: fact).")
    var type: String?

    @Option(help: "Forget this memory.")
    var forget: [Int64] = []

    @Option(help: "The most memories to list, 1 to 500.")
    var limit = 50

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (1...500).contains(limit) else { throw ValidationError("--limit: expected 1 to 500, got \(limit)") }
        if text != nil, edit == nil { throw ValidationError("--text goes with --edit") }
        if edit != nil, text == nil, type == nil { throw ValidationError("--edit needs --text or --type") }
        if type != nil, add == nil, edit == nil { throw ValidationError("--type goes with --add or --edit") }
        if add != nil, edit != nil { throw ValidationError("--add goes without --edit") }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemoteDataService(try gateway.connect())
            for id in forget { _ = try await service.deleteMemory(id) }
            if let edit { _ = try await service.updateMemory(edit, MemoryUpdate(content: text, type: type)) }
            if let add { _ = try await service.createMemory(NewMemory(content: add, type: type ?? "fact")) }
            let found = try await service.memories(embeddings: false, PageRequest(limit: limit))
            try Terminal.report(found, asJSON: json) { Self.write(found) }
        }
    }

    private static func write(_ list: MemoriesResponse) {
        if list.memories.isEmpty { Terminal.line("Nothing is remembered.") }
        for memory in list.memories {
            let type = memory.type.map { " (\($0))" } ?? ""
            Terminal.line("\(memory.id)  \(SafeText(oneLine: memory.content + type))")
        }
        if list.nextCursor != nil { Terminal.line("There are more.") }
    }
}
