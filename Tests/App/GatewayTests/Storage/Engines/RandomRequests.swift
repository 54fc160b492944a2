import Foundation
import GatewayAPI
import TestSupport
import Yams

/// Makes requests for the routes of the gateway's own description, valid ones and invalid ones.
///
/// A request depends on the seed, on its number, and on the answers before it.
struct RandomRequests {
    struct Operation {
        var method: String
        var path: String
        var parameters: [[String: JSONValue]]
        /// The types of the body with their schemas; none for a request without a body.
        var bodies: [(type: String, schema: JSONValue)]

        var name: String { "\(method) \(path)" }
    }

    /// A request with marks in place of texts that have another value in each gateway, see ``KnownPairs``.
    struct Request {
        var operation: Operation
        var path: String
        var headers: [(name: String, value: String)] = []
        var body: String?
    }

    let operations: [Operation]
    private let document: JSONValue
    private let seed: Int

    /// - Parameter isLeftOut: Whether to make no requests for an operation such as `GET /api/notes/{id}`.
    init(_ description: String, seed: Int, leavingOut isLeftOut: (String) -> Bool) throws {
        let document = Self.value(try Yams.load(yaml: description))
        var operations: [Operation] = []
        for (path, methods) in document["paths"].members.sorted(by: { $0.key < $1.key }) {
            for (method, operation) in methods.members.sorted(by: { $0.key < $1.key }) {
                let parameters = operation["parameters"].elements.map { document.resolved($0).members }
                let bodies = operation["requestBody"]["content"].members.sorted { $0.key < $1.key }
                let made = Operation(
                    method: method.uppercased(), path: path, parameters: parameters,
                    bodies: bodies.map { ($0.key, document.resolved($0.value["schema"])) })
                if !isLeftOut(made.name) { operations.append(made) }
            }
        }
        (self.document, self.operations, self.seed) = (document, operations, seed)
    }

    /// A part of a YAML document. YAML reads the name `on` as true.
    private static func value(_ part: Any?) -> JSONValue {
        switch part {
        case let text as String: .string(text)
        case let flag as Bool: .bool(flag)
        case let number as Int: .integer(Int64(number))
        case let number as Double: .number(number)
        case let list as [Any]: .array(list.map { value($0) })
        case let table as [String: Any]: .object(table.mapValues { value($0) })
        case let table as [AnyHashable: Any]:
            .object(Dictionary(table.map { ("\($0.key)" == "true" ? "on" : "\($0.key)", value($0.value)) }) { $1 })
        default: .null
        }
    }

    /// Makes the request of a number.
    ///
    /// - Parameter pools: What earlier answers had.
    func request(_ number: Int, _ pools: [String: [JSONValue]]) -> Request {
        var random = SeededGenerator(UInt64(seed) << 32 + UInt64(number))
        let weights = operations.map(Self.weight)
        var place = Double.random(in: 0..<weights.reduce(0, +), using: &random)
        let index = weights.firstIndex { weight in
            place -= weight
            return place < 0
        }
        let operation = operations[index ?? 0]
        var values = RandomValues(document: document, pools: pools, random: random)
        var request = Request(operation: operation, path: operation.path)
        var query: [String] = []
        for parameter in operation.parameters {
            let name = if case .string(let name)? = parameter["name"] { name } else { "on" }
            let isRequired = parameter["required"] == .bool(true)
            switch parameter["in"] {
            case .string("path"):
                let value = values.part(name, of: operation.path, parameter["schema"] ?? .null)
                request.path = request.path.replacing("{\(name)}", with: Self.escaped(value))
            case .string("query") where operation.name == "GET /api/threads":
                // A page of threads begins with others, see EnginePair.
                break
            case .string("query") where isRequired || values.chance(name == "limit" ? 0.5 : 0.3):
                query.append("\(name)=\(Self.escaped(Self.text(values.value(parameter["schema"] ?? .null, name))))")
            case .string("header") where isRequired || values.chance(0.3):
                let text = Self.text(values.value(parameter["schema"] ?? .null, name))
                let isPlain = !text.isEmpty && text.utf8.allSatisfy { (33...126).contains($0) }
                request.headers.append((name, isPlain ? text : "k9"))
            default: break
            }
        }
        if !query.isEmpty { request.path += "?" + query.joined(separator: "&") }
        if let body = values.pick(operation.bodies) {
            request.headers.append(("Content-Type", body.type))
            let value = values.body(of: operation, body.schema)
            request.body =
                body.type == "application/json" ? String(decoding: value.json, as: UTF8.self) : Self.text(value)
        }
        return request
    }

    /// How often an operation is chosen. What makes rows is needed more often than what reads them.
    private static func weight(_ operation: Operation) -> Double {
        let weights: [String: Double] = ["POST": 3, "PUT": 3, "DELETE": 0.5]
        var weight = weights[operation.method] ?? 1
        if operation.path.hasPrefix("/ntfy") || operation.path.hasPrefix("/api/bench") { weight *= 0.4 }
        if operation.path.hasPrefix("/api/jobs") { weight *= 0.3 }
        if operation.path.hasPrefix("/api/notes") { weight *= 1.5 }
        return weight
    }

    private static func text(_ value: JSONValue) -> String {
        if case .string(let text) = value { text } else { String(decoding: value.json, as: UTF8.self) }
    }

    /// A text as a part of an address. Marks stay, since what replaces them needs no escapes.
    private static func escaped(_ text: String) -> String {
        let escaped = text.utf8.reduce(into: "") { escaped, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                byte < 128
                && (Character(scalar).isLetter || Character(scalar).isNumber || "-._~".contains(Character(scalar)))
            escaped +=
                isPlain
                ? String(Character(scalar)) : "%" + String(UInt16(byte) | 0x100, radix: 16, uppercase: true).suffix(2)
        }
        return (escaped.isEmpty ? "%20" : escaped).replacing("%EF%A3%BF", with: "\u{F8FF}")
    }
}

extension JSONValue {
    subscript(name: String) -> JSONValue { members[name] ?? .null }

    var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    /// A part of this document in place of a reference to it.
    func resolved(_ part: JSONValue) -> JSONValue {
        guard case .string(let reference)? = part.members["$ref"] else { return part }
        return resolved(reference.split(separator: "/").dropFirst().reduce(self) { $0[String($1)] })
    }
}
