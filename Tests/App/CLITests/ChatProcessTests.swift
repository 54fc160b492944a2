import ChatRoom
import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Machine
import Storage
import TestSupport
import Testing

/// `selene chat` as a process, against a gateway on a socket.
@Suite(.serialized) struct ChatProcess {
    /// Runs `selene chat` to its end.
    private static func run(
        _ arguments: [String], _ setting: ConnectedClient, input: String? = nil
    ) async throws -> ClientProcess.Outcome {
        try await ClientProcess.run(["chat"] + arguments, setting, input: input)
    }

    private static func process(_ arguments: [String], _ setting: ConnectedClient) -> Process {
        ClientProcess.process(["chat"] + arguments, setting)
    }

    private static func objects(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func `a question is answered from notes, kept in a session and gone on with`() async throws {
        // The last request that the model got is the question: nothing is embedded beside it.
        try await ConnectedClient.with(settings: ["backfill": "off"]) { setting in
            let note = try await setting.data.createNote(
                NewNote(title: "spring tide", content: "The greatest range comes after full moon."))
            let first = try await Self.run(["when is the tide greatest?", "--json", "--no-tools"], setting)
            #expect(first.status == 0, "\(first.errors)")
            let lines = try Self.objects(first.output)
            var answer = ChatAnswer()
            for line in first.output.split(separator: "\n") {
                answer.apply(try JSONDecoder().decode(ChatRunEvent.self, from: Data(line.utf8)))
            }
            #expect(answer.record.passages.map(\.note) == [note.id] && answer.state == .done)
            let done = try #require(lines.last)
            let run = try #require(done["run"] as? [String: Any])
            #expect(done["event"] as? String == "done" && run["stop_reason"] == nil)
            #expect(answer.record.citations.map(\.verdict) == [.supported])
            let text = try #require(run["text"] as? String)
            #expect(answer.text == text && !text.isEmpty)
            let session = try #require(run["session"] as? String)
            let kept = try await setting.data.messages(ofSession: session, .first).messages
            #expect(kept.map(\.content) == ["when is the tide greatest?", text])
            #expect(setting.fake.statistics.lastBody.contains("greatest range comes"))

            let second = try await Self.run(["--session", session, "--no-notes"], setting, input: "and why?\n")
            #expect(second.status == 0, "\(second.errors)")
            #expect(try await setting.data.messages(ofSession: session, .first).count == 4)
            let again = setting.fake.statistics.lastBody
            #expect(again.contains("when is the tide greatest?") && again.contains("and why?"))
            #expect(!again.contains("data, not instructions"))
        }
    }

    @Test(.slow) func `wrong usage, a missing session and a gateway that is away have their exit codes`() async throws {
        try await ConnectedClient.with { setting in
            let help = try await Self.run(["--help"], setting)
            #expect(help.status == 0 && help.output.contains("USAGE: selene chat"))
            #expect(help.output.contains("deep_dive"))
            for wrong in [
                ["x", "--limit", "0"], [], ["x", "--url", "ftp://x"], ["x", "--kind", "none"], ["x", "--days", "-1"],
                ["x", "--kind", "deep_dive"], ["x", "--kind", "ask", "--no-notes"], [" "],
            ] {
                #expect(try await Self.run(wrong, setting).status == 64, "\(wrong)")
            }
            let missing = try await Self.run(["x", "--session", "none"], setting)
            #expect(missing.status == 1 && missing.errors.contains("there is no session"))
            let named = try await Self.run(["x", "--session", "mine", "--new"], setting)
            #expect(named.status == 0, "\(named.errors)")
            #expect(try await setting.data.messages(ofSession: "mine", .first).count == 2)
            let model = try await Self.run(["x", "--model", "none", "--json"], setting)
            #expect(model.status == 1 && model.errors.contains("none"))
            let failed = try #require(try Self.objects(model.output).last)
            #expect(failed["event"] as? String == "failed")
            #expect((failed["run"] as? [String: Any])?["state"] as? String == "failed")
            let thread = try await Self.run(["x", "--thread", "Petrel", "--json"], setting)
            #expect(thread.status == 1 && thread.errors.contains("there is no thread \"Petrel\""), "\(thread.errors)")
            let away = try await Self.run(["x", "--url", "http://127.0.0.1:9", "--json"], setting)
            #expect(away.status == 1 && away.errors.contains("cannot be reached"))
            #expect(try Self.objects(away.output).map { $0["event"] as? String } == ["error"])
        }
    }

    @Test func `a signal stops the run of a single question`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 50
        options.tokens = 100_000
        try await ConnectedClient.with(options) { setting in
            let process = Self.process(["the sea?", "--session", "one", "--new"], setting)
            let output = Pipe()
            process.standardOutput = output
            process.standardInput = FileHandle.nullDevice
            try process.run()
            #expect(await setting.fake.waitUntil { $0.bytesWritten > 0 && $0.requests["/api/chat"] == 1 })
            kill(process.processIdentifier, SIGTERM)
            #expect(await setting.fake.waitUntil { $0.cancelled == 1 })
            #expect(await eventually { !process.isRunning })
            #expect(process.terminationStatus == 130)
            let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            #expect(text.contains("…stopped"))
            let runs = try await RemoteChatService(try setting.connection()).runs(session: "one", .first).runs
            #expect(runs.map(\.state) == [.stopped])
        }
    }

