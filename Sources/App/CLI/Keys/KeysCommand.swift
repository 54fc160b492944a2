import ArgumentParser
import Foundation
import Gateway
import GatewayAPI
import KeyRoom

/// `selene keys`: manages the keys of clients.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Create, list, change and revoke the keys of clients.",
        discussion: """
            A key is shown once, when it is created; the database stores only its SHA-256. A client sends it as
            Authorization: Bearer KEY, or as the password of Basic. One that can be given an address and nothing else
            gets a key made with --in-path, and the address http://HOST:5678/k/KEY. Ollama's own client sends none: it
            signs its requests, see --ollama. A running server accepts a new key at once and applies changes within
            250 ms. Token quotas are shared by all servers on the database; request rates apply to each server.

              selene keys create phone
              selene keys create tablet --in-path --scope llm
              selene keys create laptop --ollama "$(cat ~/.ollama/id_ed25519.pub)"
              selene keys create guest --scope llm --model llama3.2 --expires 30d --rpm 20 --tokens-per-day 50000
              selene keys set guest --rpm 60 --at-once 1 --budget 5 --priority low
              selene keys list
              selene keys show guest
              selene keys revoke phone
              selene keys sessions
            """,
        subcommands: [
            Create.self, List.self, Show.self, Edit.self, Revoke.self, SessionsCommand.self, SignOutCommand.self,
        ])

    /// The days of usage to show for one key.
    private static let days: Int64 = 30

    private static var now: Int64 { Int64(Date.now.timeIntervalSince1970) }

    private static func describe(_ record: KeyRecord, in keys: KeyRoom) async throws -> KeyDescription {
        let since = UTCDay(unixSeconds: now - (days - 1) * UTCDay.seconds)
        return KeyDescription(
            record, in: try await keys.all(), usage: try await keys.usage(since: since), now: now)
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a key and show it once.")

        @Argument(help: "What the key is for, for example the name of a device.")
        var name: String

        @OptionGroup var terms: KeyTerms

        @Flag(
            help: """
                The key may stand in front of a path: http://HOST:5678/k/KEY/api/tags. Others on the way may log addresses, \
                so give such a key few rights.
                """)
        var inPath = false

        @Option(
            help: ArgumentHelp(
                "Accept what a client signs with this key of its own, the line of ~/.ollama/id_ed25519.pub. On the client: "
                    + "export OLLAMA_HOST=http://HOST:5678 OLLAMA_AUTH=1", valueName: "line"))
        var ollama: SigningKey?

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            if inPath, ollama != nil {
                throw ValidationError("--in-path and --ollama cannot be combined: a client that signs sends no key")
            }
        }

        func run() async throws {
            let name = name
            var grant = KeyGrant()
            terms.apply(to: &grant)
            let (record, secret) = try await CommandContext.run(try options.load()) {
                [grant, inPath, ollama] context -> (KeyRecord, String?) in
                let keys = context.store.keys
                let made: (record: KeyRecord, secret: String?)
                if let ollama {
                    made = (try await keys.add(ollama, name: name, grant: grant), nil)
                } else {
                    let key = try await keys.create(name: name, grant: grant, isForPaths: inPath)
                    made = (key.record, key.secret)
                }
                await context.record(
                    .keyCreate, name, id: made.record.id, detail: grant.scopes.words.joined(separator: " "))
                return made
            }
            if json {
                Terminal.line(try JSONOutput.text(KeyDescription(record, now: now, key: secret)))
            } else if let secret {
                Terminal.line(secret)
                let how = inPath ? "http://HOST:5678/k/<key> as the address" : "Authorization: Bearer <key>"
                Terminal.note("The key for \"\(name)\" is not shown again. Clients send: \(how)")
            } else {
                Terminal.line("\(name) may sign requests with \(record.prefix)…")
                Terminal.note("On the client: export OLLAMA_HOST=http://HOST:5678 OLLAMA_AUTH=1")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List all keys with today's usage, including revoked keys.")

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print a JSON list.")
        var json = false

        func run() async throws {
            let keys = try await CommandContext.run(try options.load()) { context in
                let usage = try await context.store.keys.usage(since: UTCDay(unixSeconds: now))
                let all = try await context.store.keys.all()
                return all.map { KeyDescription($0, in: all, usage: usage, now: now) }
            }
            if json {
                Terminal.line(try JSONOutput.text(keys))
                return
            }
            if keys.isEmpty { Terminal.note("There are no keys. Create one: selene keys create NAME") }
            for key in keys { Terminal.line(key.line) }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the rights of a key and its usage of the last 30 days.")

        @Argument(help: "The key's name or id.")
        var key: String

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            let key = key
            let shown = try await CommandContext.run(try options.load()) { context in
                try await describe(try await context.store.keys.find(key), in: context.store.keys)
            }
            Terminal.line(json ? try JSONOutput.text(shown) : shown.paragraph)
        }
    }

    struct Edit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Change the rights of a key; options that are not given keep their values.")

        @Argument(help: "The key's name or id.")
        var key: String

        @OptionGroup var terms: KeyTerms

        @Flag(help: "Allow any model again.")
        var anyModel = false

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print JSON.")
        var json = false

        func validate() throws {
            if terms.isEmpty, !anyModel { throw ValidationError("nothing to change; see selene help keys set") }
            if anyModel, !terms.model.isEmpty { throw ValidationError("--model and --any-model cannot be combined") }
        }

        func run() async throws {
            let (key, terms, anyModel) = (key, terms, anyModel)
            let shown = try await CommandContext.run(try options.load()) { context in
                let record = try await context.store.keys.change(key) { grant in
                    if anyModel { grant.models = [] }
                    terms.apply(to: &grant)
                }
                await context.record(
                    .keyChange, record.name, id: record.id, detail: record.grant.scopes.words.joined(separator: " "))
                return try await describe(record, in: context.store.keys)
            }
            Terminal.line(json ? try JSONOutput.text(shown) : shown.paragraph)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a key, by name or id, and the keys that it made by pairing or in the console.")

        @Argument(help: "The key's name or id.")
        var key: String

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let key = key
            let made = try await CommandContext.run(try options.load()) { context in
                // Read before: afterwards another key of the name may be found.
                let record = try? await context.store.keys.find(key)
                let made = try await context.store.keys.revoke(key)
                await context.record(
                    .keyRevoke, record?.name ?? key, id: record?.id,
                    detail: made.isEmpty ? nil : "and \(made.joined(separator: ", "))")
                return made
            }
            Terminal.line("revoked \(key)")
            if !made.isEmpty { Terminal.line("revoked what it made: \(made.joined(separator: ", "))") }
        }
    }
}
