import ArgumentParser
import Certificates
import Foundation
import Gateway
import GatewayAPI
import Server
import Web

/// `selene tls`: a certificate for the gateway without a certificate authority of others.
struct TLSCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tls",
        abstract: "Create a certificate authority of this machine and a certificate for the gateway.",
        discussion: """
            Browsers offer microphones, installation and notifications over HTTPS only. `selene tls init` creates an
            authority that may sign for local names and networks only, and a certificate for this machine's names and
            addresses. Install the authority once on each device: the page /ca of the gateway says how, and needs no
            key. A running gateway renews the certificate by itself.

              selene tls init
              selene tls init --name home.example.org
              selene tls show                                  and a QR code of the page
              selene tls show --url https://home.example.org   behind a proxy
            """,
        subcommands: [Init.self, Show.self])

    /// The folder of the authority: beside the database.
    private static func authority(_ configuration: GatewayConfiguration, _ folder: String?) -> LocalAuthority {
        let beside = URL(filePath: configuration.databasePath).deletingLastPathComponent().appending(path: "tls").path
        return LocalAuthority(folder: folder.map { URL(filePath: $0).path } ?? beside)
    }

    /// Prints what an authority has, and the address of the page for devices.
    ///
    /// - Parameter url: The address of the gateway for devices; nil for the one that it listens on.
    private static func describe(
        _ authority: LocalAuthority, _ configuration: GatewayConfiguration, url: String?
    ) throws {
        let (names, end) = try authority.server()
        Terminal.line("authority    \(authority.authorityFile)")
        Terminal.line("fingerprint  \(try authority.fingerprint())")
        Terminal.line("certificate  \(authority.certificateFile)")
        Terminal.line("key          \(authority.keyFile)")
        Terminal.line("names        \(names.map(\.text).joined(separator: ", "))")
        Terminal.line(
            "valid until  \(Timestamp.text(Int64(end.timeIntervalSince1970))) UTC, renewed by a running gateway")
        let server = configuration.server
        let host = PairingAddress.hosts(listeningOn: server.host).first ?? server.host
        let own = PairingAddress(host: host, port: server.port, isEncrypted: true)
        let page = (url.map { PairingAddress(base: $0) } ?? own).authorityPage
        Terminal.line("for devices  \(page)")
        if url == nil, server.isLoopback {
            Terminal.note(
                "The gateway listens on \(server.host), which other devices cannot reach: set SELENE_HOST, or pass --url."
            )
        } else {
            Terminal.draw(page)
        }
    }

    /// The address of the gateway, for devices.
    struct Address: ParsableArguments {
        @Option(help: "The address under which devices reach the gateway. Default: the one that it listens on.")
        var url: String?

        func validate() throws {
            if let url, !url.hasPrefix("https://") {
                throw ValidationError("--url: expected an address such as https://home.example.org")
            }
        }
    }

    struct Init: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create the authority and the certificate.")

        @Option(help: "A further name or address of the gateway; may be repeated.")
        var name: [String] = []

        @Option(help: "The folder for the four files. Default: tls beside the database.")
        var folder: String?

        @Flag(help: "Replace an authority. Every device must then install the new one.")
        var force = false

        @OptionGroup var address: Address

        @OptionGroup var options: ConfigurationOptions

        func validate() throws {
            for name in name where ServerName(name) == nil {
                throw ValidationError("--name: \"\(name)\" is not a DNS name or an IP address")
            }
        }

        func run() async throws {
            let configuration = try options.load()
            let authority = TLSCommand.authority(configuration, folder)
            guard force || !authority.exists else {
                throw ValidationError(
                    "there is an authority in \(authority.folder) already; `selene tls show` describes it, --force "
                        + "replaces it")
            }
            let given = name.compactMap { ServerName($0) }
            let names = given + LocalAuthority.ownNames.filter { !given.contains($0) }
            do {
                try authority.create(names: names, now: .now)
                try TLSCommand.describe(authority, configuration, url: address.url)
            } catch {
                throw Failure.exit(for: error)
            }
            Terminal.note("Serve with it:")
            Terminal.note(
                "  SELENE_TLS_CERTIFICATE='\(authority.certificateFile)' SELENE_TLS_KEY='\(authority.keyFile)' selene serve"
            )
            Terminal.note("Then open the page for devices on each of them: it says how to install the authority.")
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the authority and the certificate.")

        @Option(help: "The folder of the files. Default: tls beside the database.")
        var folder: String?

        @OptionGroup var address: Address

        @OptionGroup var options: ConfigurationOptions

        func run() async throws {
            let configuration = try options.load()
            let authority = TLSCommand.authority(configuration, folder)
            guard authority.exists else {
                throw ValidationError("there is no authority in \(authority.folder); create one: selene tls init")
            }
            do {
                try TLSCommand.describe(authority, configuration, url: address.url)
            } catch {
                throw Failure.exit(for: error)
            }
        }
    }
}
