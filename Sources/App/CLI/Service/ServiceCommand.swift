import ArgumentParser
import Foundation
import Gateway

/// `selene service`: lets the system run the gateway.
struct ServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service", abstract: "Let the system start the gateway and keep it running.",
        subcommands: [ServiceInstallCommand.self])
}

/// `selene service install`: the file that systemd or launchd wants.
struct ServiceInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Write a systemd unit or a launchd property list for `selene serve`.",
        discussion: """
            The settings of this command's environment, flags and configuration file go into it, secrets excepted: put \
            SELENE_API_TOKEN=… into /etc/selene/selene.env (systemd), or make keys with `selene keys create`.

              selene service install --print
              selene service install --output /etc/systemd/system/selene.service
              systemctl daemon-reload && systemctl enable --now selene

              selene service install --output ~/Library/LaunchAgents/selene.gateway.plist
              launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/selene.gateway.plist
            """)

    /// The systems that run services.
    enum Platform: String, ExpressibleByArgument, CaseIterable {
        case systemd, launchd

        /// This system's own.
        static var current: Platform {
            #if canImport(Darwin)
            .launchd
            #else
            .systemd
            #endif
        }
    }

    @OptionGroup var options: ConfigurationOptions

    @Flag(name: .customLong("print"), help: "Print it.")
    var prints = false

    @Option(help: "Write it to a file that does not exist yet.")
    var output: String?

    @Option(help: "systemd or launchd; this system's own when not given.")
    var platform: Platform = .current

    @Option(help: "The user to run as (systemd); a dynamic one when not given.")
    var user: String?

    @Option(help: "The binary to run; this one when not given.")
    var binary: String?

    func validate() throws {
        if prints == (output != nil) {
            throw ValidationError("give --print to see it, or --output FILE to write it")
        }
        if let user, user.isEmpty || user.contains(where: { $0.isWhitespace || $0 == "%" }) {
            throw ValidationError("\"\(user)\" is not a user's name")
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
