import Evaluation
import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import TestSupport
import Testing

/// `selene playground` and `selene eval chat` as processes, against a gateway whose model follows a script.
@Suite(.serialized) struct Playground {
    private static let claim = "The greatest range comes after full moon"

    private func with(
        _ script: [FakeOllama.Script.Line], _ body: (ConnectedClient, TemporaryFolder) async throws -> Void
    ) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script(script)
        try await ConnectedClient.with(options, settings: ["backfill": "off"]) { setting in
            _ = try await setting.data.createNote(NewNote(title: "spring tide", content: Self.claim + "."))
            try await body(setting, try TemporaryFolder())
        }
    }

    @Test func `a script of prompts, tools and commands works without a terminal`() async throws {
        try await with([.text(Self.claim + " [1]."), .text("Cheese [7]."), .text("Second.")]) { setting, _ in
            let lines = """
                /prompts specific
                /tools find_text
                /tool find_text text="full moon"
                /tool find_text {"text": "x", "limit": 99}
                /tool none
                When is\\
                the range greatest?
                /cite 1
                /use last-time what="full moon"
                /history
                /model gemma3:270m
                /again 2
                /again 9
                /kind odd
                /private
                /talk
                /odd
                /clear
                /history
                /use
                /show bridge
                /quit
                never reached
                """
            let run = try await ClientProcess.run(["playground"], setting, input: lines)
            #expect(run.status == 0, "\(run.errors)")
            for expected in [
                "specific\n  ask", "  text  string, required", "find_text {\"limit\":5,\"text\":\"full moon\"}",
                "[1] spring tide", "> When is the range greatest?\n\(Self.claim) [1].", "1 of 1 claims supported",
                "    »\(Self.claim)", "When was the last time that full moon?", "1 invented",
                "1  find_text {\"text\":\"full moon\"}",
                "2  own · llama3.2", "3  last-time · llama3.2", "model gemma3:270m", "Second.", "expected 1 to 4",
                "there is no kind odd here", "private notes are left out", "prompts follow each other",
                "unknown command /odd", "cleared", "the history is empty", "expected the id of a prompt", "id: bridge",
            ] {
                #expect(run.output.contains(expected), "\(expected)\n\(run.output)")
            }
            #expect(run.errors.contains("from 1 to 20") && run.errors.contains("There is no tool \"none\""))
            #expect(!run.output.contains("never reached"))
        }
    }

    @Test func `on a terminal Ctrl-C stops an answer, and a second one exits`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 20
        options.tokens = 100_000
        try await ConnectedClient.with(options, settings: ["backfill": "off"]) { setting in
            let (process, screen) = try Screen.start(ClientProcess.process(["playground"], setting))
            #expect(await screen.shows("the gateway's model · /help"))
            screen.type("what of\\\nthe sea?\n")
            #expect(await screen.shows("… "))
            #expect(await setting.fake.waitUntil { $0.bytesWritten > 0 && $0.requests["/api/chat"] == 1 })
            kill(process.processIdentifier, SIGINT)
            #expect(await setting.fake.waitUntil { $0.cancelled == 1 })
            #expect(await screen.shows("…stopped"))
            screen.type("/history\n")
            #expect(await screen.shows("1  own · llama3.2  “what of the sea?”"))
            kill(process.processIdentifier, SIGINT)
            #expect(await screen.shows("(Ctrl-C again to exit)"))
            kill(process.processIdentifier, SIGINT)
            #expect(await eventually { !process.isRunning })
            #expect(process.terminationStatus == 130)
        }
    }

    @Test(.slow) func `a benchmark measures, stores and compares, and cleans up`() async throws {
        let good = FakeOllama.Script.Line.text(Self.claim + " [1].")
        let script: [FakeOllama.Script.Line] = [
            good, good, .call("find_text", #"{"text":"moon"}"#), good, .call("find_txt", "{}"), .text("Cheese [9]."),
            good,
        ]
        try await with(script) { setting, folder in
            try Data("When is the range greatest?\n\n".utf8).write(to: folder.url.appending(path: "q.txt"))
            let html = folder.path("bench.html")
            let bench = try await ClientProcess.run(
                [
                    "playground", "bench", folder.path("q.txt"), "--models", "llama3.2,gemma3:270m", "--runs", "2",
                    "--no-warm-up", "--json", "--html", html, "--name", "first",
                ], setting)
            #expect(bench.status == 0, "\(bench.errors)")
            let report = try BenchReport(json: Data(bench.output.utf8))
            #expect(report.models.map(\.model) == ["llama3.2", "gemma3:270m"] && report.samples.count == 4)
            let (plain, tools) = (report.models[0], report.models[1])
            #expect(plain.supported == 1 && plain.callsTools == 0 && plain.invents == 0 && plain.firstToken?.count == 2)
            #expect(tools.callsTools == 1 && tools.validCalls == 0.5 && tools.invents == 0.5 && tools.cites == 0.5)
            #expect(try String(contentsOfFile: html, encoding: .utf8).contains("Milliseconds to the first token"))
            #expect(bench.errors.contains("stored: selene playground show 1"))
            #expect(try await setting.data.sessions(.first).sessions.isEmpty)

            let second = try await ClientProcess.run(
                ["playground", "bench", "last-time", "--runs", "1", "--no-warm-up", "--keep"], setting)
            #expect(second.status == 0 && second.output.hasPrefix("last-time: 1 prompt, 1 model, 1 run each"))
            #expect(try await setting.data.sessions(.first).sessions.count == 1)
            let list = try await ClientProcess.run(["playground", "list"], setting)
            #expect(list.output.hasPrefix("2  ") && list.output.contains("first"))
            let shown = try await ClientProcess.run(["playground", "show", "1", "--json"], setting)
            #expect(try BenchReport(json: Data(shown.output.utf8)) == report)
            try Data(bench.output.utf8).write(to: folder.url.appending(path: "one.json"))
            let compared = try await ClientProcess.run(
                ["playground", "compare", folder.path("one.json"), "2"], setting)
            #expect(compared.output.hasPrefix("A: first\nB: last-time\n"))
            #expect(compared.output.contains("gemma3:270m  supported"))
            #expect(try await ClientProcess.run(["playground", "remove", "1"], setting).status == 0)
            #expect(try await ClientProcess.run(["playground", "show", "1"], setting).status == 1)
            for (wrong, status) in [
                (["bench"], Int32(64)), (["bench", "last-time", "--runs", "0"], 64), (["bench", "none"], 1),
                (["bench", "last-time", "--var", "zzz=1"], 64), (["show", "/nowhere"], 65),
                (["bench", "last-time", "--models", "absent", "--no-warm-up"], 1),
            ] {
                #expect(try await ClientProcess.run(["playground"] + wrong, setting).status == status, "\(wrong)")
            }
        }
    }

    private static let questions = """
        {"id": "tide", "question": "When is the range greatest?", "words": ["Full Moon"], "notes": ["Spring tide", 99]}
        {"id": "shoe", "question": "What is my shoe size?", "unanswerable": true}
        {"id": "bread", "question": "How wet is the dough?", "words": ["80%"]}
        """

    @Test(.slow) func `a file of questions is judged, with gates`() async throws {
        let answers: [FakeOllama.Script.Line] = [
            .text(Self.claim + " [1]."), .text("The notes do not say."), .text("The notes do not mention it."),
        ]
        try await with(answers + answers) { setting, folder in
            let file = folder.path("q.jsonl")
            try Data(Self.questions.utf8).write(to: URL(filePath: file))
            let run = try await ClientProcess.run(
                ["eval", "chat", file, "--json", "--html", folder.path("e.html"), "--gate", "support>=0.9"], setting)
            #expect(run.status == 0, "\(run.errors)")
            let report = try ChatEvaluation(json: Data(run.output.utf8))
            #expect(report.answers.map(\.outcome) == [.answered, .refused, .wronglyRefused])
            let figures = try #require(report.models.first).figures
            #expect(figures[.notes] == 0.5 && figures[.refused] == 1 && figures[.wronglyRefused] == 0.5)
            #expect(figures[.firstToken95] != nil && figures[.words] == 0.5)
            #expect(try String(contentsOfFile: folder.path("e.html"), encoding: .utf8).contains("wrongly refused"))
            #expect(try await setting.data.sessions(.first).sessions.isEmpty)
            let missed = try await ClientProcess.run(
                ["eval", "chat", file, "--gate", "llama3.2.wrongly_refused<=0.1", "--gate", "notes>=0.1"], setting)
            #expect(missed.status == 2 && missed.errors.contains("gate missed: llama3.2.wrongly_refused<=0.1"))
            #expect(missed.output.contains("llama3.2  bread  wrongly refused"))
            try Data("{}".utf8).write(to: URL(filePath: file))
            #expect(try await ClientProcess.run(["eval", "chat", file], setting).status == 65)
            #expect(try await ClientProcess.run(["eval", "chat", file, "--limit", "0"], setting).status == 64)
        }
    }

    @Test func `a signal leaves a partial report that says so, and no answer goes on`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 20
        options.tokens = 100_000
        options.script = FakeOllama.Script([.text("The notes do not say.")])
        try await ConnectedClient.with(options, settings: ["backfill": "off"]) { setting in
            let folder = try TemporaryFolder()
            let file = folder.path("q.jsonl")
            try Data(Self.questions.utf8).write(to: URL(filePath: file))
            let process = ClientProcess.process(["eval", "chat", file, "--json", "--no-tools"], setting)
            let (output, errors) = (Pipe(), Pipe())
            process.standardOutput = output
            process.standardError = errors
            process.standardInput = FileHandle.nullDevice
            try process.run()
            let isSecond = await setting.fake.waitUntil {
                ($0.requests["/api/chat"] ?? 0) == 2 && $0.bytesWritten > 400
            }
            #expect(isSecond)
            kill(process.processIdentifier, SIGINT)
            #expect(await setting.fake.waitUntil { $0.cancelled == 1 })
            #expect(await eventually { !process.isRunning })
            #expect(process.terminationStatus == 130)
            let report = try ChatEvaluation(json: output.fileHandleForReading.readToEnd() ?? Data())
            #expect(report.isPartial && report.answers.count == 1 && report.planned == 3)
            #expect(try await setting.data.sessions(.first).sessions.isEmpty)
        }
    }
}
