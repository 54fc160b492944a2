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
            Secrets are left out: make keys with `selene keys create`, or put SELENE_API_TOKEN=… into \
            ~/.config/selene.env (with --system: /etc/selene/selene.env).

            By default the service runs as this user, on the database that this user's commands use. With --system or --user \
            it runs for the machine, by default as a user of its own with a database in /var/lib/selene that no other user \
            can read; then set SELENE_URL and SELENE_KEY for commands.

              selene service install --output ~/.config/systemd/user/selene.service
              systemctl --user daemon-reload && systemctl --user enable --now selene
              loginctl enable-linger                        start at boot, without a login

              selene service install --system --output /etc/systemd/system/selene.service
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

    @Flag(help: "With systemd: run for the machine instead of this user, as a dynamic user.")
    var system = false

    @Option(help: "With systemd: run for the machine, as this user.")
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
            user: user, isForMachine: system || user != nil)
        let text = platform == .systemd ? description.systemdUnit : try description.launchdPropertyList()
        guard let output else { return Terminal.write(text) }
        do {
            try Data(text.utf8).write(to: URL(filePath: output), options: .withoutOverwriting)
        } catch {
            Terminal.note("selene: cannot write \(output): \(error.localizedDescription)")
            throw ExitCode.failure
        }
        Terminal.line("wrote \(output)")
        guard platform == .systemd else { return }
        Terminal.note("The service's database is \(description.place).")
        if system, user == nil {
            Terminal.note("Only the service can read it: for commands, set SELENE_URL and a key in SELENE_KEY.")
        }
    }
}
