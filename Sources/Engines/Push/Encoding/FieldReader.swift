import GatewayAPI

/// Reads the members of a JSON object one by one; errors name the path of the field.
///
/// A member that is null counts as absent. ``finish()`` refuses members that nobody read.
struct FieldReader {
    private let members: [String: JSONValue]
    private let prefix: String
    private var known: Set<String> = []

    /// - Parameter field: The path of the object; empty for the outermost one.
    init(_ value: JSONValue, field: String = "") throws(PushFieldError) {
        guard case .object(let members) = value else {
            throw PushFieldError(field.isEmpty ? "body" : field, "expected an object")
        }
        self.members = members
        prefix = field.isEmpty ? "" : field + "."
    }

    /// The path of a member.
    func path(_ name: String) -> String { prefix + name }

    /// The value of a member; nil when it is absent or null.
    mutating func value(_ name: String) -> JSONValue? {
        known.insert(name)
        return members[name].flatMap { $0 == .null ? nil : $0 }
    }

    mutating func text(_ name: String) throws(PushFieldError) -> String? {
        guard let value = value(name) else { return nil }
        guard case .string(let text) = value else { throw PushFieldError(path(name), "expected a string") }
        return text
    }

    mutating func flag(_ name: String) throws(PushFieldError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard case .bool(let flag) = value else { throw PushFieldError(path(name), "expected true or false") }
        return flag
    }

    mutating func integer(_ name: String) throws(PushFieldError) -> Int64? {
        guard let value = value(name) else { return nil }
        guard case .integer(let number) = value else { throw PushFieldError(path(name), "expected a whole number") }
        return number
    }

    mutating func number(_ name: String) throws(PushFieldError) -> Double? {
        switch value(name) {
        case nil: return nil
        case .integer(let number): return Double(number)
        case .number(let number) where number.isFinite: return number
        default: throw PushFieldError(path(name), "expected a number")
        }
    }

    mutating func object(_ name: String) throws(PushFieldError) -> [String: JSONValue]? {
        guard let value = value(name) else { return nil }
        guard case .object(let members) = value else { throw PushFieldError(path(name), "expected an object") }
        return members
    }

    mutating func array(_ name: String) throws(PushFieldError) -> [JSONValue]? {
        guard let value = value(name) else { return nil }
        guard case .array(let elements) = value else { throw PushFieldError(path(name), "expected an array") }
        return elements
    }

    /// A text that is one of the raw values of an enumeration.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, of type: Choice.Type
    ) throws(PushFieldError) -> Choice? where Choice.RawValue == String {
        guard let text = try text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let list = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            throw PushFieldError(path(name), "expected one of \(list)")
        }
        return choice
    }

    /// Refuses the first member, in the order of names, that nobody read.
    func finish() throws(PushFieldError) {
        guard let name = members.keys.filter({ !known.contains($0) }).min() else { return }
        throw PushFieldError(
            path(String(name.prefix(64))),
            PushFieldError.unknown + "; known fields: "
                + known.sorted().joined(separator: ", "))
    }
}
