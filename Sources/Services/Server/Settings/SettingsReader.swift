import GatewayAPI
import Text

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads settings through the layers: flags over environment over file over defaults.
///
/// A value of the wrong type is an error that names its layer, never a silent default.
package struct SettingsReader {
    /// Values by the settings' environment variables; the first layer that has one wins.
    private let layers: [(origin: Origin, values: [String: String])]
    package let home: String
    private let environment: [String: String]

    /// The layer of a value.
    package enum Origin: String {
        case flag, environment, file
        case fallback = "default"
    }

    /// Opens the layers.
    ///
    /// - Parameters:
    ///   - settings: Every setting that the file may contain.
    ///   - flags: Values from the command line, by setting key.
    ///   - environment: The process environment.
    ///   - file: The configuration file; nil when there is none.
    /// - Throws: ``ConfigurationError`` when the file is unreadable, is not a JSON object or has an unknown key.
    package init(
        _ settings: [Setting], flags: [String: String], environment: [String: String], file: String?
    ) throws {
        home = environment["HOME"] ?? ""
        self.environment = environment
        layers = [
            (.flag, Self.content(of: flags, settings)), (.environment, environment.filter { !$0.value.isEmpty }),
            (.file, try file.map { Self.content(of: try Self.values(inFile: $0, settings), settings) } ?? [:]),
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
        for layer in layers { if let value = layer.values[setting.environment] { return (value, layer.origin) } }
        return (nil, .fallback)
    }

    private static func content(of values: [String: String], _ settings: [Setting]) -> [String: String] {
        var content: [String: String] = [:]
        for setting in settings { content[setting.environment] = values[setting.key] ?? content[setting.environment] }
        return content
    }

    private static func values(inFile path: String, _ settings: [Setting]) throws -> [String: String] {
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw ConfigurationError(message: "cannot read the configuration file \(path): \(error)")
        }
        let object: [String: Scalar]
        do {
            object = try JSONDecoder().decode([String: Scalar].self, from: data)
        } catch {
            throw ConfigurationError(message: ConfigurationText.problem(of: data, error, path))
        }
        var values: [String: String] = [:]
        for (key, value) in object.sorted(by: { $0.key < $1.key }) {
            guard settings.contains(where: { $0.key == key }) else {
                let near = NearestName.of(key, among: settings.map(\.key)).map { "; did you mean \"\($0)\"?" }
                throw ConfigurationError(
                    message: "the configuration file \(path) has an unknown key \"\(key)\""
                        + (near ?? "; `selene config` lists the known ones"))
            }
            values[key] = value.text
        }
        return values
    }

    /// A string, number or boolean of the configuration file as text. A list becomes comma-separated text, an object
    /// its JSON.
    private struct Scalar: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(String.self) {
                text = value
            } else if let value = try? container.decode(Int.self) {
                text = String(value)
            } else if let value = try? container.decode(Double.self) {
                text = String(value)
            } else if let value = try? container.decode(Bool.self) {
                text = String(value)
            } else if let value = try? container.decode([String].self) {
                text = value.joined(separator: ",")
            } else {
                let object = try container.decode([String: JSONValue].self)
                text = String(decoding: try JSONReply.data(object), as: UTF8.self)
            }
        }
    }
}
