package import GatewayAPI
import Text

/// Checks arguments against a schema: coerces values, fills in defaults and collects issues.
///
/// The recursion is as deep as the schema. Time is linear in the arguments.
struct ArgumentCheck {
    private(set) var issues: [ArgumentIssue] = []
    private var path: [ArgumentStep] = []

    private var isFull: Bool { issues.count >= ArgumentError.issueLimit }

    /// The value in the schema's type; nil after an issue.
    mutating func value(_ given: JSONValue, _ schema: ArgumentSchema) -> JSONValue? {
        guard given != .null else { return unexpected(given, schema) }
        let value = Coercion.value(given, to: schema.shape)
        switch (schema.shape, value) {
        case (.object(let properties, let allowsOthers), .object(let members)):
            return object(members, properties, allowsOthers: allowsOthers).flatMap { allowed($0, given, schema) }
        case (.array(let element, let limits), .array(let elements)):
            guard limits.contains(elements.count) else { return unexpected(value, schema) }
            return array(elements, element).flatMap { allowed($0, given, schema) }
        case (.string(let limits), .string(let text)) where limits.contains(text.unicodeScalars.count):
            return allowed(value, given, schema)
        case (.integer(let limits), .integer(let number)) where limits.contains(number):
            return allowed(value, given, schema)
        case (.number(let limits), .number(let number)) where limits.contains(number):
            return allowed(value, given, schema)
        case (.boolean, .bool), (.anything, _): return allowed(value, given, schema)
        default: return unexpected(given, schema)
        }
    }

    private mutating func object(
        _ members: [String: JSONValue], _ properties: [ArgumentSchema.Property], allowsOthers: Bool
    ) -> JSONValue? {
        let issuesBefore = issues.count
        var checked: [String: JSONValue] = [:]
        for property in properties where !isFull {
            path.append(.member(property.name))
            if let given = members[property.name], given != .null, !Self.isLeftOut(given, property) {
                checked[property.name] = value(given, property.schema)
            } else if let value = property.schema.defaultValue {
                checked[property.name] = value
            } else if property.isRequired {
                add("missing, expected \(property.schema.expectation)")
            }
            path.removeLast()
        }
        let names = properties.map(\.name)
        let known = Set(names)
        for (name, value) in members.sorted(by: { $0.key < $1.key }) where !known.contains(name) && !isFull {
            guard value != .null else { continue }
            if allowsOthers {
                checked[name] = value
            } else {
                path.append(.member(name))
                add(Self.unknown(name, known: names))
                path.removeLast()
            }
        }
        return issues.count == issuesBefore ? .object(checked) : nil
    }

    /// Whether an argument is the empty text that models write for one that they leave out. Where a text must not be empty,
    /// as in what a tool writes, the empty one stays an error.
    private static func isLeftOut(_ given: JSONValue, _ property: ArgumentSchema.Property) -> Bool {
        guard !property.isRequired, case .string(let text) = given, text.isBlank else { return false }
        if case .string(let limits) = property.schema.shape { return limits.contains(0) }
        return property.schema.shape != .anything
    }

    private mutating func array(_ elements: [JSONValue], _ schema: ArgumentSchema) -> JSONValue? {
        var checked: [JSONValue] = []
        checked.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() where !isFull {
            path.append(.element(index))
            if let value = value(element, schema) { checked.append(value) }
            path.removeLast()
        }
        return checked.count == elements.count ? .array(checked) : nil
    }

    private mutating func allowed(_ value: JSONValue, _ given: JSONValue, _ schema: ArgumentSchema) -> JSONValue? {
        schema.allowed.isEmpty || schema.allowed.contains(value) ? value : unexpected(given, schema)
    }

    private mutating func unexpected(_ value: JSONValue, _ schema: ArgumentSchema) -> JSONValue? {
        add("expected \(schema.expectation), got \(Excerpt.of(value))")
        return nil
    }

    private mutating func add(_ problem: String) {
        guard !isFull else { return }
        issues.append(ArgumentIssue(path: path.text, problem: problem))
    }

    private static func unknown(_ name: String, known: [String]) -> String {
        guard !known.isEmpty else { return "unknown argument, the tool has none" }
        let nearest = NearestName.question(name, among: known).map { ", \($0)" } ?? "."
        return "unknown argument\(nearest) Known arguments: \(known.joined(separator: ", "))"
    }
}

extension ArgumentSchema {
    /// Checks arguments, coerces values and fills in defaults.
    ///
    /// - Throws: ``ArgumentError`` with all issues, up to its limit.
    package func arguments(from value: JSONValue) throws(ArgumentError) -> ToolArguments {
        var check = ArgumentCheck()
        guard case .object(let members)? = check.value(value == .null ? .object([:]) : value, self) else {
            let issues = check.issues
            throw ArgumentError(
                issues: issues.isEmpty ? [ArgumentIssue(path: "", problem: "expected an object")] : issues)
        }
        return ToolArguments(members)
    }
}
