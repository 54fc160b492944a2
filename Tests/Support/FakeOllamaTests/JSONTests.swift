import Testing

@testable import FakeOllama

@Suite struct JSONTests {
    @Test(arguments: [
        #"{"b":1,"a":[true,null,-0.5e3],"c":{}}"#, #""\u2028 é 🎻 \" \\ \n""#, "[]", "12345678901234567890",
        #"{"a":"\u003cb\u003e\u0026"}"#,
    ])
    func `what is read is written the same, in order`(text: String) throws {
        #expect(try JSONParser.parse(text.utf8).encoded == text)
    }

    @Test func `escapes are read`() throws {
        #expect(try JSONParser.parse(#""\ud83c\udfbb\u00e9\/\b""#.utf8) == .string("🎻é/\u{8}"))
        #expect(try JSONParser.parse(#""\ud83cx""#.utf8) == .string("\u{FFFD}x"))
    }

    @Test(arguments: [
        ("", "unexpected EOF"), (#"{"a":"#, "unexpected EOF"),
        ("{a}", "invalid character 'a' looking for beginning of object key string"),
        ("[1,]", "invalid character ']' looking for beginning of value"), ("tru", "unexpected EOF"),
        ("{} x", "invalid character 'x' after top-level value"), ("[01]", "invalid character in numeric literal"),
        (String(repeating: "[", count: 100_000), "exceeded max depth"),
    ])
    func `what is not JSON fails as in Go`(text: String, message: String) {
        #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(text.utf8) }
        do throws(JSONParser.Failure) { _ = try JSONParser.parse(text.utf8) } catch {
            #expect(error.message == message)
        }
    }

    @Test(arguments: [
        (0.0, "0"), (1.0, "1"), (-0.25, "-0.25"), (1e-5, "0.00001"), (-1.5e-6, "-0.0000015"), (2.5e-7, "2.5e-7"),
        (1e20, "100000000000000000000"),
        (1e21, "1e+21"), (123456.789, "123456.789"),
    ])
    func `numbers are written as in Go`(value: Double, text: String) {
        #expect(goNumber(value) == text)
    }

    @Test(
        arguments: [
            ("5m", 300), ("1h30m", 5400), ("-1s", -1), ("250ms", 0.25), ("0", 0), ("1.5s", 1.5), ("x", nil), ("5", nil),
            ("", nil),
        ] as [(String, Double?)])
    func `durations are read as in Go`(text: String, seconds: Double?) {
        #expect(RequestBody.seconds(text) == seconds)
    }
}

@Suite struct SHA256Tests {
    @Test(arguments: [
        (0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
        (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
        (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
        (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        (1000, "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ])
    func `digests are the known ones, whatever the pieces`(count: Int, digest: String) {
        let text = String(repeating: "a", count: count)
        #expect(SHA256.hex(text) == digest)
        for size in [1, 7, 64, 65] {
            var hash = SHA256()
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                rest.prefix(size).withUnsafeBytes { hash.update($0) }
                rest = rest.dropFirst(size)
            }
            #expect(hash.finish() == digest)
        }
    }
}

@Suite struct SchemaTests {
    private func instance(_ schema: String) throws -> String {
        SchemaInstance(schema: try JSONParser.parse(schema.utf8)).value.encoded
    }

    @Test(arguments: [
        (#"{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}}}"#, #"{"b":"b","a":1}"#),
        (#"{"enum":["x","y"]}"#, #""x""#), (#"{"const":7}"#, "7"), (#"{"type":["null","string"]}"#, "null"),
        (#"{"type":"array","items":{"type":"boolean"},"minItems":3}"#, "[true,true,true]"),
        (#"{"type":"array","maxItems":1}"#, #"["value"]"#),
        (#"{"type":"integer","minimum":18,"multipleOf":5}"#, "20"), (#"{"type":"integer","maximum":-3}"#, "-3"),
        (#"{"type":"number","exclusiveMinimum":2}"#, "2.5"), (#"{"type":"string","minLength":8}"#, #""valuexxx""#),
        (#"{"type":"string","maxLength":2}"#, #""va""#), (#"{"type":"string","format":"date"}"#, #""2026-01-01""#),
        (##"{"$ref":"#/$defs/P","$defs":{"P":{"type":"boolean"}}}"##, "true"),
        (
            #"{"allOf":[{"type":"object","properties":{"a":{"const":1}}},{"properties":{"b":{"const":2}}}]}"#,
            #"{"a":1,"b":2}"#
        ),
        (#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#, "1"), ("{}", #""value""#),
    ])
    func `a schema's instance is valid and in its order`(schema: String, value: String) throws {
        #expect(try instance(schema) == value)
    }

    @Test func `a schema that refers to itself has an end`() throws {
        let tree =
            ##"{"$defs":{"T":{"type":"object","properties":{"v":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/T"}}},"required":["v","kids"]}},"$ref":"#/$defs/T"}"##
        let text = try instance(tree)
        #expect(text.hasPrefix(#"{"v":1,"kids":[{"v":1,"#) && text.hasSuffix("]}"))
        #expect(text.count < 100_000)
        _ = try instance(##"{"$ref":"#"}"##)
    }
}
