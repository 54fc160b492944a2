import Foundation
import Testing

@testable import GatewayAPI

/// The gateway's own reading of JSON, held against Foundation's.
@Suite struct JSONDocuments {
    private static let good = [
        "0", "-0", "1.5e3", "true", "false", "null", "\"\"", "[]", "{}", " [ 1 , 2 ] ", "[[],[{}]]",
        #"{"a":1,"b":[true,null,"x"],"c":{"d":-2.25}}"#, #""\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00""#, "\"ü🌍\"",
        "[9223372036854775807,-9223372036854775808,18446744073709551615,1e300]", "\u{FEFF}[1]",
    ]
    private static let bad = [
        "", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{'a':1}", "]", "[}",
        "{]",
        "01", "+1", ".5", "1.", "1e", "1e+", "-", "0x10", "NaN", "Infinity", "tru", "nul", "truex", "\"", "\"\\x\"",
        "\"\\u12\"", "\"\\u12G4\"", "\"\u{1}\"", "[1] 2", "{\"a\":1 \"b\":2}", "[1 2]", "\"a\nb\"", ",", ":",
    ]

    private func document(_ text: String, _ limits: JSONLimits = JSONLimits()) throws -> JSONDocument {
        try JSONDocument(parsing: Array(text.utf8), limits: limits)
    }

    @Test func `what is JSON is read as Foundation reads it`() throws {
        for text in Self.good {
            let value = try #require(try document(text).value, "\(text)")
            #expect(value == (try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))), "\(text)")
            #expect(try document(String(decoding: value.json, as: UTF8.self)).value == value, "\(text)")
        }
    }

    @Test func `what is no JSON is refused`() {
        for text in Self.bad {
            #expect(throws: JSONRefusal.self, "\(text)") { try document(text) }
        }
        #expect(throws: JSONRefusal.malformed(at: 3)) { try document("[1,]") }
    }

    @Test func `every beginning of a text and every changed byte ends in an answer`() {
        let text = Array(#"{"a":[1,-2.5e3,"\u00e9x\n",{"b":null,"c":[true,false]}],"d":""}"#.utf8)
        for length in text.indices {
            #expect(throws: JSONRefusal.self) { try JSONDocument(parsing: Array(text[..<length])) }
        }
        for place in text.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = text
                changed[place] = byte
                guard let document = try? JSONDocument(parsing: changed), let value = document.value else { continue }
                #expect((try? JSONDocument(parsing: value.json))?.value == value)
            }
        }
    }

    @Test func `depth and values are limited before anything is decoded`() throws {
        let limits = JSONLimits(depth: 3, values: 5)
        #expect(try document("[[[]]]", limits).isArray)
        #expect(throws: JSONRefusal.tooDeep(limit: 3)) { try document("[[[[]]]]", limits) }
        #expect(throws: JSONRefusal.tooDeep(limit: 3)) { try document(#"[{"a":[{"#, limits) }
        #expect(try document("[1,2,3,4]", limits).isArray)
        #expect(throws: JSONRefusal.tooManyValues(limit: 5)) { try document("[1,2,3,4,5]", limits) }
        #expect(throws: JSONRefusal.tooManyValues(limit: 5)) { try document(#"{"a":1,"b":2,"c":3}"#, limits) }
        let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(throws: JSONRefusal.tooDeep(limit: 64)) { try document(deep) }
    }

    @Test func `text that is no UTF-8, half pairs and numbers that do not fit are nobody's value`() throws {
        #expect(try JSONDocument(parsing: [0x22, 0xFF, 0x22]).value == nil)
        #expect(try document(#""\uD83D""#).value == nil)
        #expect(try document(#""\uDE00""#).value == nil)
        #expect(try document(#"{"\uD83Dx":1}"#).value == nil)
        #expect(try document("[1e999]").value == nil)
        #expect(throws: JSONRefusal.self) { try document(String(repeating: "1", count: 2000)) }
    }

    private struct Sample: Decodable, Equatable {
        struct Inner: Decodable, Equatable { var x: [Double?] }
        var id: Int
        var small: UInt8?
        var name: String?
        var inner: [Inner]?
        var free: JSONValue?
        var map: [String: Int]?
    }

    @Test func `types decode as by Foundation`() throws {
        for text in [
            #"{"id":5}"#,
            #"{"id":1e3,"small":255,"name":"a","inner":[{"x":[1,null,2.5]}],"free":{"a":[1]},"map":{"b":2}}"#,
            #"{"id":-7,"small":null,"name":null,"free":null,"unknown":[{}]}"#,
        ] {
            let expected = try JSONDecoder().decode(Sample.self, from: Data(text.utf8))
            #expect(try document(text).decode(Sample.self) == expected, "\(text)")
        }
    }

    @Test(arguments: [
        ("{}", "id"), (#"{"id":"5"}"#, "id"), (#"{"id":9223372036854775808}"#, "id"), (#"{"id":1.5}"#, "id"),
        (#"{"id":1,"small":256}"#, "small"), (#"{"id":1,"inner":[{"x":[]},{"x":[1,"2"]}]}"#, "inner.1.x.1"),
        (#"{"id":1,"inner":[{}]}"#, "inner.0.x"), (#"{"id":1,"map":{"a":null}}"#, "map.a"),
        (#"{"id":1,"free":[1e999]}"#, "free"), ("[]", ""), ("null", ""),
    ])
    func `an error names the value that is wrong`(text: String, path: String) throws {
        let error = #expect(throws: DecodingError.self) { try document(text).decode(Sample.self) }
        let keys: [any CodingKey] =
            switch try #require(error) {
            case .keyNotFound(let key, let context): context.codingPath + [key]
            case .valueNotFound(_, let context), .typeMismatch(_, let context), .dataCorrupted(let context):
                context.codingPath
            @unknown default: []
            }
        #expect(keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".") == path)
    }

    @Test func `other decoders stop at the same depth`() throws {
        func nested(_ depth: Int) -> Data {
            Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        #expect((try? JSONDecoder().decode(JSONValue.self, from: nested(60))) != nil)
        #expect((try? JSONDecoder().decode(JSONValue.self, from: nested(80))) == nil)
    }
}
