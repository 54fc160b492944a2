import Inference
import NIOCore
import Testing
import Transport

@testable import LLM

/// One answer, however the upstream's bytes are cut.
@Suite struct AnswerStreams {
    static let answer =
        "{\"model\":\"m\",\"response\":\"a\u{2028}é🎻\"}\n{\"response\":\"b\"}\n"
        + "{\"done\":true,\"prompt_eval_count\":7,\"eval_count\":2}\n"
    static let events =
        "event: x\ndata: {\"a\":1}\n\ndata: {\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n"

    static func stream(_ form: AnswerStream.Form, _ path: String = "/api/chat") -> AnswerStream {
        // The upstream's form counts: what a client gets as events may have come as lines.
        let counted: AnswerTokens.Form = if case .forwarded(let framing) = form { framing.tokenForm } else { .lines }
        return AnswerStream(form, tokens: AnswerTokens(path: path, requestBytes: 40, form: counted))
    }

    /// What the client gets of an answer in pieces; whether each part ends with a line.
    static func run(_ stream: inout AnswerStream, _ pieces: [ArraySlice<UInt8>]) throws -> [[UInt8]] {
        var parts: [[UInt8]] = []
        for piece in pieces {
            if let bytes = try stream.push(ByteBuffer(bytes: piece)) { parts.append(Array(bytes.readableBytesView)) }
        }
        if let rest = stream.finish() { parts.append(Array(rest.readableBytesView)) }
        return parts
    }

    static func text(_ parts: [[UInt8]]) -> String { String(decoding: parts.joined(), as: UTF8.self) }

