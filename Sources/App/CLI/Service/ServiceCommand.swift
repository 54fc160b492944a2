import ArgumentParser
import Foundation
import Gateway

/// `selene service`: runs the gateway as a system service.
struct ServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Run the gateway as a system service.",
        subcommands: [ServiceInstallCommand.self])
}

/// `selene service install`: writes a systemd unit or a launchd property list.
struct ServiceInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Write a systemd unit or a launchd property list for `selene serve`.",
        discussion: """
            The file holds the settings from this command's flags and environment, and names the configuration file. \
            Secrets are left out: put SELENE_API_TOKEN=… into /etc/selene/selene.env (systemd), or make keys with \
            `selene keys create`.

              selene service install --print
              selene service install --output /etc/systemd/system/selene.service
              systemctl daemon-reload && systemctl enable --now selene

              selene service install --output ~/Library/LaunchAgents/selene.gateway.plist
              launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/selene.gateway.plist
            """)

    /// The supported service managers.
    enum Platform: String, ExpressibleByArgument, CaseIterable {
        case systemd, launchd

        /// The service manager of this system.
        static var current: Platform {
            #if canImport(Darwin)
            .launchd
            #else
            .systemd
            #endif
        }
    }

    @OptionGroup var options: ConfigurationOptions

    @Flag(name: .customLong("print"), help: "Print the file.")
    var prints = false

    @Option(help: "Write the file to this path, which must not exist yet.")
    var output: String?

    @Option(help: "The service manager: systemd or launchd.")
    var platform: Platform = .current

    @Option(help: "The user to run as, with systemd (default: a dynamic user).")
    var user: String?

    @Option(help: "The binary to run (default: this one).")
    var binary: String?

    func validate() throws {
        if prints == (output != nil) {
            throw ValidationError("expected either --print or --output FILE")
        }
        if let user, user.isEmpty || user.contains(where: { $0.isWhitespace || $0 == "%" }) {
            throw ValidationError("--user: \"\(user)\" is not a user name")
        }
    }

    func run() throws {
        let configuration = try options.load()
        let description = ServiceDescription(
            configuration, binary: binary ?? Bundle.main.executableURL?.resolvingSymlinksInPath().path ?? "selene",
            user: user)
        let text = platform == .systemd ? description.systemdUnit : try description.launchdPropertyList()
        guard let output else { return Terminal.write(text) }
        do {
            try Data(text.utf8).write(to: URL(filePath: output), options: .withoutOverwriting)
        } catch {
            Terminal.note("selene: cannot write \(output): \(error.localizedDescription)")
            throw ExitCode.failure
        }
        Terminal.line("wrote \(output)")
    }
}
