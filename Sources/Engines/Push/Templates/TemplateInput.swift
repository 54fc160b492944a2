package import GatewayAPI
import Prompts
import Schedules

/// A value that a template needs, with its type and limits.
package struct TemplateInput: Sendable, Hashable {
    /// The types of values.
    package enum Kind: Sendable, Hashable {
        /// A text of `min` to `max` bytes.
        case string(min: Int, max: Int)
        /// A number from `min` to `max`.
        case number(min: Double, max: Double)
        /// True or false. In a text it is `true` or nothing, so that `{{#name}}…{{/name}}` stays when it is true.
        case boolean
        /// A day or a day with a time, such as `2026-11-22` or `2026-11-22T18:30`.
        case date
        /// One of some texts.
        case choice([String])
    }

    package enum Limits {
        /// Bytes of a text.
        package static let text = 2048
        /// Bytes of a meaning and of a choice.
        package static let line = 200
        /// The number of choices.
        package static let choices = 64
    }

    /// The name: a lower-case ASCII letter, then such letters, digits and `_`; at most 32 bytes.
    package let name: String
    /// What the value is, for people.
    package let meaning: String
    /// The type and its limits.
    package let kind: Kind
    /// Whether a value has to be given when there is no default.
    package let isRequired: Bool
    /// The value when none is given.
    package let defaultValue: JSONValue?
    /// The value for previews, and to check the template with.
    package let example: JSONValue?

    /// Reads and checks an input: `name`, `type` (`string`, `number`, `boolean`, `date` or `choice`), `meaning`,
    /// `required`, `default`, `example`, `min` and `max`, `choices`.
    init(_ value: JSONValue, field: String) throws(PushFieldError) {
        var reader = try FieldReader(value, field: field)
        guard let name = try reader.text("name"), PromptDocument.isName(name) else {
            throw PushFieldError(
                field + ".name", "expected 1 to 32 lower-case letters, digits and \"_\", a letter first")
        }
        self.name = name
        meaning = try reader.text("meaning") ?? ""
        try FieldLimits.check(meaning, field + ".meaning", limit: Limits.line, isOneLine: true)
        kind = try Kind(&reader, field: field)
        isRequired = try reader.flag("required") ?? false
        defaultValue = reader.value("default")
        example = reader.value("example")
        try reader.finish()
        if let defaultValue { try check(defaultValue, field: field + ".default") }
        if let example { try check(example, field: field + ".example") }
    }

    /// Checks a value against the type and its limits.
    func check(_ value: JSONValue, field: String) throws(PushFieldError) {
        switch (kind, value) {
        case (.string(let least, let most), .string(let text)):
            try FieldLimits.check(text, field, limit: most)
            guard text.utf8.count >= least else {
                throw PushFieldError(field, "expected at least \(least) bytes, got \(text.utf8.count)")
            }
        case (.number(let least, let most), .integer(let number)):
            try FieldLimits.range(Double(number), field, least...most)
        case (.number(let least, let most), .number(let number)) where number.isFinite:
            try FieldLimits.range(number, field, least...most)
        case (.boolean, .bool): break
        case (.date, .string(let text)):
            guard text.utf8.count <= 19, WallTime(parsing: text.utf8.count == 10 ? text + "T00:00" : text) != nil else {
                throw PushFieldError(field, "expected a day such as 2026-11-22 or 2026-11-22T18:30")
            }
        case (.choice(let choices), .string(let text)) where choices.contains(text): break
        case (.choice(let choices), _):
            throw PushFieldError(field, "expected one of \(choices.map { "\"\($0)\"" }.joined(separator: ", "))")
        default: throw PushFieldError(field, "expected a \(kind.name)")
        }
    }

    /// The value for a preview: the example, else the default, else one that the type allows.
    var sample: JSONValue {
        if let known = example ?? defaultValue { return known }
        switch kind {
        case .string(let least, let most):
            return .string(String("Text".prefix(most)) + String(repeating: "x", count: max(least - 4, 0)))
        case .number(let least, let most):
            let number = min(max(1, least), most)
            return Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
        case .boolean: return .bool(true)
        case .date: return .string("2026-01-01")
        case .choice(let choices): return .string(choices.first ?? "")
        }
    }
}

extension TemplateInput.Kind {
    /// The name in JSON.
    package var name: String {
        switch self {
        case .string: "string"
        case .number: "number"
        case .boolean: "boolean"
        case .date: "date"
        case .choice: "choice"
        }
    }

    fileprivate init(_ reader: inout FieldReader, field: String) throws(PushFieldError) {
        let (least, most) = (try reader.number("min"), try reader.number("max"))
        let choices = try reader.array("choices")
        let type = try reader.text("type")
        guard type == "string" || type == "number" || least == nil && most == nil else {
            throw PushFieldError(field + ".min", "\"min\" and \"max\" belong to strings and numbers")
        }
        guard type == "choice" || choices == nil else {
            throw PushFieldError(field + ".choices", "belong to the type \"choice\"")
        }
        switch type {
        case "string":
            let limit = Double(TemplateInput.Limits.text)
            let (low, high) = (least ?? 0, most ?? limit)
            guard low >= 0, low <= high, high <= limit, let low = Int(exactly: low), let high = Int(exactly: high)
            else {
                throw PushFieldError(field + ".max", "expected whole numbers, 0 <= min <= max <= \(Int(limit))")
            }
            self = .string(min: low, max: high)
        case "number":
            let (low, high) = (least ?? -1e15, most ?? 1e15)
            guard low <= high else { throw PushFieldError(field + ".max", "expected min <= max") }
            self = .number(min: low, max: high)
        case "boolean": self = .boolean
        case "date": self = .date
        case "choice":
            guard let choices, (1...TemplateInput.Limits.choices).contains(choices.count) else {
                throw PushFieldError(field + ".choices", "expected 1 to \(TemplateInput.Limits.choices) texts")
            }
            var texts: [String] = []
            for (index, choice) in choices.enumerated() {
                let path = "\(field).choices[\(index)]"
                guard case .string(let text) = choice else { throw PushFieldError(path, "expected a string") }
                try FieldLimits.name(text, path, limit: TemplateInput.Limits.line)
                guard !texts.contains(text) else { throw PushFieldError(path, "is given twice") }
                texts.append(text)
            }
            self = .choice(texts)
        default:
            throw PushFieldError(field + ".type", "expected string, number, boolean, date or choice")
        }
    }
}
