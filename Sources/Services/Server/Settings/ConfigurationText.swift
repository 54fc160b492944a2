import GatewayAPI
import Text
import Yams

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The text of a configuration file: YAML, of which JSON is a part.
package enum ConfigurationText {
    /// A key with its value.
    struct Entry: Equatable {
        var key: String
        /// A list is a text with commas between, an object its JSON.
        var value: String
        /// The line of the key, from 1 on.
        var line: Int?
    }

    /// The keys of a file that have a value, in its order.
    ///
    /// - Throws: ``ConfigurationError`` with the line that is wrong.
    static func entries(of data: Data, _ path: String) throws(ConfigurationError) -> [Entry] {
        func wrong(_ reason: String, line: Int? = nil) -> ConfigurationError {
            let place = line.map { ", line \($0)" } ?? ""
            return ConfigurationError(message: "the configuration file \(path)\(place): \(reason)")
        }
        let node: Node?
        do {
            let text = String(decoding: data, as: UTF8.self)
            guard YAMLLimits.allow(text) else {
                throw wrong("it is too large, nested too deep, or repeats itself")
            }
            node = try document(text, data)
        } catch let error as ConfigurationError {
            throw error
        } catch {
            let (reason, line) = problem(error)
            // A text that ends too early is wrong in its last line.
            let last = max(1, data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).count)
            throw wrong(reason, line: line.map { min($0, last) })
        }
        guard let node, !isNull(node) else { return [] }
        guard case .mapping(let mapping) = node else {
            throw wrong("expected keys with values, such as `port: 8080`, or a JSON object", line: node.mark?.line)
        }
        var entries: [Entry] = []
        for (name, value) in mapping {
            let line = name.mark?.line
            guard let key = name.string else { throw wrong("expected a key in front of the colon", line: line) }
            guard !isNull(value) else { continue }
            guard let text = text(of: value) else {
                throw wrong(
                    "\"\(key)\": expected a text, a number, true, false, a list of texts or an object", line: line)
            }
            entries.append(Entry(key: key, value: text, line: line))
        }
        return entries
    }

    private static func document(_ text: String, _ data: Data) throws -> Node? {
        do {
            return try Yams.compose(yaml: text)
        } catch {
            // JSON writes some characters as two escapes, which YAML does not know.
            guard let object = try? JSONDecoder().decode([String: JSONValue].self, from: data) else { throw error }
            return try Yams.compose(yaml: String(decoding: JSONEncoder().encode(object), as: UTF8.self))
        }
    }

    private static func problem(_ error: any Error) -> (reason: String, line: Int?) {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _):
            // A key without a colon is noticed in the next line.
            return (described(context, problem), context?.mark.line ?? mark.line)
        case .parser(let context, let problem, let mark, _), .composer(let context, let problem, let mark, _):
            return (described(context, problem), mark.line)
        case .duplicatedKeysInMapping(let keys, let context):
            return ("\(keys.map { "\"\($0)\"" }.joined(separator: ", ")) is there twice", context.mark.line)
        case .reader(let problem, let offset, _, let yaml):
            let line = offset.map { yaml.prefix($0).count { $0.isNewline } + 1 }
            return (problem, line)
        default: return ("it cannot be read", nil)
        }
    }

    private static func described(_ context: YamlError.Context?, _ problem: String) -> String {
        let reason = [context?.text, problem].compactMap { $0 }.joined(separator: ", ")
        return reason + "; expected `key: value` in each line, or a JSON object"
    }

    private static func isNull(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
        return ["", "~", "null"].contains(scalar.string)
    }

    /// A value as a setting has it; nil when a list has more than texts.
    private static func text(of node: Node) -> String? {
        switch node {
        case .scalar(let scalar): return scalar.string
        case .sequence(let items):
            let texts = items.compactMap { isNull($0) ? nil : $0.scalar?.string }
            return texts.count == items.count ? texts.joined(separator: ",") : nil
        case .mapping: return (try? JSONReply.data(json(node))).map { String(decoding: $0, as: UTF8.self) }
        case .alias: return nil
        }
    }

    private static func json(_ node: Node) -> JSONValue {
        switch node {
        case .scalar(let scalar): json(scalar)
        case .sequence(let items): .array(items.map(json))
        case .mapping(let pairs):
            .object(Dictionary(pairs.map { ($0.key.string ?? "", json($0.value)) }, uniquingKeysWith: { $1 }))
        case .alias: .null
        }
    }

    /// What a text without quotes is by the core schema of YAML 1.2, where `on` and `yes` are texts.
    private static func json(_ scalar: Node.Scalar) -> JSONValue {
        let text = scalar.string
        guard scalar.style == .plain else { return .string(text) }
        switch text {
        case "", "~", "null": return .null
        case "true": return .bool(true)
        case "false": return .bool(false)
        default: break
        }
        let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        guard isNumber else { return .string(text) }
        if let number = Int64(text), String(number) == text { return .integer(number) }
        guard text.contains(where: { ".eE".contains($0) }), let number = Double(text), number.isFinite else {
            return .string(text)
        }
        return .number(number)
    }
}
