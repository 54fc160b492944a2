import Text

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reads settings through the layers: flags over environment over file over defaults.
///
/// A value of the wrong type is an error that names its layer, never a silent default.
package struct SettingsReader {
    /// Values with their origins by the settings' environment variables; the first layer that has one wins.
    private let layers: [[String: (value: String, origin: Origin)]]
    package let home: String
    private let environment: [String: String]

    /// The layer of a value.
    package enum Origin: Hashable {
        case flag, environment, fallback
        /// The configuration file, with the line where it is known.
        case file(line: Int?)

        /// As `selene config` shows it.
        package var name: String {
            switch self {
            case .flag: "flag"
            case .environment: "environment"
            case .file: "file"
            case .fallback: "default"
            }
        }
    }

    /// Opens the layers.
    ///
    /// - Parameters:
    ///   - settings: Every setting that the file may contain.
    ///   - flags: Values from the command line, by setting key.
    ///   - environment: The process environment.
    ///   - file: The configuration file; nil when there is none.
    ///   - text: What counts instead of the text of the file.
    /// - Throws: ``ConfigurationError`` when the file is unreadable, is neither YAML nor JSON or has an unknown key.
    package init(
        _ settings: [Setting], flags: [String: String], environment: [String: String], file: String?,
        text: Data? = nil
    ) throws {
        home = environment["HOME"] ?? ""
        self.environment = environment
        layers = [
            Self.layer(settings) { setting in flags[setting.key].map { ($0, .flag) } },
            environment.filter { !$0.value.isEmpty }.mapValues { ($0, .environment) },
            try file.map { try Self.values(inFile: $0, text, settings) } ?? [:],
        ]
    }

    /// The text of a setting, or its default.
    package func text(_ setting: Setting) -> String? {
        lookUp(setting).value ?? setting.fallback
    }

    /// The text of a setting, or its default.
    ///
    /// - Throws: ``ConfigurationError`` when it is empty.
    package func nonEmptyText(_ setting: Setting) throws -> String {
        let value = text(setting) ?? ""
        guard !value.isEmpty else { throw ConfigurationError.invalid(setting, value, origin(of: setting), "a value") }
        return value
    }

    /// An environment variable that a setting names; nil when it is unset or empty.
    package func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A path, with `~` expanded to the home folder of the environment; nil when unset.
    package func path(_ setting: Setting) -> String? { text(setting).map { Self.expand($0, home: home) } }

    /// The path with a leading `~` replaced.
    package static func expand(_ path: String, home: String) -> String {
        guard path == "~" || path.hasPrefix("~/") else { return path }
        return home + path.dropFirst()
    }

    /// A whole number within a range.
    package func integer(_ setting: Setting, in range: ClosedRange<Int>) throws -> Int {
        let (value, origin) = lookUp(setting)
        let text = value ?? setting.fallback ?? ""
        guard let number = Int(text), range.contains(number) else {
            throw ConfigurationError.invalid(
                setting, text, origin, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A positive number of seconds.
    package func seconds(_ setting: Setting) throws -> Duration {
        let (value, origin) = lookUp(setting)
        let text = value ?? setting.fallback ?? ""
        guard let number = Double(text), number.isFinite, number > 0, number <= 86_400 else {
            throw ConfigurationError.invalid(setting, text, origin, "seconds, more than 0 and at most 86400")
        }
        return .seconds(number)
    }

    /// A word from a list.
    package func word<Word: RawRepresentable & CaseIterable>(
        _ setting: Setting, as type: Word.Type
    ) throws -> Word where Word.RawValue == String {
        let (value, origin) = lookUp(setting)
        let text = value ?? setting.fallback ?? ""
        guard let word = Word(rawValue: text.lowercased()) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: " or ")
            throw ConfigurationError.invalid(setting, text, origin, words)
        }
        return word
    }

    /// The layer that a setting's value comes from.
    package func origin(of setting: Setting) -> Origin { lookUp(setting).origin }

    private func lookUp(_ setting: Setting) -> (value: String?, origin: Origin) {
        for layer in layers { if let found = layer[setting.environment] { return found } }
        return (nil, .fallback)
    }

    private static func layer(
        _ settings: [Setting], _ value: (Setting) -> (String, Origin)?
    ) -> [String: (value: String, origin: Origin)] {
        var layer: [String: (value: String, origin: Origin)] = [:]
        for setting in settings { if let found = value(setting) { layer[setting.environment] = found } }
        return layer
    }

    private static func values(
        inFile path: String, _ text: Data?, _ settings: [Setting]
    ) throws -> [String: (value: String, origin: Origin)] {
        let data: Data
        do {
            data = try text ?? Data(contentsOf: URL(filePath: path))
        } catch {
            throw ConfigurationError(message: "cannot read the configuration file \(path): \(error)")
        }
        let known = Dictionary(settings.map { ($0.key, $0.environment) }, uniquingKeysWith: { first, _ in first })
        var values: [String: (value: String, origin: Origin)] = [:]
        for entry in try ConfigurationText.entries(of: data, path) {
            guard let environment = known[entry.key] else {
                let near = NearestName.question(entry.key, among: settings.map(\.key))
                throw ConfigurationError(
                    message: "the configuration file \(path)\(entry.line.map { ", line \($0)" } ?? ""): unknown key "
                        + "\"\(entry.key)\"; \(near ?? "`selene config` lists the known ones")")
            }
            values[environment] = (entry.value, .file(line: entry.line))
        }
        return values
    }
}
