import Foundation
import Logging
import TestSupport
import Testing
import Transport

@testable import Telemetry

/// How spans get to a collector, with pauses that do not take time.
@Suite struct SpanSending {
    private final class Stage: Sendable {
        let collector: ScriptedServer
        let buffer: SpanBuffer
        let exporter: SpanExporter
        let pauses = Locked<[Duration]>([])
        let lines = Locked<[String]>([])

        /// - Parameter seconds: The pauses until the sender is cancelled.
        init(
            seconds: Int, spans: Int, capacity: Int = SpanBuffer.capacity,
            _ answers: @escaping @Sendable (Int) -> ScriptedServer.Answer
        ) throws {
            collector = try ScriptedServer(answers)
            buffer = SpanBuffer(capacity: capacity)
            let headers = try TraceExport.headers("x-key=top%20secret")
            let export = try TraceExport(endpoint: collector.address + "/otlp/", headers: headers, service: "test")
            let (lines, pauses) = (lines, pauses)
            exporter = SpanExporter(
                export, of: buffer, logger: Logger(label: "test") { _ in KeptLog(lines: lines) }
            ) { pause in
                pauses.change { $0.append(pause) }
                if pauses.value.count > seconds { throw CancellationError() }
            }
            buffer.append((0..<spans).map { _ in SampleSpans.span() })
        }

        func close() async {
            await exporter.close(within: .zero)
            collector.stop()
        }

