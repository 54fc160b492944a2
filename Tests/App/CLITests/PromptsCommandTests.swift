import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import TestSupport
import Testing

/// `selene prompts` as a process, against a gateway on a socket.
@Suite(.serialized) struct PromptsCommands {
    private func with(
        _ script: [FakeOllama.Script.Line] = [], _ body: (ConnectedClient) async throws -> Void
    ) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script(script)
        try await ConnectedClient.with(options, settings: ["backfill": "off"]) { setting in
            _ = try await setting.data.createNote(
                NewNote(title: "spring tide", content: "The greatest range comes after full moon."))
            try await body(setting)
        }
    }

    private func prompts(
        _ arguments: [String], _ setting: ConnectedClient, input: String? = nil
    ) async throws -> ClientProcess.Outcome {
        try await ClientProcess.run(["prompts"] + arguments, setting, input: input)
    }

    @Test(.slow) func `prompts are listed, shown, edited, compared and removed`() async throws {
        try await with { setting in
            let list = try await prompts(["--kind", "creative"], setting)
            #expect(list.status == 0 && list.output.hasPrefix("creative\n  essay-plan"), "\(list.errors)")
            let json = try await prompts(["list", "--json", "--query", "contradict"], setting)
            let found = try JSONDecoder().decode(PromptsResponse.self, from: Data(json.output.utf8))
            #expect(found.prompts.contains { $0.id == "contradictions" })
            let shown = try await prompts(["show", "last-time"], setting)
            #expect(shown.output.hasPrefix("---\nid: last-time\n") && shown.output.contains("{{what}}"))

            let edited = try await prompts(["edit", "last-time"], setting, input: "When did {{what}}?\n")
            #expect(edited.status == 0 && edited.output.contains("last-time has version 1 now"), "\(edited.errors)")
            let same = try await prompts(["edit", "last-time", "--file", "-"], setting, input: "When did {{what}}?")
            #expect(same.output == "last-time is unchanged\n", "\(same.errors)")
            let whole = try await prompts(["show", "last-time"], setting)
            let again = try await prompts(
                ["edit", "last-time", "--json"], setting,
                input: whole.output.replacing("When did", with: "On what day did"))
            let second = try JSONDecoder().decode(Prompt.self, from: Data(again.output.utf8))
            #expect(second.number == 2 && second.variables.first?.defaultValue == "I went swimming")
            let diff = try await prompts(["diff", "last-time"], setting)
            #expect(
                diff.output.hasPrefix("--- last-time 1 ") && diff.output.contains("\n- When did {{what}}?\n+ On what"))
            let history = try await prompts(["history", "last-time"], setting)
            #expect(history.output.split(separator: "\n").map { $0.prefix(1) } == ["2", "1", "0"])
            let first = try await prompts(["show", "last-time", "--at", "0"], setting)
            #expect(first.output == shown.output)
            let back = try await prompts(["remove", "last-time"], setting)
            #expect(back.output == "last-time is as it comes with the gateway\n")

            let made = try await prompts(
                ["edit", "about", "--title", "About"], setting, input: "What of {{topic}}?")
            #expect(made.status == 0)
            #expect(try await prompts(["list"], setting).output.contains("about"))
            #expect(try await prompts(["remove", "about", "--json"], setting).output.contains("\"deleted\""))
        }
    }

    @Test func `an editor on a terminal changes a prompt`() async throws {
        try await with { setting in
            let process = ClientProcess.process(
                ["prompts", "edit", "last-time"], setting, ["VISUAL": "sed -i.bak s/swimming/sailing/"])
            let (running, screen) = try Screen.start(process)
            #expect(await screen.shows("last-time has version 1 now"))
            #expect(await eventually { !running.isRunning })
            let stored = try await RemotePromptService(try setting.connection()).prompt("last-time")
            #expect(stored.variables.first?.defaultValue == "I went sailing")
            let (failed, after) = try Screen.start(
                ClientProcess.process(["prompts", "edit", "last-time"], setting, ["VISUAL": "false"]))
            #expect(await after.shows("false ended with status 1; the text is in"))
            #expect(await eventually { !failed.isRunning })
            #expect(failed.terminationStatus == 64)
        }
    }

    @Test(.slow) func `a prompt is run as a chat, with its kind and scope`() async throws {
        try await with([
            .text("The greatest range comes after full moon [1]."), .text("Yes [1]."),
        ]) { setting in
            let run = try await prompts(["run", "last-time", "--var", "what=the moon was full"], setting)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.output.hasPrefix("The greatest range comes after full moon [1].\n[1] spring tide"))
            #expect(run.output.contains("supported"))
            #expect(setting.fake.statistics.lastBody.contains("When was the last time that the moon was full?"))
            let json = try await prompts(
                ["run", "week-in-review", "--var", "days=3", "--json", "--model", "gemma3:270m", "--no-tools"], setting)
            let last = try #require(json.output.split(separator: "\n").last)
            let whole =
                try #require(
                    try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any])["run"] as? [String: Any]
            #expect(whole?["kind"] as? String == "synthesis" && whole?["model"] as? String == "gemma3:270m")
            let scope = (whole?["scope"] as? [String: Any])?["timeScope"] as? [String: Any]
            #expect(scope?["days"] as? Double == 3)
            let rendered = try await prompts(["run", "bridge", "--var", "first=bread", "--render"], setting)
            #expect(rendered.output.hasPrefix("How are bread and music connected"))
        }
    }

    @Test(.slow) func `wrong usage and wrong prompts have their exit codes`() async throws {
        try await with { setting in
            for wrong in [
                ["run"], ["run", "bridge", "--var", "x"], ["edit", "Big Id"], ["list", "--kind", "odd"],
                ["edit", "p", "--file", "/nowhere"],
            ] {
                #expect(try await prompts(wrong, setting).status == 64, "\(wrong)")
            }
            let missing = try await prompts(["run", "none"], setting)
            #expect(missing.status == 1 && missing.errors.contains("there is no prompt \"none\""))
            let variable = try await prompts(["run", "bridge", "--var", "third=x"], setting)
            #expect(variable.status == 1 && variable.errors.contains("values.third"))
            let partial = try await prompts(["edit", "p"], setting, input: "{{> x}}")
            #expect(partial.status == 1 && partial.errors.contains("is not allowed"))
            let front = try await prompts(
                ["edit", "p"], setting, input: "---\nid: q\ntitle: Q\nkind: specific\n---\nx")
            #expect(front.status == 64 && front.errors.contains("expected \"p\""))
        }
    }
}
