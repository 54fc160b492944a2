import GatewayAPI
import TestSupport
import Testing

@testable import Tools

struct ArgumentSchemaTests {
    @Test func `every keyword is encoded`() {
        let schema = ArgumentSchema.object(
            [
                .required("text", .string("Words", least: 1, most: 9, allowed: ["a", "b"], defaultValue: "a")),
                .optional("count", .integer(least: 1, most: 3, defaultValue: 2)),
                .optional("ratio", .number(least: 0.5)), .optional("flag", .boolean("Whether")),
                .optional("list", .array(of: .string(), "Some", least: 1, most: 2)),
                .optional("free", ArgumentSchema(.anything)),
            ], allowsOthers: true, meaning: "All")
        #expect(
            schema.json
                == json(
                    #"""
                    {"type": "object", "description": "All", "additionalProperties": true, "required": ["text"],
                     "properties": {
                      "text": {"type": "string", "description": "Words", "minLength": 1, "maxLength": 9,
                               "enum": ["a", "b"], "default": "a"},
                      "count": {"type": "integer", "minimum": 1, "maximum": 3, "default": 2},
                      "ratio": {"type": "number", "minimum": 0.5},
                      "flag": {"type": "boolean", "description": "Whether"},
                      "list": {"type": "array", "items": {"type": "string"}, "description": "Some", "minItems": 1,
                               "maxItems": 2},
                      "free": {}}}
                    """#))
    }

    @Test func `an empty text for an optional argument leaves it out, unless it must not be empty`() {
        let schema = ArgumentSchema.object([
            .required("query", .string()), .optional("tag", .string(most: 200)), .optional("days", .number()),
            .optional("kind", .string(allowed: ["week", "term"], defaultValue: "week")),
            .optional("title", .string(least: 1)),
        ])
        func checked(_ arguments: [String: JSONValue]) -> JSONValue? {
            var check = ArgumentCheck()
            return check.value(.object(arguments), schema)
        }
        #expect(
            checked(["query": .string("a"), "tag": .string(""), "days": .string(" "), "kind": .string("")])
                == .object(["query": .string("a"), "kind": .string("week")]))
        #expect(checked(["query": .string("a"), "title": .string("")]) == nil)
    }

    /// Arguments of `search_notes` and what they become, beside the defaults.
    @Test(arguments: [
        (#"{"query": "a"}"#, #"{"query": "a"}"#),
        (#"{"query": "a", "limit": null, "tags": null}"#, #"{"query": "a"}"#),
        (#"{"query": "a", "limit": "5"}"#, #"{"query": "a", "limit": 5}"#),
        (#"{"query": "a", "limit": " 5.0 "}"#, #"{"query": "a", "limit": 5}"#),
        (#"{"query": "a", "limit": 5.0}"#, #"{"query": "a", "limit": 5}"#),
        (#"{"query": 12}"#, #"{"query": "12"}"#),
        (#"{"query": 1.5}"#, #"{"query": "1.5"}"#),
        (#"{"query": "a", "exact": "True"}"#, #"{"query": "a", "exact": true}"#),
        (#"{"query": "a", "weight": "0.25"}"#, #"{"query": "a", "weight": 0.25}"#),
        (#"{"query": "a", "weight": "1e-1"}"#, #"{"query": "a", "weight": 0.1}"#),
        (#"{"query": "a", "weight": 1}"#, #"{"query": "a", "weight": 1}"#),
        (#"{"query": "a", "tags": "x"}"#, #"{"query": "a", "tags": ["x"]}"#),
        (#"{"query": "a", "tags": 4}"#, #"{"query": "a", "tags": ["4"]}"#),
        (#"{"query": "a", "tags": "[\"x\", \"y\"]"}"#, #"{"query": "a", "tags": ["x", "y"]}"#),
        (#"{"query": "a", "tags": "[draft"}"#, #"{"query": "a", "tags": ["[draft"]}"#),
        (#"{"query": "a", "order": "date"}"#, #"{"query": "a", "order": "date"}"#),
        (#"{"query": "a", "range": "{\"from\": \"x\"}"}"#, #"{"query": "a", "range": {"from": "x"}}"#),
        (#"{"query": "a", "other": null}"#, #"{"query": "a"}"#),
    ])
    func `valid arguments are coerced and completed`(given: String, wanted: String) throws {
        let arguments = try SampleTools.search.arguments.arguments(from: try #require(json(given)))
        guard case .object(var members) = try #require(json(wanted)) else { return }
        if members["limit"] == nil { members["limit"] = .integer(10) }
        if members["exact"] == nil { members["exact"] = .bool(false) }
        if case .integer(let whole)? = members["weight"] { members["weight"] = .number(Double(whole)) }
        #expect(arguments.values == members)
    }

    /// Arguments of `search_notes` and what a model reads about them.
    @Test(arguments: [
        (#"{}"#, #""query": missing, expected a string of 1 to 20 characters"#),
        (#"{"query": null}"#, #""query": missing, expected a string of 1 to 20 characters"#),
        (#"{"query": ""}"#, #""query": expected a string of 1 to 20 characters, got """#),
        (#"{"query": ["a"]}"#, #""query": expected a string of 1 to 20 characters, got an array of 1"#),
        (#"{"query": "a", "limit": 1000}"#, #""limit": expected an integer from 1 to 50, got 1000"#),
        (#"{"query": "a", "limit": "many"}"#, #""limit": expected an integer from 1 to 50, got "many""#),
        (#"{"query": "a", "limit": 2.5}"#, #""limit": expected an integer from 1 to 50, got 2.5"#),
        (#"{"query": "a", "weight": "nan"}"#, #""weight": expected a number from 0.0 to 1.0, got "nan""#),
        (#"{"query": "a", "weight": "0x1"}"#, #""weight": expected a number from 0.0 to 1.0, got "0x1""#),
        (#"{"query": "a", "weight": "1e999"}"#, #""weight": expected a number from 0.0 to 1.0, got "1e999""#),
        (#"{"query": "a", "exact": "perhaps"}"#, #""exact": expected true or false, got "perhaps""#),
        (#"{"query": "a", "tags": []}"#, #""tags": expected an array of 1 to 3 elements, got an array of 0"#),
        (#"{"query": "a", "tags": ["b", null]}"#, #""tags[1]": expected a string of at most 8 characters, got null"#),
        (#"{"query": "a", "order": "up"}"#, #""order": expected one of "score", "date", got "up""#),
        (#"{"query": "a", "range": {}}"#, #""range.from": missing, expected a string"#),
        (#"{"query": "a", "range": 1}"#, #""range": expected an object, got 1"#),
        (
            #"{"qurey": "a"}"#,
            """
            "query": missing, expected a string of 1 to 20 characters
            "qurey": unknown argument, did you mean "query"? Known arguments: query, limit, tags, order, weight, exact, \
            range
            """
        ),
        (#"[]"#, "expected an object, got an array of 0"),
        (#"7"#, "expected an object, got 7"),
    ])
    func `issues name the place, what was expected and what came`(given: String, text: String) throws {
        let value = try #require(json(given))
        let error = #expect(throws: ArgumentError.self) { try SampleTools.search.arguments.arguments(from: value) }
        #expect(error?.text == text)
    }

    @Test func `issues and their texts are bounded`() throws {
        let schema = ArgumentSchema.object([.required("list", .array(of: .integer()))])
        let long = JSONValue.string(String(repeating: "x\n", count: 100_000))
        let error = #expect(throws: ArgumentError.self) {
            try schema.arguments(from: .object(["list": .array(Array(repeating: long, count: 1000))]))
        }
        #expect(error?.issues.count == ArgumentError.issueLimit)
        #expect(try #require(error).text.utf8.count < 1000)
        var members: [String: JSONValue] = [:]
        for index in 0..<10_000 { members[String(repeating: "n", count: 100) + "\(index)"] = .bool(true) }
        let unknown = #expect(throws: ArgumentError.self) { try schema.arguments(from: .object(members)) }
        #expect(try #require(unknown).text.utf8.count < 2000)
    }

    @Test func `whatever a schema passes it passes again unchanged`() throws {
        var random = SeededGenerator(1)
        var passed = 0
        for _ in 0..<2000 {
            var members: [String: JSONValue] = [:]
            for name in ["query", "limit", "tags", "order", "weight", "exact", "range", "from"] {
                guard Int.random(in: 0..<3, using: &random) > 0 || name == "query" else { continue }
                members[name] = randomValue(depth: 3, &random)
            }
            guard let once = try? SampleTools.search.arguments.arguments(from: .object(members)) else { continue }
            passed += 1
            #expect(try SampleTools.search.arguments.arguments(from: .object(once.values)) == once)
        }
        #expect(passed > 10)
    }

    private func randomValue(depth: Int, _ random: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 11 : 9), using: &random) {
        case 0: .null
        case 1: .bool(Bool.random(using: &random))
        case 2: .integer(Int64.random(in: -2...60, using: &random))
        case 3: .number(Double.random(in: -1...2, using: &random))
        case 4: .string(["5", "0.5", "true", "[1]", "{\"from\":2}"].randomElement(using: &random) ?? "")
        case 5...8: .string(["a", "date", "score", "word and word"].randomElement(using: &random) ?? "")
        case 9: .array((0..<Int.random(in: 0..<4, using: &random)).map { _ in randomValue(depth: depth - 1, &random) })
        default: .object(["from": randomValue(depth: depth - 1, &random)])
        }
    }
}
