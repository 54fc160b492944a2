import Foundation
import NIOCore
import TestSupport
import Testing

@testable import FakeOllama
@testable import GatewayAPI
@testable import Inference
@testable import Transport

/// The model of a body and changes of a body, against a parser of the whole.
@Suite struct ModelPeeks {
    static func finding(_ body: String, pieces: Int = 1) -> ModelPeek.Finding {
        var peek = ModelPeek()
        let bytes = Array(body.utf8)
        let size = max(1, (bytes.count + pieces - 1) / pieces)
        for start in stride(from: 0, to: bytes.count, by: size) {
            peek.push(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
        }
        return peek.finding
    }

    @Test(arguments: [
        (#"{"model":"a"}"#, ModelPeek.Finding.model("a")),
        (#" { "x" : [1,{"model":"no"}] , "model" : "a:b" } "#, .model("a:b")),
        (#"{"name":"old"}"#, .model("old")), (#"{"name":"old","model":"new"}"#, .model("new")),
        (#"{"model":"","name":"old"}"#, .model("old")), (#"{"model":"a","model":"b"}"#, .model("b")),
        (#"{"model":"a","MODEL":"b"}"#, .model("b")), (#"{"model":"a","model":null}"#, .model("a")),
        (#"{"m\u006fdel":"\u0061\n\ud83c\udfbb\ud800"}"#, .model("a\n🎻\u{FFFD}")),
        (#"{"prompt":"\"model\":\"no\"","model":"yes"}"#, .model("yes")), (#"{"model":5}"#, .unreadable),
        (#"{"model":"a","model":["b"]}"#, .unreadable), (#"{"model":"a"}{"model":"b"}"#, .model("a")),
        (#"["model","a"]"#, .unreadable), ("", .none), ("{}", .none), (#"{"prompt":"x"}"#, .none),
        (#"{"model":null}"#, .none), (#"{"model":""}"#, .none), ("garbage", .unreadable),
        (#"{"model":"a\q"}"#, .unreadable),
        (#"{"options":{"model":"no"},"messages":[{"name":"no"}]}"#, .none), (#"{"model":{"model":"no"}}"#, .unreadable),
    ])
    func `a body's model is what Ollama takes`(body: String, expected: ModelPeek.Finding) {
        for pieces in [1, 2, 3, 7, 1000] { #expect(Self.finding(body, pieces: pieces) == expected, "\(body)") }
    }

    static func agreement(_ body: [UInt8], at path: String = "/api/chat") -> Set<ModelPeek.Agreement> {
        Set(
            [1, 3, 1 << 20].map { size in
                var peek = ModelPeek()
                for start in stride(from: 0, to: body.count, by: size) {
                    peek.push(ByteBuffer(bytes: body[start..<min(start + size, body.count)]))
                }
                return peek.agreement(at: path)
            })
    }

    @Test(arguments: [
        (#"{"model":"a"}"#, ModelPeek.Agreement.models(["a"])), (" {\"m\\u006fdel\":\"a\"} \n", .models(["a"])),
        (#"{"model":"a","name":"b"}"#, .models(["a"])), (#"{"options":{"model":"b"},"model":"a"}"#, .models(["a"])),
        (#"{"model":"a","model":"b"}"#, .ambiguous), (#"{"model":"a","model":"a"}"#, .ambiguous),
        (#"{"model":"b","Model":"a"}"#, .ambiguous), (#"{"Model":"b","model":"a"}"#, .ambiguous),
        (#"{"model":"b","m\u004fdel":"a"}"#, .ambiguous), (#"{"model":"b","MODEL":null}"#, .ambiguous),
        (#"{"model":null,"model":"a"}"#, .ambiguous), (#"{"model":"b","model":5}"#, .ambiguous),
        // Servers that mind the case would take their default.
        (#"{"Model":"a"}"#, .ambiguous), (#"{"\u004dodel":"a"}"#, .ambiguous),
        (#"{"model":"a"}{"model":"b"}"#, .unreadable), (#"{"model":"a"} x"#, .unreadable), ("[]", .unreadable),
        (#"{"model":["a"]}"#, .unreadable), (#"{"model":"a\q"}"#, .unreadable),
        (#"{"mod\qel":"b","model":"a"}"#, .unreadable), ("\u{FEFF}{\"model\":\"a\"}", .unreadable),
        (#"{/*"*/"model":"b"/*",*/,"x":"*/"#, .unreadable), (#"{'model':'b',"model":"a"}"#, .unreadable),
        (#"{model:"b","x":"y","model":"a"}"#, .unreadable), (#"{"x":1 "model":"a"}"#, .unreadable),
        (#"{"x" "model":"a"}"#, .unreadable), (#"{"model":"a",}"#, .unreadable), (#"{"model":"a"]"#, .unreadable),
        (#"{"model":"b" "a"}"#, .unreadable), (#"{"x":{}"model":"a"}"#, .unreadable), ("{,}", .unreadable),
        ("--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nb\r\n--b--", .unreadable),
        ("model=b&x={\"model\":\"a\"}", .unreadable), ("", .missing), ("{}", .missing),
        (#"{"name":"a"}"#, .missing), (#"{"model":""}"#, .missing),
    ])
    func `a permission rests on what every server reads`(body: String, expected: ModelPeek.Agreement) {
        #expect(Self.agreement(Array(body.utf8)) == [expected], "\(body)")
    }

    @Test func `bodies of other encodings are not read`() {
        let body = #"{"model":"a"}"#
        let wide = body.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(Self.agreement(wide) == [.unreadable])
        #expect(Self.agreement([0xFF, 0xFE] + wide) == [.unreadable])
        #expect(Self.agreement([0x1F, 0x8B, 8, 0] + Array(body.utf8)) == [.unreadable])
    }

    @Test(arguments: [
        ("/api/show", #"{"name":"a"}"#, ModelPeek.Agreement.models(["a"])),
        ("/api/show", #"{"model":"a"}"#, .models(["a"])), ("/api/show", #"{"model":"a","name":"b"}"#, .ambiguous),
        ("/api/delete", #"{"model":"a","NAME":"b"}"#, .ambiguous), ("/api/pull", #"{"Name":"a"}"#, .ambiguous),
        ("/api/create", #"{"model":"a","from":"b"}"#, .models(["a", "b"])),
        ("/api/create", #"{"model":"a"}"#, .models(["a"])),
        ("/api/create", #"{"model":"a","from":"a","From":"b"}"#, .ambiguous),
        ("/api/copy", #"{"source":"a","destination":"b"}"#, .models(["a", "b"])),
        ("/api/copy", #"{"source":"a"}"#, .missing),
        ("/api/copy", #"{"\u017fource":"a","destination":"b"}"#, .ambiguous),
        ("/api/copy", #"{"source":"a","destination":"b","Source":"c"}"#, .ambiguous),
    ])
    func `each route names its models by its own members`(path: String, body: String, expected: ModelPeek.Agreement) {
        #expect(Self.agreement(Array(body.utf8), at: path) == [expected], "\(path) \(body)")
    }

    @Test func `a name beyond the limit is not guessed at`() {
        let long = String(repeating: "x", count: MemberScanner.textLimit + 1)
        #expect(Self.finding(#"{"model":"\#(long)"}"#) == .unreadable)
        let many = String(repeating: #""model":"a","#, count: MemberScanner.memberLimit + 1)
        #expect(Self.finding("{\(many)\"x\":1}") == .unreadable)
    }

    // MARK: Fuzz

    struct Maker {
        var random: SeededGenerator

        mutating func roll(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

        mutating func space() -> String { ["", "", "", " ", "\n", "\t "][roll(6)] }

        mutating func text(_ plain: String) -> String {
            var literal = "\""
            for unit in plain.utf16 {
                let mustEscape = unit == 0x22 || unit == 0x5C || unit < 0x20 || (0xD800...0xDFFF).contains(unit)
                if mustEscape || roll(12) == 0 {
                    literal +=
                        "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count)
                        + String(unit, radix: 16)
                } else {
                    literal += String(decoding: [unit], as: UTF16.self)
                }
            }
            return literal + "\""
        }

        mutating func word() -> String {
            ["model", "a", "}", "{\"model\":\"x\"", "\\", "\"", "ü", "🎻", "]", ",", "name", "\\\"", ""][roll(13)]
                + ["", ":latest", "b"][roll(3)]
        }

        mutating func value(_ depth: Int = 0) -> String {
            switch roll(depth > 3 ? 5 : 8) {
            case 0: return ["0", "-1.5e3", "8192", "1E9"][roll(4)]
            case 1: return ["true", "false"][roll(2)]
            case 2: return "null"
            case 3, 4: return text(word())
            case 5, 6: return object(depth + 1)
            default:
                let elements = (0..<roll(4)).map { _ in space() + value(depth + 1) + space() }
                return "[" + (elements.isEmpty ? space() : elements.joined(separator: ",")) + "]"
            }
        }

        mutating func object(_ depth: Int = 0) -> String {
            let names = [
                "model", "model", "Model", "MODEL", "name", "Name", "prompt", "options", "keep_alive", "num_ctx",
                "num_gpu", "temperature", "x",
            ]
            let members = (0..<roll(7)).map { _ in
                space() + text(names[roll(names.count)]) + space() + ":" + space() + value(depth) + space()
            }
            return "{" + (members.isEmpty ? space() : members.joined(separator: ",")) + "}"
        }
    }

    /// What Go's decoder leaves in a struct with the fields `model` and `name`; nil for an error.
    static func oracle(_ body: JSON) -> ModelPeek.Finding {
        func last(_ name: String) -> String?? {
            var text = ""
            for member in body.members ?? [] where member.key.lowercased() == name && !member.value.isNull {
                guard let value = member.value.text else { return .none }
                text = value
            }
            return .some(text)
        }
        guard body.members != nil, let model = last("model") else { return .unreadable }
        if let model, !model.isEmpty { return .model(model) }
        guard let name = last("name") else { return .unreadable }
        return name.map { $0.isEmpty ? .none : .model($0) } ?? .none
    }

    @Test func `any JSON has the model that a whole parser finds, however it is cut`() throws {
        var maker = Maker(random: SeededGenerator(7))
        var found = 0
        for _ in 0..<Gear.rounds(20_000) {
            let body = maker.space() + (maker.roll(20) == 0 ? maker.value() : maker.object()) + maker.space()
            let expected = Self.oracle(try JSONParser.parse(Data(body.utf8)))
            #expect(Self.finding(body, pieces: 1 + maker.roll(9)) == expected, "\(body)")
            if case .model = expected { found += 1 }
        }
        #expect(found > Gear.rounds(20_000) / 10)
    }

    @Test func `bytes that are no JSON harm nothing`() {
        var random = SeededGenerator(3)
        let alphabet = Array("{}[]\",:\\mnodel amu0null\u{1}".utf8)
        for _ in 0..<Gear.rounds(20_000) {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            var peek = ModelPeek()
            peek.push(ByteBuffer(bytes: bytes))
            let request = ModelRequest(
                path: "/api/chat", body: ByteBuffer(bytes: bytes), peek: peek, rules: BodyRewrites.rules)
            #expect(request.body.readableBytes == bytes.count + request.growth)
        }
    }
}

/// Aliases and defaults.
@Suite struct BodyRewrites {
    static let rules: ModelRules = {
        let guarded = ModelDefaults(
            options: ["num_ctx": .integer(8192), "temperature": .number(0.5)], keepAlive: .string("30m"))
        let pinned = ModelDefaults(options: ["num_ctx": .integer(4096)], isPinned: true)
        let kept = ModelDefaults(keepAlive: .string("30m"), isPinned: true)
        return (try? ModelRules(aliases: ["fast": "b"], defaults: ["a": guarded, "b": pinned, "p": kept])) ?? .none
    }()

    static func apply(_ body: String, path: String = "/api/chat") -> ModelRequest {
        var peek = ModelPeek()
        peek.push(ByteBuffer(string: body))
        return ModelRequest(path: path, body: ByteBuffer(string: body), peek: peek, rules: rules)
    }

    @Test(arguments: [
        (#"{"model":"c","x":1 }"#, #"{"model":"c","x":1 }"#),
        (#"{"model" : "fast"}"#, #"{"model" : "b","options":{"num_ctx":4096}}"#),
        (#"{"model":"fast:latest","options":{}}"#, #"{"model":"b","options":{"num_ctx":4096}}"#),
        (
            #"{"model":"a","prompt":"ü"}"#,
            #"{"model":"a","prompt":"ü","keep_alive":"30m","options":{"num_ctx":8192,"temperature":0.5}}"#
        ),
        (
            #"{"model":"a","keep_alive":0,"options":{"num_ctx":1, "temperature":1}}"#,
            #"{"model":"a","keep_alive":0,"options":{"num_ctx":1, "temperature":1}}"#
        ),
        (
            #"{"options":null,"keep_alive":null,"model":"a"}"#,
            #"{"options":{"num_ctx":8192,"temperature":0.5},"keep_alive":"30m","model":"a"}"#
        ),
        (
            #"{"model":"b","options":{"num_ctx":1,"num_gpu":3,"seed":1,"main_gpu" : 0}}"#,
            #"{"model":"b","options":{"num_ctx":4096,"num_gpu":null,"seed":1,"main_gpu" : null}}"#
        ),
        (#"{"model":"b","options":"x"}"#, #"{"model":"b","options":"x"}"#),
        // Pinned without a default of its own: Ollama's holds.
        (
            #"{"model":"b","keep_alive":0,"options":{}}"#,
            #"{"model":"b","keep_alive":null,"options":{"num_ctx":4096}}"#
        ),
        (#"{"model":"p","keep_alive":0}"#, #"{"model":"p","keep_alive":"30m"}"#),
        (#"{"model":"p"}"#, #"{"model":"p","keep_alive":"30m"}"#),
        // Go folds U+017F and U+212A; every repetition counts.
        (
            #"{"keep_alive":0,"model":"p","\u212aEEP_alive":0,"KEEP_ALIVE":"0s"}"#,
            #"{"keep_alive":"30m","model":"p","\u212aEEP_alive":"30m","KEEP_ALIVE":"30m"}"#
        ),
        (
            #"{"model":"b","option\u017f":{"num_gpu":0,"num_ctx":1}}"#,
            #"{"model":"b","option\u017f":{"num_gpu":null,"num_ctx":4096}}"#
        ),
        (
            #"{"model":"b","optionſ":{"num_gpu":0},"options":{"u\u017fe_mmap":true,"NUM_GPU":1,"num_gpu":2,"num_gpu":3}}"#,
            #"{"model":"b","optionſ":{"num_gpu":null},"options":{"u\u017fe_mmap":null,"NUM_GPU":null,"num_gpu":null,"#
                + #""num_gpu":null,"num_ctx":4096}}"#
        ),
        (
            #"{"model":"b","options":{"num_gpu":1},"OPTIONS":null}"#,
            #"{"model":"b","options":{},"OPTIONS":{"num_ctx":4096}}"#
        ),
        (#"{"model":"b","options":{"seed":1}} "#, #"{"model":"b","options":{"seed":1,"num_ctx":4096}} "#),
    ])
    func `only what has to change changes`(body: String, expected: String) {
        let request = Self.apply(body)
        #expect(String(buffer: request.body) == expected)
        #expect(request.growth == expected.utf8.count - body.utf8.count)
    }

    @Test func `OpenAI's bodies get the alias and no options`() {
        #expect(
            String(buffer: Self.apply(#"{"model":"fast"}"#, path: "/v1/chat/completions").body) == #"{"model":"b"}"#)
    }

    @Test(arguments: [
        ("LLaMA3.2", "llama3.2:latest"), ("registry.ollama.ai/library/a:B", "a:b"), ("library/a", "a:latest"),
        ("me/library", "me/library:latest"), ("host:5000/x/a", "host:5000/x/a:latest"),
    ])
    func `names of the same model are the same`(name: String, canonical: String) {
        #expect(ModelName.canonical(name) == canonical)
        #expect(ModelName.canonical(canonical) == canonical)
    }

    @Test func `an alias of an alias is refused`() {
        #expect(throws: UpstreamError.self) { try ModelRules(aliases: ["a": "b:latest", "b": "c"]) }
    }

    @Test func `of any body all else stays, and the options are those that the rules say`() throws {
        var maker = ModelPeeks.Maker(random: SeededGenerator(11))
        var changed = 0
        for _ in 0..<Gear.rounds(20_000) {
            let names = ["a", "b", "fast", "other"]
            var body = maker.object()
            let model = names[maker.roll(4)]
            let member = #""model":"\#(model)""#
            body =
                body.dropFirst().allSatisfy { $0.isWhitespace || $0 == "}" }
                ? "{\(member)}" : String(body.dropLast()) + "," + member + "}"
            let before = try JSONParser.parse(Data(body.utf8))
            let request = Self.apply(body)
            let after = try JSONParser.parse(Data(request.body.readableBytesView))
            guard case .model = ModelPeeks.oracle(before), let real = request.model else {
                #expect(String(buffer: request.body) == body)
                continue
            }
            #expect(ModelPeeks.oracle(after) == .model(real), "\(body)")
            #expect(real == (model == "fast" ? "b" : model))
            let special: Set = ["model", "options", "keep_alive"]
            func rest(_ json: JSON) -> [JSON.Member] {
                (json.members ?? []).filter { !special.contains($0.key.lowercased()) }
            }
            #expect(rest(before) == rest(after), "\(body)")
            guard real != "other" else { continue }
            guard let wanted = Self.options(before, Self.rules.defaults(for: real)) else {
                #expect(Self.options(after, nil) == nil)
                continue
            }
            #expect(Self.options(after, nil) == wanted, "\(body) became \(String(buffer: request.body))")
            if String(buffer: request.body) != body { changed += 1 }
        }
        #expect(changed > Gear.rounds(20_000) / 7)
    }

    /// The map that Go reads `options` into, with defaults applied; nil for an error.
    static func options(_ body: JSON, _ defaults: ModelDefaults?) -> [String: JSON]? {
        var map: [String: JSON] = [:]
        for member in body.members ?? [] where member.key.lowercased() == "options" {
            if member.value.isNull {
                map = [:]
                continue
            }
            guard let members = member.value.members else { return nil }
            for option in members { map[option.key] = option.value }
        }
        // Null is no value of an option to Ollama.
        map = map.filter { !$0.value.isNull }
        guard let defaults else { return map }
        if defaults.isPinned { map = map.filter { !ModelDefaults.runnerOptions.contains($0.key) } }
        for (name, value) in defaults.options where map[name] == nil {
            switch value {
            case .integer(let number): map[name] = .number(String(number))
            case .number(let number): map[name] = .number(String(number))
            default: break
            }
        }
        return map
    }
}
