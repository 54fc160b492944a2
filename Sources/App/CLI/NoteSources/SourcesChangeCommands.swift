import ArgumentParser
import Audit
import GatewayAPI
import NoteSources
import Text

/// `selene sources pause`
struct SourcesPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause", abstract: "Stop following a source; its notes stay as they are.")

    @Argument(help: "The name of the source.")
    var name: String

    @OptionGroup var shared: SourceOptions

    func run() async throws {
        try await SourceChange(paused: true).apply(to: name, shared)
    }
}

/// `selene sources resume`
struct SourcesResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Follow a paused source again, or answer one that asks.")

    @Argument(help: "The name of the source.")
    var name: String

    @Flag(help: "The missing files are really gone: their notes go to the bin.")
    var acceptMissing = false

    @OptionGroup var shared: SourceOptions

    func run() async throws {
        try await SourceChange(paused: false, acceptMissing: acceptMissing).apply(to: name, shared)
    }
}

/// `selene sources remove`
struct SourcesRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget a source; its files are never touched.")

    @Argument(help: "The name of the source.")
    var name: String

    @Flag(help: "Keep its notes.")
    var keepNotes = false

    @Flag(help: "Move its notes to the bin for 30 days, but those that were edited here.")
    var removeNotes = false

    @OptionGroup var shared: SourceOptions

    func validate() throws {
        if keepNotes, removeNotes { throw ValidationError("--keep-notes and --remove-notes exclude each other") }
    }

    func run() async throws {
        let (name, removes) = (name, try await removes())
        let removed = try await CommandContext.run(try shared.options.load()) { context in
            let removed = try await context.sources.remove(name, keepsNotes: !removes)
            await context.record(.sourceRemove, name, detail: "notes: \(removes ? "remove" : "keep")")
            return removed
        }
        try Terminal.report(RemovedSource(name: name, removedNotes: removed), asJSON: shared.json) {
            Terminal.line(
                removes
                    ? "\(name): removed; \(Count.of(removed, "note")) went to the bin"
                    : "\(name): removed; its notes stay")
        }
    }

    /// What the flags say, or a person at the terminal.
    private func removes() async throws -> Bool {
        if keepNotes || removeNotes { return removeNotes }
        guard LineInput.isTerminal else {
            throw ValidationError("say what becomes of the notes: --keep-notes or --remove-notes")
        }
        let answer = await LineInput.next(prompt: "Remove the notes of \(SafeText(name)), too? [y/N] ")
        return answer?.lowercased().hasPrefix("y") ?? false
    }
}

extension SourceChange {
    fileprivate func apply(to name: String, _ shared: SourceOptions) async throws {
        let change = self
        let source = try await CommandContext.run(try shared.options.load()) { context in
            try await context.sources.change(name, change)
            await context.record(.sourceChange, name, detail: change.paused == true ? "paused" : "resumed")
            return try await context.sources.details(name).source
        }
        try Terminal.report(source, asJSON: shared.json) {
            Terminal.line("\(source.name): \(source.state.rawValue), \(source.summary)")
        }
    }
}
