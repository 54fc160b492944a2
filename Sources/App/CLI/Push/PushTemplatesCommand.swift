import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene push templates`
struct PushTemplatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "templates", abstract: "List, add, preview and remove templates.",
        discussion: """
            A template is a message with places for values, as JSON:

              {"name": "water",
               "inputs": [{"name": "what", "type": "string", "required": true, "example": "plants"}],
               "message": {"title": "Water the {{what}}"}}

            Types are string, number, boolean, date and choice.

              selene push templates
              selene push templates add water.json
              selene push templates preview water --input what=herbs
              selene push send --template water --input what=herbs
              selene push templates remove water
            """,
        subcommands: [List.self, Add.self, Preview.self, Remove.self], defaultSubcommand: List.self)

    /// `selene push templates list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List templates with their inputs (the default).")

        @OptionGroup var push: PushOptions

        func run() async throws {
            try await push.reported { service in
                let all = try await PushChoice.all { page in
                    let list = try await service.templates(page)
                    return (list.definitions, list.nextCursor)
                }
                try Terminal.report(PushDefinitionList(definitions: all.rows, nextCursor: nil), asJSON: push.json) {
                    if all.rows.isEmpty { Terminal.line("No templates. Add one: selene push templates add FILE") }
                    var table = TextTable()
                    for row in all.rows {
                        table.add(row.name, PushTemplatesCommand.inputs(row.template), row.updatedAt)
                    }
                    table.write()
                }
            }
        }
    }

    /// `selene push templates add FILE`
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Store a template. One of the same name is replaced.")

        @Argument(help: "A JSON file; - for standard input.")
        var file: String

        @OptionGroup var push: PushOptions

        /// Bytes of a template.
        private static let limit = 128 << 10

        func run() async throws {
            let template = try read()
            try await push.reported { service in
                var known: PushDefinition?
                if case .object(let members) = template, case .string(let name) = members["name"] {
                    known = try await PushChoice.template(name, service)
                }
                let stored: PushDefinition
                if let known {
                    stored = try await service.change(template: known.id, to: template)
                } else {
                    stored = try await service.add(template: template)
                }
                try Terminal.report(stored, asJSON: push.json) {
                    Terminal.line("\(known == nil ? "added" : "replaced") \"\(stored.name)\"")
                }
            }
        }

        private func read() throws -> JSONValue {
            let text: String
            if file == "-" {
                guard let read = try LineInput.whole(limit: Self.limit) else {
                    throw ValidationError("standard input has more than \(Self.limit) bytes")
                }
                text = read
            } else {
                do {
                    text = try String(contentsOf: URL(filePath: file), encoding: .utf8)
                } catch {
                    throw ValidationError("\(file) cannot be read as UTF-8 text")
                }
            }
            return try PushContent.json(text, file)
        }
    }

    /// `selene push templates preview NAME`
    struct Preview: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the message of a template without sending it.",
            discussion: "Without --input the examples of the template are used.")

        @Argument(help: "The template's name.")
        var name: String

        @Option(name: .customLong("input"), help: "A value, NAME=VALUE; may be repeated.")
        var inputs: [String] = []

        @OptionGroup var push: PushOptions

        func run() async throws {
            var arguments = ["--template", name]
            for input in inputs { arguments += ["--input", input] }
            let content = try PushContent.parse(arguments)
            try await push.reported { service in
                let values = inputs.isEmpty ? nil : try await content.values(service)
                let message = try await service.preview(template: name, values)
                try Terminal.report(message, asJSON: push.json) {
                    guard case .object(let members) = message else { return }
                    var table = TextTable()
                    for (field, value) in members.sorted(by: { $0.key < $1.key }) {
                        if case .string(let text) = value {
                            table.add(field, text)
                        } else {
                            table.add(field, String(decoding: value.json, as: UTF8.self))
                        }
                    }
                    table.write()
                }
            }
        }
    }

    /// `selene push templates remove NAME`
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Delete a template.")

        @Argument(help: "The template's name.")
        var name: String

        @OptionGroup var push: PushOptions

        func run() async throws {
            try await push.reported { service in
                guard let known = try await PushChoice.template(name, service) else {
                    throw ValidationError("there is no template \"\(name)\". List them: selene push templates")
                }
                try await service.delete(template: known.id)
                try Terminal.report(known, asJSON: push.json) { Terminal.line("removed \"\(known.name)\"") }
            }
        }
    }

    /// The inputs of a template: `what (string, required), liters (number)`.
    private static func inputs(_ template: JSONValue) -> String {
        guard case .object(let members) = template, case .array(let inputs) = members["inputs"] else { return "" }
        return inputs.compactMap { input in
            guard case .object(let fields) = input, case .string(let name) = fields["name"],
                case .string(let type) = fields["type"]
            else { return nil }
            return "\(name) (\(type)\(fields["required"] == .bool(true) ? ", required" : ""))"
        }.joined(separator: ", ")
    }
}