        /// The number of spans of each request.
        var batches: [Int] { collector.requests.map { $0.components(separatedBy: #""spanId":"#).count - 1 } }
    }

    @Test func `spans go out after five seconds, as the JSON of OTLP`() async throws {
        let stage = try Stage(seconds: 4, spans: 2) { _ in .reply(200, "{}") }
        await stage.exporter.send()
        #expect(stage.collector.requests.isEmpty && stage.buffer.count == 2)
        await stage.close()

        let later = try Stage(seconds: 5, spans: 1) { _ in .reply(200, "{}") }
        await later.exporter.send()
        #expect(later.buffer.counts == SpanBuffer.Counts(sent: 1, dropped: 0))
        let request = try #require(later.collector.requests.first)
        #expect(request.hasPrefix("POST /otlp/v1/traces HTTP/1.1\r\n") && later.batches == [1])
        #expect(request.contains("content-type: application/json\r\n") && request.contains("x-key: top secret\r\n"))
        let body = try #require(request.components(separatedBy: "\r\n\r\n").last)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any])
        let resource = try #require((object["resourceSpans"] as? [[String: Any]])?.first)
        let scope = try #require((resource["scopeSpans"] as? [[String: Any]])?.first)
        let span = try #require((scope["spans"] as? [[String: Any]])?.first)
        #expect((span["traceId"] as? String)?.count == 32 && (span["spanId"] as? String)?.count == 16)
        #expect((span["parentSpanId"] as? String)?.count == 16 && span["traceState"] as? String == "a=1")
        #expect(span["startTimeUnixNano"] as? String == "1700000000000000000")
        #expect(span["endTimeUnixNano"] as? String == "1700000001000000000")
        #expect(span["kind"] as? Int == 3 && span["flags"] as? Int == 0x301)
        #expect("\(resource["resource"] ?? "")".contains("service.name"))
        await later.close()
    }

    @Test func `many spans go out at once, in batches`() async throws {
        let stage = try Stage(seconds: 1, spans: 1100) { _ in .reply(200, "{}") }
        await stage.exporter.send()
        #expect(stage.batches == [512, 512, 76] && stage.buffer.counts.sent == 1100)
        await stage.close()
    }

    @Test func `a busy collector is asked again, when it says`() async throws {
        let stage = try Stage(seconds: 10, spans: 3) { number in
            switch number {
            case 1: .reply(503, "", headers: ["Retry-After": "7"])
            case 2: .reply(429, "")
            case 3: .drop
            case 4: .reply(504, "", headers: ["Retry-After": "3600"])
            default: .reply(200, "{}")
            }
        }
        await stage.exporter.send()
        let pauses = Array(stage.pauses.value.dropFirst(5).prefix(4))
        #expect(pauses == [.seconds(7), .seconds(4), .seconds(8), .seconds(60)])
        #expect(stage.collector.requests.count == 5 && stage.buffer.counts == .init(sent: 3, dropped: 0))
        let lines = stage.lines.value
        #expect(lines.count == 2 && lines[0].hasPrefix("warning: ") && lines[1].hasPrefix("notice: "), "\(lines)")
        #expect(!"\(lines)".contains("secret"))
        await stage.close()
    }

    @Test func `a batch that is not taken for long is dropped, and logged once`() async throws {
        let stage = try Stage(seconds: 40, spans: 600) { _ in .reply(502, "") }
        await stage.exporter.send()
        #expect(stage.buffer.counts.sent == 0 && stage.buffer.counts.dropped == 600)
        #expect(stage.lines.value.count == 1, "\(stage.lines.value)")
        await stage.close()
    }

    @Test(arguments: [400, 401, 404, 413]) func `a refused batch is not sent again`(status: Int) async throws {
        let stage = try Stage(seconds: 5, spans: 2) { _ in .reply(status, "") }
        await stage.exporter.send()
        #expect(stage.collector.requests.count == 1 && stage.buffer.counts == .init(sent: 0, dropped: 2))
        #expect(stage.lines.value.first?.contains("status \(status)") == true)
        await stage.close()
    }

    @Test(arguments: [#"{"partialSuccess":{"rejectedSpans":"2"}}"#, #"{"partialSuccess":{"rejectedSpans":2}}"#])
    func `spans that the collector rejects count as dropped`(answer: String) async throws {
        let stage = try Stage(seconds: 5, spans: 3) { _ in .reply(200, answer) }
        await stage.exporter.send()
        #expect(stage.buffer.counts == .init(sent: 1, dropped: 2))
        await stage.close()
    }

    @Test func `what is left goes out at the end, once`() async throws {
        let stage = try Stage(seconds: 0, spans: 5) { _ in .reply(200, "{}") }
        await stage.exporter.close(within: .seconds(10))
        #expect(stage.batches == [5] && stage.buffer.counts == .init(sent: 5, dropped: 0))
        stage.collector.stop()
        let away = try Stage(seconds: 0, spans: 5) { _ in .drop }
        await away.exporter.close(within: .seconds(10))
        #expect(away.collector.requests.count == 1 && away.buffer.counts == .init(sent: 0, dropped: 5))
        away.collector.stop()
    }

    @Test func `a collector that does not answer does not hold up the end`() async throws {
        let stage = try Stage(seconds: 0, spans: 5) { _ in .stall("HTTP/1.1 200 OK\r\n") }
        let began = ContinuousClock.now
        await stage.exporter.close(within: .milliseconds(50))
        #expect(ContinuousClock.now - began < .seconds(5) && stage.buffer.counts.dropped == 5)
        stage.collector.stop()
    }
}

/// The settings of the exporter.
@Suite struct TraceExportSettings {
    @Test func `addresses are those of HTTP`() throws {
        for (text, address) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318"),
            ("https://otel.example.org/a/", "https://otel.example.org:443/a"),
        ] {
            #expect(try TraceExport(endpoint: text, headers: [], service: "x").upstream.baseURL == address)
        }
        for text in ["", "localhost:4317", "grpc://x", "http://u:p@x:1", "http://x?key=1", "http://x:99999"] {
            #expect(throws: TraceExport.Fault.self, "\(text)") {
                try TraceExport(endpoint: text, headers: [], service: "x")
            }
        }
    }

    @Test func `headers are percent-encoded pairs`() throws {
        let headers = try TraceExport.headers(" authorization = Bearer%20a%3Db, x-scope=1=2 ,")
        #expect(headers.map(\.name) == ["authorization", "x-scope"] && headers.map(\.value) == ["Bearer a=b", "1=2"])
        #expect(try TraceExport.headers("").isEmpty)
        for text in ["a", "=b", "a b=c", "a=%0d%0ax: y", "content-type=x", "Host=x", "é=1"] {
            #expect(throws: TraceExport.Fault.self, "\(text)") { try TraceExport.headers(text) }
        }
    }
}
