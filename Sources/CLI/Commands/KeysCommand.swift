import ArgumentParser
import Gateway
import Storage

/// `selene keys`: who may come in.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, list and revoke the keys of clients.",
        discussion: """
            A key is shown once, when it is made; the database keeps its SHA-256 only. A client sends it as
            Authorization: Bearer KEY. A running server knows of new and revoked keys within a quarter of a second.

              selene keys create phone
              selene keys list
              selene keys revoke phone
            """,
        subcommands: [Create.self, List.self, Revoke.self])

    /// A key as `--json` shows it.
    private struct Shown: Encodable {
        var id: Int64
        var name: String
        var prefix: String
        var created_at: String
        var last_used_at: String?
        var revoked_at: String?
        var key: String?

        init(_ record: KeyRecord, key: String? = nil) {
            id = record.id
            name = record.name
            prefix = record.prefix
            created_at = record.createdAt
            last_used_at = record.lastUsedAt
            revoked_at = record.revokedAt
            self.key = key
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make a key and show it, once.")

        @Argument(help: "What the key is for, for example the name of a device.")
        var name: String

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print JSON.")
        var json = false

        func run() async throws {
            let name = name
            let key = try await Workbench.run(try options.load()) { try await $0.database.createKey(name: name) }
            if json {
                Terminal.line(try JSONOutput.text(Shown(key.record, key: key.secret)))
            } else {
                Terminal.line(key.secret)
                Terminal.note("This key for \"\(name)\" is not shown again. Clients send: Authorization: Bearer <key>")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List keys, revoked ones too.")

        @OptionGroup var options: ConfigurationOptions

        @Flag(help: "Print a JSON list.")
        var json = false

        func run() async throws {
            let keys = try await Workbench.run(try options.load()) { try await $0.database.keys() }
            if json {
                Terminal.line(try JSONOutput.text(keys.map { Shown($0) }))
                return
            }
            if keys.isEmpty { Terminal.note("There are no keys. Make one: selene keys create NAME") }
            for key in keys {
                let state = key.revokedAt.map { "revoked \($0)" } ?? "used \(key.lastUsedAt ?? "never")"
                Terminal.line(
                    [
                        String(key.id).padded(to: 4), key.name.padded(to: 20), (key.prefix + "…").padded(to: 12),
                        "made \(key.createdAt)", state,
                    ].joined(separator: "  "))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a key, by name or id.")

        @Argument(help: "The key's name or id.")
        var key: String

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let key = key
            try await Workbench.run(try options.load()) { try await $0.database.revokeKey(key) }
            Terminal.line("revoked \(key)")
        }
    }
}
