import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// `selene push apns`: shows and sets how the gateway reaches Apple's service.
struct PushAPNsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apns", abstract: "Show or set the key of APNs.",
        discussion: """
            The gateway keeps the key in a file of mode 0600 beside its database and uses it at once. It never shows the key. \
            A key of the settings (SELENE_PUSH_APNS_KEY) counts before one that was set here, and cannot be replaced here.

              selene push apns
              selene push apns set AuthKey_ABC123DEFG.p8 --team-id TEAM123456 --bundle-id com.example.app
              selene push apns set --key-id ABC123DEFG --team-id TEAM123456 --bundle-id com.example.app --sandbox
            """,
        subcommands: [Show.self, Set.self], defaultSubcommand: Show.self)

    /// `selene push apns show`
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show whether APNs is configured and sends.")

        @OptionGroup var push: PushOptions

        func run() async throws {
            try await push.reported { service in
                let state = try await service.apns()
                try Terminal.report(state, asJSON: push.json) { PushAPNsCommand.show(state) }
            }
        }
    }

    /// `selene push apns set`
    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set the key, its ids, the bundle id and the environment.")

        @Argument(help: "Apple's AuthKey_….p8; without it, the key that was set before stays.")
        var file: String?

        @Option(help: "Id of the key. (default: that in the name of the file)")
        var keyID: String?

        @Option(help: "Id of the team.")
        var teamID: String

        @Option(help: "Bundle id of the app.")
        var bundleID: String

        @Flag(help: "Devices that name no environment are of the sandbox.")
        var sandbox = false

        @OptionGroup var push: PushOptions

        func run() async throws {
            var key: String?
            if let file {
                guard let data = FileManager.default.contents(atPath: file), data.count <= 4096,
                    let text = String(data: data, encoding: .utf8)
                else { throw ValidationError("cannot read a key from \(file)") }
                key = text
            }
            guard let id = keyID ?? file.flatMap(Self.keyID) else {
                throw ValidationError("the id of the key is missing: --key-id ABC123DEFG")
            }
            let request = PushAPNsRequest(
                p8Key: key, keyId: id, teamId: teamID, bundleId: bundleID,
                environment: sandbox ? "sandbox" : "production")
            try await push.reported { service in
                let state = try await service.configure(request)
                try Terminal.report(state, asJSON: push.json) { PushAPNsCommand.show(state) }
            }
        }

        /// The id in a name such as `AuthKey_ABC123DEFG.p8`.
        private static func keyID(of file: String) -> String? {
            let name = file.split(separator: "/").last ?? ""
            guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8") else { return nil }
            return String(name.dropFirst(8).dropLast(3))
        }
    }

    private static func show(_ state: PushAPNsState) {
        guard state.configured else {
            let why = state.reason.map { ": \($0)" } ?? ""
            return Terminal.line("not configured\(why). Set a key: selene push apns set --help")
        }
        let source = state.source == "settings" ? "by the settings of the gateway" : "by a request"
        Terminal.line("\(state.state)\(state.reason.map { ": \($0)" } ?? "")")
        Terminal.line(
            "key \(state.keyId ?? "") of team \(state.teamId ?? ""), bundle \(state.bundleId ?? "none"), "
                + "\(state.environment ?? "production"), \(source)")
    }
}
