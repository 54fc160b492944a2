import ArgumentParser
import Foundation
import GatewayAPI
import GatewayClient

/// How important a message is, on the command line.
enum PushPriorityArgument: String, ExpressibleByArgument, CaseIterable {
    case minimum, low, normal, high, emergency
}

/// What a message says: fields, or a template with its inputs.
struct PushContent: ParsableArguments {
    @Option(help: "The title.")
    var title: String?

    @Option(help: "minimum, low, normal, high or emergency, which repeats until acknowledged (default: normal).")
    var priority: PushPriorityArgument?

    @Option(name: .customLong("open"), help: "The URL that a tap opens.")
    var link: String?

    @Option(
        name: .customLong("image"),
        help: "A picture: a URL, which the gateway fetches, or a file of at most 1 MiB as PNG, JPEG, GIF or WebP.")
    var image: String?

    @Option(name: .customLong("sound"), help: "The sound's name, such as default (default: silent).")
    var sound: String?

    @Option(name: .customLong("replace"), help: "A newer message with the same id replaces an older one.")
    var collapse: String?

    @Option(name: .customLong("message"), help: "The whole message as JSON, with the fields of the API.")
    var document: String?

    @Option(help: "The name of a template, in place of a text.")
    var template: String?

    @Option(name: .customLong("input"), help: "A value of the template, NAME=VALUE; may be repeated.")
    var inputs: [String] = []

    @Option(help: "The topic: 1 to 64 letters, digits, - and _ (default: default).")
    var topic: String?

    @Option(name: .customLong("device"), help: "A device by name or id; may be repeated (default: all devices).")
    var devices: [String] = []

    func validate() throws {
        guard template != nil || inputs.isEmpty else { throw ValidationError("--input: goes with --template") }
        guard [template, document].compactMap(\.self).count < 2 else {
            throw ValidationError("expected one of --template and --message")
        }
        for input in inputs where !input.dropFirst().contains("=") {
            throw ValidationError("--input: expected NAME=VALUE, got \"\(input)\"")
        }
    }

    /// The message; nil when a template makes it.
    func message(_ text: String?) throws -> JSONValue? {
        let hasFields = [title, link, image, sound, collapse].contains { $0 != nil } || priority != nil || text != nil
        if template != nil || document != nil {
            guard !hasFields else {
                throw ValidationError("expected a text with its fields, or --template, or --message")
            }
        }
        if template != nil { return nil }
        if let document { return try Self.json(document, "--message") }
        var members: [String: JSONValue] = [:]
        members["title"] = title.map(JSONValue.string)
        members["body"] = text.map(JSONValue.string)
        members["url"] = link.map(JSONValue.string)
        if let image { members.merge(try Self.picture(image)) { $1 } }
        members["sound"] = sound.map(JSONValue.string)
        members["collapse_id"] = collapse.map(JSONValue.string)
        members["priority"] = priority.map { .string($0.rawValue) }
        guard title != nil || text != nil else {
            throw ValidationError("expected a text, --title, --template or --message")
        }
        return .object(members)
    }

    /// The field of a picture: an address, or what a file has.
    private static func picture(_ text: String) throws -> [String: JSONValue] {
        if text.hasPrefix("https://") || text.hasPrefix("http://") { return ["image": .string(text)] }
        guard let file = FileHandle(forReadingAtPath: text), let data = try? file.read(upToCount: maxPicture + 1) else {
            throw ValidationError("--image: cannot read \(text)")
        }
        guard data.count <= maxPicture else {
            throw ValidationError("--image: \(text) has more than \(maxPicture) bytes")
        }
        return ["image_data": .string(data.base64EncodedString())]
    }

    /// Bytes of a picture that the gateway takes at most.
    private static let maxPicture = 1 << 20

    /// Reads JSON.
    ///
    /// - Parameter source: Where it is from, for the error.
    /// - Throws: `ValidationError`.
    static func json(_ text: String, _ source: String) throws -> JSONValue {
        let value: JSONValue?
        do {
            value = try JSONDocument(parsing: Array(text.utf8)).value
        } catch {
            throw ValidationError("\(source): \(error)")
        }
        guard let value else { throw ValidationError("\(source): cannot be read as JSON") }
        return value
    }

    /// The values of the template, with the types of its inputs.
    func values(_ service: RemotePushService) async throws -> [String: JSONValue]? {
        guard let template else { return nil }
        guard let known = try await PushChoice.template(template, service) else {
            throw ValidationError("there is no template \"\(template)\". List them: selene push templates")
        }
        return try values(of: known.template)
    }

    /// The values with the types of the inputs of a template.
    func values(of template: JSONValue) throws -> [String: JSONValue] {
        var types: [String: String] = [:]
        if case .object(let members) = template, case .array(let definitions) = members["inputs"] {
            for case .object(let definition) in definitions {
                if case .string(let name) = definition["name"], case .string(let type) = definition["type"] {
                    types[name] = type
                }
            }
        }
        var values: [String: JSONValue] = [:]
        for input in inputs {
            guard let mark = input.firstIndex(of: "=") else { continue }
            let (name, text) = (String(input[..<mark]), String(input[input.index(after: mark)...]))
            guard let type = types[name] else {
                let list = types.keys.sorted().joined(separator: ", ")
                throw ValidationError(
                    "--input: the template has no input \"\(name)\"; it has \(list.isEmpty ? "none" : list)")
            }
            guard values[name] == nil else { throw ValidationError("--input: \(name) is given twice") }
            values[name] = try Self.value(text, type, name)
        }
        return values
    }

    private static func value(_ text: String, _ type: String, _ name: String) throws -> JSONValue {
        switch type {
        case "number":
            if let number = Int64(text) { return .integer(number) }
            guard let number = Double(text), number.isFinite else {
                throw ValidationError("--input: \(name): expected a number, got \"\(text)\"")
            }
            return .number(number)
        case "boolean":
            guard let flag = Bool(text) else {
                throw ValidationError("--input: \(name): expected true or false, got \"\(text)\"")
            }
            return .bool(flag)
        default: return .string(text)
        }
    }
}
