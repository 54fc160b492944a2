import ArgumentParser
import Foundation
import Gateway
import Server

/// `selene config init`: writes a configuration file with every setting as a comment.
struct ConfigInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Write a configuration file that explains every setting.",
        discussion: """
            Each line is a comment with the default. Take away the # in front of what you change; a running gateway reads \
            the file again by itself. A file that is there is not touched.

              selene config init
              selene config init --output gateway.yaml
            """)

    @Option(name: .shortAndLong, help: "File to write (default: SELENE_CONFIG, or ~/.selene/config.yaml).")
    var output: String?

    func run() throws {
        let environment = ProcessInfo.processInfo.environment
        let named = output ?? environment["SELENE_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
        let usual = GatewayConfiguration.usualFiles.map(Self.expanded)
        if named == nil, let there = usual.first(where: FileManager.default.fileExists(atPath:)) {
            throw ValidationError("\(there) is there already; `selene config` shows what it sets")
        }
        guard let path = named.map(Self.expanded) ?? usual.first else { return }
        do {
            let folder = URL(filePath: path).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(SettingsTemplate.text.utf8).write(to: URL(filePath: path), options: .withoutOverwriting)
        } catch {
            let reason =
                (error as? CocoaError)?.code == .fileWriteFileExists
                ? "it is there already" : error.localizedDescription
            Terminal.note("selene: cannot write \(path): \(reason)")
            throw ExitCode.failure
        }
        Terminal.line("wrote \(path)")
    }

    private static func expanded(_ path: String) -> String {
        SettingsReader.expand(path, home: ProcessInfo.processInfo.environment["HOME"] ?? "")
    }
}

/// Every setting as YAML, in comments.
enum SettingsTemplate {
    /// The text of the file.
    static var text: String {
        let head = """
            # Selene Gateway's settings. A line counts without its #. Flags and environment variables go before this file.
            # `selene config` shows what counts, and where it comes from.

            """
        let sections = GatewayConfiguration.sections.map { section in
            "\n# \(section.subject)\n" + section.settings.map(lines).joined()
        }
        return head + sections.joined()
    }

    private static func lines(_ setting: Setting) -> String {
        let value = setting.fallback.map { " " + ConfigurationText.scalar($0) } ?? ""
        return "\n# \(setting.summary) (\(setting.environment))\n#\(setting.key):\(value)\n"
    }
}
