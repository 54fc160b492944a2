import Foundation
import HTTPTypes
import Logging
import Testing

@testable import Server

/// The log's line of a request, and how lines get out.
@Suite struct RequestLines {
    private static func line(_ outcome: RequestOutcome, id: String = "one", _ format: LogFormat) -> String {
        var (bytes, clock) = ([UInt8](), LogClock())
        RequestLine(outcome: outcome, id: id, format: format).append(to: &bytes, clock: &clock)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static var full: RequestOutcome {
        var outcome = RequestOutcome(
            route: "/v1/models/{model}", path: "/v1/models/a\"b\\c\n潮", method: .get, status: 503, phase: .queued)
        outcome.isBroken = true
        outcome.isCancelled = true
        outcome.key = "phone of Anna"
        outcome.model = "llama3.2"
        outcome.responseBytes = 1_234_567
        outcome.total = .microseconds(12_045)
        outcome.queued = .milliseconds(11)
        outcome.generatedTokens = 0
        outcome.upstream = "second"
        return outcome
    }

    @Test func `a line of text has the facts in the order of their names, and no fact that there is not`() throws {
        let outcome = RequestOutcome(route: "/api/chat", path: "/api/chat", method: .post, status: 200, phase: .done)
        let line = Self.line(outcome, .text)
        let match = try #require(line.wholeMatch(of: /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)( .*\n)/))
        #expect(
            match.2
                == " info selene: bytes=0 method=POST ms=0 path=/api/chat request_id=one route=/api/chat status=200"
                + " [Gateway] request\n")
        let full = Self.line(Self.full, .text)
        let names = full.matches(of: #/ (\w+)=/#).map { String($0.1) }
        #expect(names == names.sorted())
        #expect(names.count == 15)
        #expect(full.contains(" ms=12.045 ") && full.contains(" queue_ms=11 ") && full.contains(" tokens=0 "))
        #expect(full.count { $0.isNewline } == 1)
    }

    @Test func `a line in JSON is one object with numbers as numbers`() throws {
        let line = Self.line(Self.full, id: "x-1", .json)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["path"] as? String == "/v1/models/a\"b\\c\n潮")
        #expect(object["key"] as? String == "phone of Anna")
        #expect(object["ms"] as? Double == 12.045)
        #expect(object["queue_ms"] as? Int == 11)
        #expect(object["status"] as? Int == 503)
        #expect(object["bytes"] as? Int == 1_234_567)
        #expect(object["cancelled"] as? Bool == true)
        #expect(object["broken"] as? Bool == true)
        #expect(object["phase"] as? String == "queued")
        #expect(object["request_id"] as? String == "x-1")
        #expect(object["message"] as? String == "request")
        #expect(object["level"] as? String == "info")
        #expect(line.hasSuffix("}\n"))
    }

    @Test(arguments: [
        (0, "0"), (1, "0"), (1_000, "0.001"), (45_000, "0.045"), (999_000, "0.999"), (1_000_000, "1"),
        (12_340_000, "12.340"), (3_600_000_001_000, "3600000.001"), (-5_000_000, "0"),
    ])
    func `milliseconds have three decimals unless they are whole`(nanoseconds: Int, text: String) {
        var bytes: [UInt8] = []
        bytes.append(milliseconds: .nanoseconds(nanoseconds))
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }

    @Test(arguments: [0, 7, 10, 42, 1_000_000, .max, .min]) func `numbers are decimal`(number: Int) {
        var bytes: [UInt8] = [0x20]
        bytes.append(decimal: number)
        #expect(String(decoding: bytes, as: UTF8.self) == " \(number)")
    }

    @Test func `a clock tells what the system's does`() throws {
        var (bytes, clock) = ([UInt8](), LogClock())
        let before = Date.now
        clock.append(to: &bytes)
        let first = String(decoding: bytes, as: UTF8.self)
        let strategy = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let told = try strategy.parse(first)
        // The text has whole milliseconds.
        #expect(told > before - 0.001 && told <= Date.now)
        bytes = []
        clock.append(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) >= first)
    }

    @Test func `ids of requests have 16 hexadecimal digits, and no two are the same`() {
        let ids = (0..<10_000).map { _ in RequestIDMiddleware.fresh() }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{16}/) != nil })
    }

    @Test(
        arguments: [
            ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER \t a=b c \t", "a=b c"), ("  Bearer abc", "abc"),
            ("Bearer", nil),
            ("Bearer ", nil), ("Basic abc", nil), ("Basic YTpi", "b"), ("basic YTo=", nil), ("BASIC  YTpiOmM= ", "b:c"),
            ("Bearerabc", nil), ("", nil), ("Bearer 潮", "潮"),
        ] as [(String, String?)])
    func `the token of an authorization header is what follows the scheme`(header: String, token: String?) {
        #expect(Credential(header: header)?.text == token)
    }

    @Test func `lines keep their order, whether they are urgent or not`() async throws {
        let pipe = Pipe()
        let output = LogOutput(
            descriptor: pipe.fileHandleForWriting.fileDescriptor, format: .json, level: .info)
        let logger = output.logger()
        let outcome = RequestOutcome(route: "/", path: "/", method: .get, status: 200, phase: .done)
        for number in 0..<300 {
            if number % 50 == 49 {
                logger.notice("notice", metadata: ["request_id": "\(number)"])
            } else {
                output.append(RequestLine(outcome: outcome, id: "\(number)", format: .json))
            }
        }
        await output.flush(within: .seconds(60))
        #expect(output.droppedLines == 0)
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        let ids = try text.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return object?["request_id"] as? String
        }
        #expect(ids == (0..<300).map { "\($0)" })
    }

    @Test func `an urgent line takes those before it along, without a flush`() throws {
        let pipe = Pipe()
        let output = LogOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor, format: .text, level: .info)
        output.logger().info("first")
        output.logger().warning("second")
        // Blocks until there is something, and the thread writes both at once or one after the other.
        var text = ""
        while !text.contains("second") {
            text += String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
        }
        #expect(text.split(separator: "\n").map { $0.suffix(6) } == [" first", "second"])
    }
}