    @Test(arguments: [AnswerFraming.ndjson, .serverSentEvents, .bytes])
    func `wherever a forwarded answer is cut, the same bytes go on, and streams in whole lines`(
        framing: AnswerFraming
    ) throws {
        let text = framing == .serverSentEvents ? Self.events : Self.answer
        let path = framing == .serverSentEvents ? "/v1/chat/completions" : "/api/chat"
        let bytes = Array(text.utf8)
        var whole = Self.stream(.forwarded(framing), path)
        #expect(Self.text(try Self.run(&whole, [bytes[...]])) == text)
        let count = whole.takeCount()
        for cut in 0...bytes.count {
            for second in [cut, min(cut + 1, bytes.count), bytes.count] {
                var stream = Self.stream(.forwarded(framing), path)
                let parts = try Self.run(&stream, [bytes[..<cut], bytes[cut..<second], bytes[second...]])
                #expect(Self.text(parts) == text)
                if framing != .bytes { #expect(parts.allSatisfy { $0.last == UInt8(ascii: "\n") }) }
                #expect(stream.isWhole)
                let counted = stream.takeCount()
                #expect(counted?.prompt == count?.prompt && counted?.completion == count?.completion)
            }
        }
        #expect(count?.prompt == (framing == .serverSentEvents ? 3 : 7))
    }

    @Test(arguments: [false, true], [false, true])
    func `wherever a generated answer is cut, the same lines go on`(asEvents: Bool, endsWithLine: Bool) throws {
        let text = endsWithLine ? Self.answer : String(Self.answer.dropLast())
        let bytes = Array(text.utf8)
        let expected =
            asEvents
            ? Self.answer.split(separator: "\n").map { "data: \($0)\n\n" }.joined() : Self.answer
        for cut in 0...bytes.count {
            var stream = Self.stream(.lines(asEvents: asEvents), "/api/generate")
            let parts = try Self.run(&stream, [bytes[..<cut], bytes[cut...]])
            #expect(Self.text(parts) == expected)
            #expect(stream.isWhole)
            let count = stream.takeCount()
            #expect(count?.prompt == 7 && count?.completion == 2)
        }
    }

    @Test func `tokens are counted once`() throws {
        var stream = Self.stream(.forwarded(.ndjson))
        _ = try Self.run(&stream, [Array(Self.answer.utf8)[...]])
        #expect(stream.takeCount() != nil)
        #expect(stream.takeCount() == nil)
        var free = AnswerStream(.forwarded(.ndjson))
        _ = try Self.run(&free, [Array(Self.answer.utf8)[...]])
        #expect(free.takeCount() == nil)
    }

    @Test(arguments: [
        ("{\"done\":true}\n", true), ("{\"done\":false}\n", false), ("{\"error\":\"x\"}\n", true),
        ("{\"done\":tr", false),
        ("", false), ("{\"done\":true}\n{\"response\":\"x\"}\n", false),
        ("{\"response\":\"\\\"done\\\":true\"}\n", false),
    ])
    func `a generated answer is whole when its last line says so`(text: String, isWhole: Bool) throws {
        for asEvents in [false, true] {
            var stream = AnswerStream(.lines(asEvents: asEvents))
            _ = try Self.run(&stream, [Array(text.utf8)[...]])
            #expect(stream.isWhole == isWhole)
        }
    }

    @Test func `a forwarded answer is whole when the upstream ended it`() throws {
        var stream = AnswerStream(.forwarded(.ndjson))
        _ = try stream.push(ByteBuffer(string: "{\"done\":true}\n"))
        #expect(!stream.isWhole)
        #expect(stream.finish() == nil)
        #expect(stream.isWhole)
    }

    static let endings: [(AnswerStream.Form, String, String?)] = [
        (.forwarded(.bytes), "{\"a\"", nil),
        (.forwarded(.ndjson), "", "E\n"), (.forwarded(.ndjson), "{}\n", "E\n"),
        (.forwarded(.ndjson), "{}\n{\"a", "E\n"),
        (.forwarded(.serverSentEvents), "data: {}\n", "\ndata: E\n\n"),
        (.forwarded(.serverSentEvents), "data: {}\n\ndata: {", "\ndata: E\n\n"),
        (.lines(asEvents: false), "{}\n{\"a", "E\n"), (.lines(asEvents: true), "{}\n{\"a", "data: E\n\n"),
    ]

    @Test(arguments: endings)
    func `an answer that breaks off is ended in its framing`(
        form: AnswerStream.Form, before: String, ending: String?
    ) throws {
        var stream = AnswerStream(form)
        _ = try stream.push(ByteBuffer(string: before))
        #expect(stream.ending(ByteBuffer(string: "E")).map { String(buffer: $0) } == ending)
    }

    @Test func `an event of Anthropic's that ends an answer has a name`() {
        let stream = AnswerStream(.forwarded(.serverSentEvents))
        let ending = stream.ending(ByteBuffer(string: "E"), isNamed: true)
        #expect(ending.map { String(buffer: $0) } == "\nevent: error\ndata: E\n\n")
    }

    @Test func `a forwarded line that is too long goes on in parts, and an ending begins a line of its own`() throws {
        var stream = AnswerStream(.forwarded(.ndjson))
        let part = ByteBuffer(repeating: UInt8(ascii: "x"), count: AnswerStream.heldLimit)
        #expect(try stream.push(part) == nil)
        #expect(try stream.push(ByteBuffer(string: "y"))?.readableBytes == AnswerStream.heldLimit + 1)
        #expect(stream.ending(ByteBuffer(string: "E")).map { String(buffer: $0) } == "\nE\n")
        #expect(try stream.push(ByteBuffer(string: "z\n")).map { String(buffer: $0) } == "z\n")
        #expect(stream.ending(ByteBuffer(string: "E")).map { String(buffer: $0) } == "E\n")
        stream = AnswerStream(.forwarded(.serverSentEvents))
        _ = try stream.push(part)
        _ = try stream.push(ByteBuffer(string: "y"))
        #expect(stream.ending(ByteBuffer(string: "E")).map { String(buffer: $0) } == "\n\ndata: E\n\n")
    }

    @Test func `a generated line that is too long is an error`() throws {
        var stream = AnswerStream(.lines(asEvents: false))
        let part = ByteBuffer(repeating: UInt8(ascii: "x"), count: AnswerStream.lineLimit)
        #expect(try stream.push(part) == nil)
        let error = #expect(throws: UpstreamError.self) { try stream.push(ByteBuffer(string: "y")) }
        #expect(error?.code == .lineTooLong)
    }

    static let contentTypes: [(String?, AnswerFraming)] = [
        ("application/x-ndjson", .ndjson), ("Application/X-NDJSON; charset=utf-8", .ndjson),
        ("text/event-stream", .serverSentEvents), ("text/event-stream;charset=utf-8", .serverSentEvents),
        ("application/json", .bytes), ("", .bytes), (nil, .bytes),
    ]

    @Test(arguments: contentTypes)
    func `the content type tells the framing`(contentType: String?, framing: AnswerFraming) {
        #expect(AnswerFraming(contentType: contentType) == framing)
    }
}
