import ArgumentParser
import Text

/// Finds the command that a person meant: in singular or plural, or misspelt.
enum CommandNames {
    /// Arguments that begin with the name of a command, where they name one in singular or plural.
    static func corrected(_ arguments: [String], of root: any ParsableCommand.Type = Selene.self) -> [String] {
        guard let first = arguments.first else { return arguments }
        let known = names(of: root)
        guard !known.contains(first), let meant = known.first(where: { $0 == first + "s" || $0 + "s" == first }) else {
            return arguments
        }
        return [meant] + arguments.dropFirst()
    }

    /// The command that arguments name, with the first name that is none and the nearest one to it.
    struct Suggestion: Equatable {
        /// The name as it was given.
        var given: String
        /// The command before it, such as `selene books`.
        var command: String
        /// The whole command that was meant, such as `selene books list`; nil when none is near.
        var meant: String?
        /// Whether the name can be nothing but a command's.
        var isOnlyName: Bool
    }

    /// What is wrong with the names at the start of arguments that could not be read; nil when that is not the reason.
    static func suggestion(
        for arguments: [String], of root: any ParsableCommand.Type = Selene.self
    ) -> Suggestion? {
        var (command, path) = (root, ["selene"])
        for argument in arguments {
            let commands = command.configuration.subcommands
            guard !argument.hasPrefix("-"), !commands.isEmpty else { return nil }
            if let next = commands.first(where: { name(of: $0) == argument }) {
                command = next
                path.append(argument)
                continue
            }
            let isOnlyName = command.configuration.defaultSubcommand == nil
            let near = NearestName.of(argument, among: names(of: command))
            guard near != nil || isOnlyName else { return nil }
            return Suggestion(
                given: argument, command: path.joined(separator: " "),
                meant: near.map { (path + [$0]).joined(separator: " ") }, isOnlyName: isOnlyName)
        }
        return nil
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        command.configuration.subcommands.compactMap {
            $0.configuration.shouldDisplay ? name(of: $0) : nil
        }
    }

    /// A command without a name has that of its type, in lower case.
    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? String(describing: command).lowercased()
    }
}
