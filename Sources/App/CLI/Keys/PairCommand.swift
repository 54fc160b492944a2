import ArgumentParser
import Database
import Foundation
import Gateway
import GatewayAPI
import KeyRoom
import Server
import Web

/// `selene pair`: gives a new device a key of its own by a code.
struct PairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pair",
        abstract: "Pair a phone or a browser: show a code and a QR code that sign it in.",
        discussion: """
            The code works once and for 5 minutes. The device gets a key of its own with the given scopes, which
            `selene keys` lists and revokes. With --approve, the new device shows the code, and this command approves it.

              selene pair phone --scope llm --scope notes:read --expires 180d
              selene pair tablet --url https://home.example.org
              selene pair --approve BCDF-GHJK --scope llm
            """)

    @Argument(help: "The name for the device's key.")
    var name: String?

    @Option(help: "The code that a new device shows; approves its request.")
    var approve: String?

    @Option(help: "The address under which the device reaches the gateway. Default: this machine's own address.")
    var url: String?

    @OptionGroup var terms: KeyTerms

    @OptionGroup var options: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard (name == nil) != (approve == nil) else {
            throw ValidationError("give either a name for the device, or --approve CODE")
        }
        if let approve, PairingCode(approve) == nil {
            throw ValidationError("--approve: expected the 8 letters that the new device shows")
        }
        if let url, !url.hasPrefix("http://"), !url.hasPrefix("https://") {
            throw ValidationError("--url: expected an address such as https://home.example.org")
        }
    }

    /// A pairing as JSON.
    private struct Offer: Encodable {
        var code: String
        var expires_at: String
        var urls: [String]
    }

    func run() async throws {
        var grant = KeyGrant(scopes: KeyScope.paired)
        terms.apply(to: &grant)
        let configuration = try options.load()
        let now = Int64(Date.now.timeIntervalSince1970)
        if let code = approve.flatMap({ PairingCode($0) }) {
            try await approve(code, grant, configuration, now)
        } else if let name {
            try await offer(name, grant, configuration, now)
        }
    }

    private func approve(
        _ code: PairingCode, _ grant: KeyGrant, _ configuration: GatewayConfiguration, _ now: Int64
    ) async throws {
        let found = try await CommandContext.run(configuration) { context in
            guard
                let found = try await context.store.pairings.approve(code, grant: grant, grantedBy: nil, now: now)
            else { throw StorageError(.notFound, "there is no device with this code; codes end after 5 minutes") }
            await context.record(
                .deviceApprove, found.name, detail: grant.scopes.words.joined(separator: " "))
            return found
        }
        Terminal.line("approved \(found.name) at \(found.address)")
    }

    private func offer(
        _ name: String, _ grant: KeyGrant, _ configuration: GatewayConfiguration, _ now: Int64
    ) async throws {
        let code = PairingCode()
        let (expiresAt, isFirst) = try await CommandContext.run(configuration) { context in
            let isFirst = try await context.store.keys.all().isEmpty && configuration.server.apiToken == nil
            let expiresAt = try await context.store.pairings.offer(
                code, name: name, grant: grant, grantedBy: nil, now: now)
            await context.record(.deviceOffer, name, detail: grant.scopes.words.joined(separator: " "))
            return (expiresAt, isFirst)
        }
        let localAccess = CommandTarget.localAccess(configuration.databasePath)
        let urls = addresses(configuration, localAccess).map { $0.url(code.text) }
        if json {
            Terminal.line(
                try JSONOutput.text(
                    Offer(code: code.text, expires_at: Timestamp.iso8601(expiresAt), urls: urls)))
            return
        }
        if let first = urls.first { Terminal.draw(first) }
        for url in urls { Terminal.line("Open \(url)") }
        Terminal.line("or open the gateway on the device and type the code  " + Terminal.bold("\(code.grouped)"))
        Terminal.line("The code works once, until \(Timestamp.text(expiresAt)) UTC.")
        if url == nil, localAccess == nil {
            Terminal.note(
                "No gateway runs on this database now; the address is the one of the settings. Start it: selene serve")
        }
        if url == nil, ServerSettings.isLoopback(localAccess?.host ?? configuration.server.host) {
            Terminal.note(
                "The gateway listens on \(localAccess?.host ?? configuration.server.host), which other devices cannot reach: set SELENE_HOST, "
                    + "or pass --url with the address of the proxy in front of it.")
        }
        if isFirst {
            Terminal.note(
                "This will be the gateway's first key: from then on browsers and programs need one, on this machine too. Commands need none."
            )
        }
    }

    /// The addresses for the device, the likeliest first: where the gateway listens that runs, else where it would.
    private func addresses(_ configuration: GatewayConfiguration, _ localAccess: LocalAccessRecord?) -> [PairingAddress]
    {
        if let url { return [PairingAddress(base: url)] }
        let server = configuration.server
        return PairingAddress.hosts(listeningOn: localAccess?.host ?? server.host).map {
            PairingAddress(
                host: $0, port: localAccess?.port ?? server.port,
                isEncrypted: localAccess?.isEncrypted ?? (server.tls != nil))
        }
    }
}
