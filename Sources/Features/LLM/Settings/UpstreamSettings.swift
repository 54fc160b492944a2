import GatewayAPI
package import Inference
package import Server
package import Transport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the settings of upstreams and models.
package enum UpstreamSettings {
    /// The endpoints of `upstreams`, or else of `ollama_host`. An address given by a flag takes precedence.
    ///
    /// - Throws: ``ConfigurationError``.
    package static func endpoints(_ reader: SettingsReader, only: UpstreamConfiguration) throws
        -> [EndpointConfiguration]
    {
        let text = reader.text(.upstreams) ?? ""
        let origin = reader.origin(of: .upstreams)
        let isOverruled = reader.origin(of: .ollamaHost) == .flag && origin != .flag
        var endpoints: [EndpointConfiguration] = []
        for pair in isOverruled ? [] : try pairs(.upstreams, reader, valuesAlone: true) {
            let isValid = pair.name.map { EndpointConfiguration.isName($0) } ?? true
            guard isValid, let upstream = try? UpstreamConfiguration(host: pair.value) else {
                throw ConfigurationError.invalid(
                    .upstreams, text, origin,
                    "a list such as \"big=http://10.0.0.2:11434, small=http://10.0.0.3:11434\"")
            }
            endpoints.append(EndpointConfiguration(name: pair.name, upstream: upstream))
        }
        if endpoints.isEmpty { endpoints = [EndpointConfiguration(upstream: only)] }
        guard Set(endpoints.map(\.name)).count == endpoints.count else {
            throw ConfigurationError.invalid(.upstreams, text, origin, "a different name for each upstream")
        }
        for pair in try pairs(.upstreamKeys, reader) {
            guard let index = endpoints.firstIndex(where: { $0.name == pair.name }) else {
                if isOverruled { continue }
                let names = endpoints.map(\.name).joined(separator: ", ")
                throw ConfigurationError(
                    message: "upstream_keys has a key for \"\(pair.name ?? "")\", but the upstreams are \(names)")
            }
            endpoints[index].key = pair.value
        }
        return endpoints
    }

    /// The aliases and load options of models.
    ///
    /// - Throws: ``ConfigurationError``.
    package static func rules(_ reader: SettingsReader) throws -> ModelRules {
        var aliases: [String: [String]] = [:]
        for pair in try pairs(.modelAliases, reader) {
            let alias = pair.name ?? ""
            let models = pair.value.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.split(separator: " ").joined(separator: " ")
            }
            guard !alias.isEmpty, !models.contains(""), aliases.updateValue(models, forKey: alias) == nil else {
                throw ConfigurationError.invalid(
                    .modelAliases, reader.text(.modelAliases) ?? "", reader.origin(of: .modelAliases),
                    "each alias once, such as \"fast=llama3.2:1b\" or \"fast=llama3.2:1b|gpu/llama\"")
            }
        }
        let text = reader.text(.modelDefaults) ?? ""
        var defaults: [String: ModelDefaults] = [:]
        if !text.isEmpty {
            do {
                defaults = try JSONDecoder().decode([String: ModelDefaults].self, from: Data(text.utf8))
            } catch {
                var expected = "a JSON object such as {\"llama3.2\": {\"num_ctx\": 8192, \"pin\": true}}"
                if case .dataCorrupted(let context)? = error as? DecodingError, !context.codingPath.isEmpty {
                    expected += " (" + context.debugDescription + ")"
                }
                throw ConfigurationError.invalid(.modelDefaults, text, reader.origin(of: .modelDefaults), expected)
            }
        }
        do {
            return try ModelRules(chains: aliases, defaults: defaults)
        } catch {
            throw ConfigurationError.invalid(
                .modelAliases, reader.text(.modelAliases) ?? "", reader.origin(of: .modelAliases),
                "names of models (\(error.message))")
        }
    }

    /// Reads a setting with the values `on` and `off`.
    ///
    /// - Throws: ``ConfigurationError``.
    package static func flag(_ setting: Setting, _ reader: SettingsReader) throws -> Bool {
        let text = reader.text(setting) ?? ""
        switch text.lowercased() {
        case "on", "true": return true
        case "off", "false": return false
        default: throw ConfigurationError.invalid(setting, text, reader.origin(of: setting), "on or off")
        }
    }

    /// Parses `NAME=VALUE` pairs separated by commas or spaces, or a JSON object, whose members are sorted by name.
    private static func pairs(
        _ setting: Setting, _ reader: SettingsReader, valuesAlone: Bool = false
    ) throws -> [(name: String?, value: String)] {
        let text = reader.text(setting) ?? ""
        if text.first(where: { !$0.isWhitespace }) == "{" {
            guard let object = try? JSONDecoder().decode([String: String].self, from: Data(text.utf8)) else {
                throw ConfigurationError.invalid(setting, text, reader.origin(of: setting), "an object of texts")
            }
            return object.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
        return try text.split(whereSeparator: { $0 == "," || $0.isWhitespace }).map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, !parts[1].isEmpty { return (String(parts[0]), String(parts[1])) }
            guard valuesAlone, parts.count == 1 else {
                throw ConfigurationError.invalid(
                    setting, text, reader.origin(of: setting), "NAME=VALUE, with commas between")
            }
            return (nil, String(item))
        }
    }
}
