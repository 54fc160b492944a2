import FakeOllama
import Foundation
import GatewayTestSupport
import Inference
import Logging
import TestSupport
import Testing

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Search
@testable import Server

/// The server's log: what stands in it, and what becomes of it when nobody takes it.
@Suite(.serialized) struct ServerLog {
    /// A pipe whose reader is the test.
    private struct Channel {
        let pipe = Pipe()
        var input: Int32 { pipe.fileHandleForWriting.fileDescriptor }

        /// Everything that was written, once the writing end is closed.
        func readAll() async throws -> String {
            try pipe.fileHandleForWriting.close()
            let handle = pipe.fileHandleForReading
            return await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(returning: String(decoding: handle.readDataToEndOfFile(), as: UTF8.self))
                }
            }
        }
    }

    @Test func `a line in JSON is one object whatever is logged`() async throws {
        let channel = Channel()
        let output = LogOutput(descriptor: channel.input, format: .json, level: .info)
        var logger = output.logger()
        logger[metadataKey: "request_id"] = "a\"b\\c\nd\u{1}潮"
        logger.info(
            "two\nlines", metadata: ["status": .stringConvertible(200), "level": "own", "list": ["a", ["b": "c"]]])
        logger.debug("not this one")
        output.level = .debug
        logger.debug("but this one")
        await output.flush(within: .seconds(5))
        let lines = try await channel.readAll().split(separator: "\n")
        #expect(lines.count == 2)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
        #expect(object["message"] as? String == "two\nlines")
        #expect(object["request_id"] as? String == "a\"b\\c\nd\u{1}潮")
        #expect(object["status"] as? Int == 200)
        #expect(object["level"] as? String == "info")
        #expect(object["level_"] as? String == "own")
        #expect((object["time"] as? String)?.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil)
        #expect(lines[1].contains("but this one"))
    }

    @Test func `a line of text stays on its line`() async throws {
        let channel = Channel()
        let output = LogOutput(descriptor: channel.input, format: .text, level: .info)
        output.logger().notice("a\nb", metadata: ["path": "/x\r\nInjected: y"])
        await output.flush(within: .seconds(5))
        let text = try await channel.readAll()
        #expect(text.hasSuffix(#" notice selene: path="/x\r\nInjected: y" [GatewayTests] a\nb"# + "\n"))
    }

    @Test(arguments: [LogFormat.text, .json])
    func `no value can look like another field, turn text around or end a line`(format: LogFormat) async throws {
        let channel = Channel()
        let output = LogOutput(descriptor: channel.input, format: format, level: .info)
        let forged = "x key=adm status=200 \"\\ \u{9B}2J\u{2028}\u{202E}\u{2066}"
        struct Odd: Error { let text: String }
        output.logger().info(
            "m\u{85}\u{202E}", metadata: ["model": "\(forged)", "k k=": "\(Odd(text: forged))", "plain": "a-b/c:d,e"])
        await output.flush(within: .seconds(5))
        let text = try await channel.readAll()
        #expect(!text.unicodeScalars.dropLast().contains(where: ControlScalar.contains), "\(text.debugDescription)")
        if format == .json {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect(object["model"] as? String == forged)
        } else {
            #expect(
                text.contains(
                    #" model="x key=adm status=200 \"\\ \u009b2J\u2028\u202e\u2066" plain=a-b/c:d,e [GatewayTests]"#))
            #expect(text.contains(#" "k k="="Odd(text: "#))
        }
    }

    @Test(.slow, .timeLimit(.minutes(2))) func `a reader that stalls costs lines, and is told how many; nobody waits`()
        async throws
    {
        let channel = Channel()
        let output = LogOutput(descriptor: channel.input, format: .json, level: .info)
        let logger = output.logger()
        let long = String(repeating: "x", count: 1000)
        for number in 0..<3000 { logger.info("\(long)", metadata: ["n": .stringConvertible(number)]) }
        let dropped = output.droppedLines
        #expect(dropped > 1000)
        let reading = Task { try await channel.pipe.fileHandleForReading.lines(3001 - dropped) }
        await output.flush(within: .seconds(10))
        logger.info("after")
        await output.flush(within: .seconds(10))
        let lines = try await reading.value
        #expect(output.droppedLines == dropped)
        let objects = try lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(objects.contains { $0["lines"] as? Int == dropped })
        try channel.pipe.fileHandleForWriting.close()
    }

    @Test func `a full disk and a reader that is gone cost lines and nothing else`() async throws {
        if FileManager.default.fileExists(atPath: "/dev/full") {
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let output = LogOutput(descriptor: full.fileDescriptor, format: .text, level: .info)
            for _ in 0..<10 { output.logger().info("x") }
            await output.flush(within: .seconds(5))
            #expect(output.droppedLines == 10)
        }
        let channel = Channel()
        try channel.pipe.fileHandleForReading.close()
        let output = LogOutput(descriptor: channel.input, format: .text, level: .info)
        for _ in 0..<10 { output.logger().info("x") }
        await output.flush(within: .seconds(5))
        #expect(output.droppedLines == 10)
    }

    @Test func `a configuration that is printed shows no secret`() throws {
        let configuration = try GatewayConfiguration.load(flags: ["api_token": "a-secret-token"], environment: [:])
        #expect(!"\(configuration) \(String(reflecting: configuration)) \([configuration])".contains("a-secret-token"))
    }

    @Test(.slow, arguments: ["/dev/full", "stalled"])
    func `a server goes on answering when its log goes nowhere`(sink: String) async throws {
        guard sink != "/dev/full" || FileManager.default.fileExists(atPath: sink) else { return }
        try await FakeOllama.withServer { fake in
            let stalled = Pipe()
            let log =
                try sink == "stalled" ? stalled.fileHandleForWriting : #require(FileHandle(forWritingAtPath: sink))
            try await ServeProcess.with(["OLLAMA_HOST": fake.baseURL, "SELENE_LOG_FORMAT": "json"], log: log) {
                server in
                // More than a pipe and the buffer hold together.
                let path = "/api/" + String(repeating: "x", count: 7000)
                for _ in 0..<250 { #expect(try await server.request("GET", path).status == 404) }
                let metrics = try PrometheusReader(try await server.request("GET", "/metrics").text)
                #expect(metrics["selene_log_lines_dropped_total"] > 0)
                #expect(try await server.request("GET", "/api/version").status == 200)
            }
        }
    }

    @Test(.slow) func `prompts, bodies and keys are in the log only when that is asked for`() async throws {
        try await FakeOllama.withServer { fake in
            for asked in [false, true] {
                let home = try SeleneHome()
                let file = home.url.appending(path: "log")
                try Data().write(to: file)
                let environment = [
                    "OLLAMA_HOST": fake.baseURL, "SELENE_LOG_FORMAT": "json", "SELENE_LOG_LEVEL": "trace",
                    "SELENE_LOG_PROMPTS": asked ? "on" : "off", "SELENE_API_TOKEN": "token-that-is-secret",
                ]
                let log = try FileHandle(forWritingTo: file)
                try await ServeProcess.with(environment, home: home, log: log) { server in
                    let secret = [(name: "Authorization", value: "Bearer token-that-is-secret")]
                    for (path, body) in [
                        ("/api/chat", #"{"model":"llama3.2","messages":[{"role":"user","content":"PLUM"}]}"#),
                        ("/api/llm/generate", #"{"prompt":"PLUM"}"#), ("/api/llm/embed", #"{"text":"PLUM"}"#),
                    ] {
                        let reply = try await server.request("POST", path, body, headers: secret)
                        #expect(reply.status == 200)
                    }
                }
                let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                let objects = try lines.map { line in
                    try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
                }
                #expect(lines.count { $0.contains("PLUM") } == (asked ? 3 : 0))
                #expect(!lines.contains { $0.contains("token-that-is-secret") })
                let requests = objects.filter { $0["message"] as? String == "request" }
                #expect(requests.count == 3)
                for request in requests {
                    #expect(request["status"] as? Int == 200)
                    #expect(request["ms"] is Double || request["ms"] is Int)
                    #expect(request["key"] as? String == "token")
                    #expect(request["bytes"] as? Int ?? 0 > 0)
                    #expect((request["request_id"] as? String)?.isEmpty == false)
                    #expect(request["route"] as? String == request["path"] as? String)
                }
                #expect(requests.contains { $0["model"] as? String == "llama3.2" })
            }
        }
    }
}

extension FileHandle {
    /// So many lines, read on a thread of their own.
    fileprivate func lines(_ count: Int) async throws -> [String] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var bytes = Data()
                while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < count {
                    let more = self.availableData
                    if more.isEmpty { break }
                    bytes += more
                }
                let text = String(decoding: bytes, as: UTF8.self)
                continuation.resume(returning: text.split(separator: "\n").map(String.init))
            }
        }
    }
}