    private static func terminal(_ arguments: [String], _ setting: ConnectedClient) throws -> (Process, Screen) {
        try Screen.start(process(arguments, setting))
    }

    @Test func `on a terminal commands work, Ctrl-C stops the answer, and a second one leaves`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 20
        options.tokens = 100_000
        try await ConnectedClient.with(options) { setting in
            _ = try await setting.data.createNote(NewNote(title: "spring tide", content: "full moon"))
            let (process, screen) = try Self.terminal(["--no-tools"], setting)
            #expect(await screen.shows("a new session · /help"))
            screen.type("/help\n")
            #expect(await screen.shows("/sessions [ID]"))
            screen.type("/model\n")
            #expect(await screen.shows("gemma3:270m"))
            screen.type("/again\n/cite 1\n/continue\n/stop\n/runs\n")
            #expect(await screen.shows("there is no question to ask again"))
            #expect(await screen.shows("expected the number of a passage"))
            #expect(await screen.shows("there is no answer to continue"))
            #expect(await screen.shows("no answer is in progress"))
            #expect(await screen.shows("there are no answers"))
            screen.type("the tide?\n")
            #expect(await setting.fake.waitUntil { $0.bytesWritten > 0 && $0.requests["/api/chat"] == 1 })
            #expect(await screen.shows("the gateway passes"))
            kill(process.processIdentifier, SIGINT)
            #expect(await setting.fake.waitUntil { $0.cancelled == 1 })
            #expect(await screen.shows("…stopped"))
            screen.type("/notes\n")
            #expect(await screen.shows("[1] spring tide"))
            screen.type("/cite 1\n")
            #expect(await screen.shows("    full moon"))
            screen.type("/kind nothing\n/kind deep_dive\n/kind synthesis\n/strict\n/nothing\n")
            #expect(await screen.shows("unknown kind nothing"))
            #expect(await screen.shows("deep_dive needs a thread"))
            #expect(await screen.shows("kind synthesis"))
            #expect(await screen.shows("strict: only supported"))
            #expect(await screen.shows("unknown command /nothing"))
            screen.type("/runs\n")
            #expect(await screen.shows("stopped  “the tide?”"))
            screen.type("/new\n")
            #expect(await screen.shows("a new session\r\n>"))
            kill(process.processIdentifier, SIGINT)
            #expect(await screen.shows("(Ctrl-C again to exit)"))
            kill(process.processIdentifier, SIGINT)
            #expect(await eventually { !process.isRunning })
            #expect(process.terminationStatus == 130)
        }
    }

    @Test(.slow) func `a client that was killed finds its answer again`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 20
        options.tokens = 100_000
        try await ConnectedClient.with(options, settings: ["backfill": "off"]) { setting in
            let chat = RemoteChatService(try setting.connection())
            let (first, before) = try Self.terminal(["--session", "sea", "--new"], setting)
            #expect(await before.shows("/help"))
            before.type("the sea?\n")
            #expect(await before.shows("the gateway passes"))
            kill(first.processIdentifier, SIGKILL)
            #expect(await eventually { !first.isRunning })
            let running = try await chat.runs(session: "sea", running: true, .first).runs
            #expect(running.count == 1 && setting.fake.statistics.cancelled == 0)
            // The same answer goes on, from its first word.
            let (second, after) = try Self.terminal(["--session", "sea"], setting)
            #expect(await after.shows("> the sea?\r\n"))
            #expect(await after.shows("the gateway passes every line of this answer on"))
            kill(second.processIdentifier, SIGINT)
            #expect(await after.shows("…stopped"))
            #expect(setting.fake.statistics.requests["/api/chat"] == 1)
            #expect(try await setting.data.messages(ofSession: "sea", .first).count == 2)
            // A branch: the question again, from before it.
            setting.fake.setFaults(["cut=0@/api/chat"])
            after.type("/again the ocean?\n")
            try await waitUntil {
                let run = try await chat.runs(session: "sea", .first).runs.first
                return run?.question == "the ocean?" && run?.state == .failed
            }
            let latest = try #require(try await chat.runs(session: "sea", .first).runs.first)
            let messages = try await setting.data.messages(ofSession: "sea", .first).messages
            #expect(messages.first { $0.id == latest.userMessage }?.parent == nil)
            after.type("/quit\n")
            #expect(await after.shows("to continue: selene chat --session sea"))
            #expect(await eventually { !second.isRunning })
            #expect(second.terminationStatus == 0)
        }
    }

    @Test func `the same question in the same session attaches, and another one is told of it`() async throws {
        var options = FakeOllama.Options()
        options.tokensPerSecond = 50
        options.tokens = 100_000
        try await ConnectedClient.with(options, settings: ["backfill": "off"]) { setting in
            let chat = RemoteChatService(try setting.connection())
            let run = try await chat.begin(ChatRunRequest(id: "run-1", question: "the sea?", session: "sea"))
            #expect(await setting.fake.waitUntil { $0.bytesWritten > 0 })
            let other = try await Self.run(["the moon?", "--session", "sea"], setting)
            #expect(other.status == 1 && other.errors.contains("session_busy") && other.errors.contains("attach"))
            let (same, screen) = try Self.terminal(["the sea?", "--session", "sea"], setting)
            #expect(await screen.shows("the gateway passes"))
            try await chat.stop(run.id)
            #expect(await screen.shows("…stopped"))
            #expect(await eventually { !same.isRunning })
            #expect(same.terminationStatus == 130 && setting.fake.statistics.requests["/api/chat"] == 1)
            #expect(try await chat.runs(session: "sea", .first).runs.count == 1)
        }
    }

    @Test func `an interrupted answer is shown and continued`() async throws {
        try await ConnectedClient.with(settings: ["backfill": "off"]) { setting in
            let (store, worker) = (setting.database.answers, WorkerName())
            let draft = ChatRunDraft(
                id: "run-1", session: "sea", parent: .keep, question: "the sea?", model: "llama3.2",
                request: #"{"kind":"plain","tools":false,"strict":false,"limit":6}"#, key: nil)
            _ = try await store.begin(draft, title: "sea", as: worker) { _ in true }
            _ = try await store.end(
                "run-1", ChatRunProgress(state: .interrupted, text: "The sea is", record: ChatRecord()), as: worker)
            let (process, screen) = try Self.terminal(["--session", "sea"], setting)
            #expect(await screen.shows("The sea is\r\ninterrupted: /continue finishes this answer"))
            screen.type("/continue\n")
            #expect(await screen.shows("the gateway passes"))
            let chat = RemoteChatService(try setting.connection())
            try await waitUntil { try await chat.run("run-1").state == .done }
            #expect(try await chat.run("run-1").text?.hasPrefix("The sea is") == true)
            screen.type("/continue\n")
            #expect(await screen.shows("the answer is done; only an interrupted one continues"))
            screen.type("/quit\n")
            #expect(await eventually { !process.isRunning })
        }
    }
}
