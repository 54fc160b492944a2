import GatewayAPI
package import Inference
package import Server
import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the setting `providers`: an object with a member for each provider.
///
/// No error repeats a value, since keys are often put in the wrong place.
package enum ProviderSettings {
    /// The most providers.
    private static let limit = 16

    /// The configured providers, sorted by name.
    ///
    /// A key that is missing now is no error here: commands that need no provider work without it, and requests say why
    /// they cannot.
    /// - Throws: ``ConfigurationError``.
    package static func providers(_ reader: SettingsReader) throws -> [ProviderConfiguration] {
        guard let text = reader.text(.providers), text.contains(where: { !$0.isWhitespace }) else { return [] }
        let entries: [String: JSONValue]
        do {
            entries = try JSONDecoder().decode([String: JSONValue].self, from: Data(text.utf8))
        } catch {
            throw failure("expected a JSON object with a member for each provider")
        }
        guard entries.count <= limit else { throw failure("expected at most \(limit) providers") }
        return try entries.sorted { $0.key < $1.key }.map { name, value in
            guard ProviderConfiguration.isName(name) else {
                throw failure(
                    "expected names of 1 to 32 lower-case letters, digits, \"-\" and \"_\" except \"ollama\"")
            }
            guard case .object(let members) = value else { throw failure("\"\(name)\": expected an object") }
            var entry = ProviderEntry(name: name, members: members)
            return try entry.configuration(reader)
        }
    }

    static func failure(_ reason: String) -> ConfigurationError {
        ConfigurationError(message: "providers (\(Setting.providers.environment)): \(reason)")
    }
}

/// One member of the setting `providers`, from which values are taken one by one.
private struct ProviderEntry {
    let name: String
    var members: [String: JSONValue]

    mutating func configuration(_ reader: SettingsReader) throws -> ProviderConfiguration {
        let kind = try text("kind")
        guard let dialect = ProviderDialect.all.first(where: { $0.name == kind }) else {
            throw failure("kind", ProviderDialect.all.map(\.name).joined(separator: " or "))
        }
        var configuration = ProviderConfiguration(
            name: name, dialect: dialect, upstream: try upstream(dialect.address), key: try key(reader),
            isLocal: try flag("local") ?? false)
        configuration.upstream.connectTimeout = try reader.seconds(.connectTimeout)
        configuration.upstream.firstByteTimeout =
            try number("first_byte_timeout", 1...86_400).map { .seconds($0) } ?? reader.seconds(.firstByteTimeout)
        configuration.upstream.idleTimeout = try reader.seconds(.idleTimeout)
        configuration.hasTools = try flag("tools") ?? true
        configuration.canThink = try flag("thinking") ?? false
        configuration.contextTokens = try number("context", 1...100_000_000)
        configuration.maxInFlight = try number("max_in_flight", 1...10_000) ?? configuration.maxInFlight
        if let unknown = members.keys.min() {
            let hint = unknown == "key" ? "; name the key's place by key_env or key_file" : ""
            throw ProviderSettings.failure("\"\(name)\": unknown member \"\(unknown)\"\(hint)")
        }
        if configuration.isLocal, !configuration.isPrivateHost {
            throw failure("local", "true only with an address of this machine or of a private network")
        }
        if configuration.key != .none, !configuration.isPrivateHost,
            configuration.upstream.baseURL.hasPrefix("http:")
        {
            throw failure("url", "an https address, since http would show the key to the network")
        }
        return configuration
    }

    private mutating func upstream(_ usual: String) throws -> UpstreamConfiguration {
        let url = try text("url") ?? usual
        guard url.lowercased().hasPrefix("http://") || url.lowercased().hasPrefix("https://"),
            var upstream = try? UpstreamConfiguration(host: url)
        else { throw failure("url", "an address such as \(usual)") }
        upstream.peer = "provider \"\(name)\""
        return upstream
    }

    private mutating func key(_ reader: SettingsReader) throws -> ProviderKey {
        let (variable, path) = (try text("key_env"), try text("key_file"))
        switch (variable, path) {
        case (nil, nil): return .none
        case (let variable?, nil):
            guard let key = reader.variable(variable) else {
                return .unusable("the environment variable \(variable) is not set")
            }
            return KeyFile.key(in: key, from: "the environment variable \(variable)")
        case (nil, let path?): return KeyFile.read(SettingsReader.expand(path, home: reader.home))
        default: throw failure("key_env", "no key_file beside it")
        }
    }

    private mutating func text(_ member: String) throws -> String? {
        switch members.removeValue(forKey: member) {
        case nil: return nil
        case .string(let text)? where !text.isEmpty: return text
        default: throw failure(member, "a text")
        }
    }

    private mutating func flag(_ member: String) throws -> Bool? {
        switch members.removeValue(forKey: member) {
        case nil: return nil
        case .bool(let flag)?: return flag
        default: throw failure(member, "true or false")
        }
    }

    private mutating func number(_ member: String, _ range: ClosedRange<Int>) throws -> Int? {
        switch members.removeValue(forKey: member) {
        case nil: return nil
        case .integer(let number)? where range.contains(Int(clamping: number)): return Int(clamping: number)
        default: throw failure(member, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
    }

    private func failure(_ member: String, _ expected: String) -> ConfigurationError {
        ProviderSettings.failure("\"\(name)\": \"\(member)\": expected \(expected)")
    }
}
