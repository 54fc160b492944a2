import Foundation
import GatewayAPI
import NIOCore

@testable import Inference

/// JSON from clients and upstreams, which is read without being decoded.
enum JSONTargets {
    private static func peek(_ input: Input, _ seed: UInt8) -> ModelPeek {
        var peek = ModelPeek()
        for piece in input.pieces(seed) { peek.push(ByteBuffer(bytes: piece)) }
        return peek
    }

    private static func isJSON(_ bytes: some Sequence<UInt8>) -> Bool {
        (try? JSONDocument(parsing: Array(bytes))) != nil
    }

    /// However a body is cut, the same model is found, and it is one that the body holds.
    static let peek: FuzzBody = { bytes in
        var input = Input(bytes)
        let seed = input.byte()
        let (whole, cut) = (peek(input, 0), peek(input, seed))
        promise(whole.finding == cut.finding && whole.isComplete == cut.isComplete, "cuts change what is found")
        promise(whole.count == input.rest.count, "bytes are lost")
        guard case .model(let model) = whole.finding, whole.isComplete,
            let object = try? JSONSerialization.jsonObject(with: Data(input.rest)) as? [String: Any]
        else { return }
        let said = object.filter { ["model", "name"].contains($0.key.lowercased()) }.values.compactMap { $0 as? String }
        // A name that is given twice is one of Foundation's, and both of ours.
        promise(!said.isEmpty || object.isEmpty, "\(model) is not in the body")
    }

    /// What was valid stays valid, with another model and defaults filled in; all else stays as it is.
    static let rewrite: FuzzBody = { bytes in
        var input = Input(bytes)
        let (seed, choice) = (input.byte(), input.byte())
        let peek = peek(input, seed)
        let body = ByteBuffer(bytes: input.rest)
        var rewrite = BodyRewrite(peek)
        let defaults = ModelDefaults(
            options: ["num_ctx": .integer(8192), "stop": .array([.string("\"")])],
            keepAlive: choice & 1 == 0 ? nil : .string("5m"), isPinned: choice & 2 != 0)
        rewrite.setModel("new \"model\" \u{1F3BB}")
        if choice & 4 != 0 { rewrite.fill(defaults, in: body) }
        let changed = rewrite.apply(to: body)
        promise(changed.readableBytes <= body.readableBytes + max(0, rewrite.growth), "longer than announced")
        guard isJSON(input.rest), peek.isComplete, peek.finding != .unreadable else { return }
        promise(isJSON(changed.readableBytesView), "\(String(buffer: changed)) is not JSON")
        var again = ModelPeek()
        again.push(changed)
        if case .model = peek.finding {
            promise(again.finding == .model("new \"model\" \u{1F3BB}"), "\(again.finding) after \(peek.finding)")
        }
    }

    /// Parts of a valid document are valid, and replacing a text keeps it so.
    static let slice: FuzzBody = { bytes in
        guard let slice = JSONSlice(whole: Data(bytes)) else { return }
        for element in slice.elements ?? [] {
            promise(isJSON(element.bytes), "\(String(decoding: element.bytes, as: UTF8.self)) is no value")
        }
        for name in ["name", "model", "models", "data"] {
            guard let value = slice[name] else { continue }
            promise(isJSON(value.bytes), "\(name) is no value")
            let replaced = slice.replacing(name, with: "x\"\u{1}")
            promise(isJSON(replaced.bytes), "\(String(decoding: replaced.bytes, as: UTF8.self)) is not JSON")
            promise(replaced[name]?.text == "x\"\u{1}", "\(name) was not replaced")
            _ = value.text
            _ = value.elements?.count
        }
    }

    /// However an answer is cut and framed, it costs no negative number of tokens.
    static let tokens: FuzzBody = { bytes in
        var input = Input(bytes)
        let (seed, choice) = (input.byte(), input.byte())
        let path = ["/api/chat", "/v1/chat/completions", "/v1/messages", "/api/embeddings"][Int(choice) % 4]
        for form in [AnswerTokens.Form.whole, .lines, .events] {
            for pieces in [input.pieces(0), input.pieces(seed)] {
                var tokens = AnswerTokens(path: path, requestBytes: 400, form: form)
                for piece in pieces { tokens.push(ByteBuffer(bytes: piece)) }
                for isWhole in [true, false] {
                    let (prompt, completion) = tokens.count(isWhole: isWhole)
                    promise(prompt >= 0 && completion >= 0, "negative tokens")
                }
            }
        }
    }

    /// Vectors have as many numbers as they say, all of them finite, or there is an error.
    static let embeddings: FuzzBody = { bytes in
        // A copy of exactly this size shows reads behind the end.
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        defer { copy.deallocate() }
        _ = copy.initialize(from: bytes)
        guard let found = try? EmbeddingScanner.scan(UnsafeBufferPointer(copy)) else { return }
        promise(found.values.count == found.count * found.dimensions, "\(found.count) × \(found.dimensions)")
        promise(found.values.allSatisfy(\.isFinite), "not finite")
        promise(found.promptTokens >= 0, "negative tokens")
    }

    /// Request bodies that decode can be encoded, and decode as the same.
    static let types: FuzzBody = { bytes in
        var input = Input(bytes)
        let choice = input.byte()
        func check<Value: Codable & Equatable>(_: Value.Type) {
            guard let value = try? JSONDecoder().decode(Value.self, from: Data(input.rest)) else { return }
            guard let data = try? JSONEncoder().encode(value) else { return }
            guard let again = try? JSONDecoder().decode(Value.self, from: data) else {
                return promise(false, "\(value) cannot be read again")
            }
            promise(again == value, "\(value) became \(again)")
        }
        switch choice % 4 {
        case 0: check(JSONValue.self)
        case 1: check(GenerateRequest.self)
        case 2: check(RetrieveRequest.self)
        default: check(EmbedRequest.self)
        }
        guard let vector = VectorText.decode(input.text) else { return }
        promise(VectorText.decode(VectorText.encode(vector))?.map(\.bitPattern) == vector.map(\.bitPattern), "a vector")
    }
}
