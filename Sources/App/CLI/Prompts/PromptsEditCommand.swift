import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient
import Prompts

/// `selene prompts edit`: stores a new version of a prompt, or a new prompt.
struct PromptsEditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change a prompt, or make one.",
        discussion: """
            Opens the text form in $VISUAL or $EDITOR (default: vi). With --file, or with standard input that is not a \
            terminal, reads the text from there. Text without front matter is the template alone; the other parts stay.

              selene prompts edit week-in-review
              selene prompts show week-in-review > w.md; selene prompts edit week-in-review --file w.md
              echo 'What do my notes say about {{topic}}?' | selene prompts edit about --title "About a subject"

            Nothing is stored when the prompt has changed in the meantime.
            """)

    @Argument(help: "The prompt's id: lower-case letters, digits and \"-\".")
    var id: String

    @Option(help: "Read the text from this file; - for standard input.")
    var file: String?

    @Option(help: "The title (default: as before, or the id).")
    var title: String?

    @Option(help: "The kind (default: as before, or specific).")
    var kind: PromptDocument.Kind?

    @OptionGroup var gateway: GatewayOptions

    @Flag(help: "Print the stored prompt as JSON.")
    var json = false

    func validate() throws {
        guard PromptDocument.isID(id) else {
            throw ValidationError("ID: expected 1 to 64 lower-case letters, digits and \"-\", got \"\(id)\"")
        }
    }

    func run() async throws {
        try await GatewayOptions.reported(isJSON: json) {
            let service = RemotePromptService(try gateway.connect())
            let known = try await current(service)
            let draft = try known.map { try PromptDocument($0) } ?? skeleton
            let text = try input(draft)
            let saved = try await service.save(id, try change(text, known))
            try Terminal.report(saved, asJSON: json) {
                let isSame = saved.version == known?.version
                Terminal.line(
                    isSame ? "\(id) is unchanged" : "\(id) has version \(saved.number) now (\(saved.version))")
            }
        }
    }

    private func current(_ service: RemotePromptService) async throws -> Prompt? {
        do {
            return try await service.prompt(id)
        } catch let error as GatewayClientError where error.status == 404 {
            return nil
        }
    }

    private var skeleton: PromptDocument {
        PromptDocument(
            id: id, title: title ?? id, kind: kind ?? .specific,
            variables: [.init(name: "topic", defaultValue: "", meaning: "The subject.")],
            body: "What do my notes say about {{topic}}?")
    }

    private func input(_ draft: PromptDocument) throws -> String {
        if let file, file != "-" {
            do {
                return try String(contentsOf: URL(filePath: file), encoding: .utf8)
            } catch {
                throw ValidationError("--file: \(file) cannot be read as UTF-8 text")
            }
        }
        guard file == "-" || !LineInput.isTerminal else { return try TextEditor.edit(draft.text, name: id) }
        guard let text = try LineInput.whole(limit: 2 * PromptDocument.Limits.body) else {
            throw ValidationError("the text on standard input has more than \(2 * PromptDocument.Limits.body) bytes")
        }
        return text
    }

    private func change(_ text: String, _ known: Prompt?) throws -> PromptChange {
        guard text.hasPrefix("---") else {
            return PromptChange(
                title: title ?? known?.title ?? id, kind: kind?.rawValue ?? known?.kind ?? "specific", text: text,
                purpose: known?.purpose, chat: known?.chat, base: known?.version)
        }
        do {
            let document = try PromptDocument(parsing: text)
            guard document.id == id else {
                throw ValidationError("the text has the id \"\(document.id)\", expected \"\(id)\"")
            }
            return PromptChange(
                title: title ?? document.title, kind: kind?.rawValue ?? document.kind.rawValue, text: document.body,
                purpose: document.purpose, chat: document.chat.rawValue,
                variables: document.variables.map {
                    PromptVariable(name: $0.name, defaultValue: $0.defaultValue, meaning: $0.meaning)
                }, base: known?.version)
        } catch let error as PromptError {
            throw ValidationError("\(error)")
        }
    }
}
