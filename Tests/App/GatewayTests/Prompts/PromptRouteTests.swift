import Foundation
import GatewayAPI
import GatewayTestSupport
import PromptRoom
import Storage
import TestSupport
import Testing

/// `/api/prompts`: the library, own prompts and their history.
@Suite(.serialized) struct PromptRoutes {
    private func prompt(_ reply: LiveGateway.Reply) throws -> Prompt {
        try JSONDecoder().decode(Prompt.self, from: reply.data)
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `the library is listed by kind, found by its words and read with its text`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let all = try await gateway.done("GET", "/api/prompts").objects("prompts")
            #expect(all.count >= 24 && all.allSatisfy { $0["text"] == nil && $0["origin"] as? String == "curated" })
            let kinds = all.compactMap { $0["kind"] as? String }
            #expect(Set(kinds).count == 5 && kinds.first == "reflective" && kinds.last == "creative")
            let creative = try await gateway.done("GET", "/api/prompts?kind=creative").objects("prompts")
            #expect(creative.count == kinds.count { $0 == "creative" })
            let found = try await gateway.done("GET", "/api/prompts?q=CONTRADICT&kind=analytical").objects("prompts")
            #expect(found.compactMap { $0["id"] as? String } == ["contradictions"])
            let one = try prompt(try await gateway.done("GET", "/api/prompts/week-in-review"))
            #expect(one.text?.contains("{{days}}") == true && one.number == 0 && one.version.count == 12)
            #expect(one.variables.map(\.name) == ["days", "thread"] && one.chat == "synthesis" && one.updatedAt == nil)
            try await gateway.done("GET", "/api/prompts?kind=odd", nil, 400)
            try await gateway.done("GET", "/api/prompts/none", nil, 404)
            try await gateway.done("GET", "/api/prompts/none/versions", nil, 404)
            try await gateway.done("GET", "/api/prompts/none/diff", nil, 404)
            try await gateway.done("POST", "/api/prompts/none/render", "{}", 404)
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `an own prompt keeps every version, and can be compared, reread and deleted`(_ place: NotesPlace) async throws
    {
        try await LiveGateway.with(notesIn: place) { gateway in
            let first = try prompt(
                try await gateway.done(
                    "PUT", "/api/prompts/moon",
                    #"{"title":"Moon","kind":"specific","text":"What of {{topic}}?\r\n","purpose":"p"}"#, 201))
            #expect(first.origin == .own && first.number == 1 && first.text == "What of {{topic}}?")
            #expect(first.variables == [PromptVariable(name: "topic")])
            let same = try prompt(
                try await gateway.done(
                    "PUT", "/api/prompts/moon",
                    #"{"title":"Moon","kind":"specific","text":"What of {{topic}}?","purpose":"p"}"#))
            #expect(same == first)
            let second = try prompt(
                try await gateway.done(
                    "PUT", "/api/prompts/moon",
                    """
                    {"title":"Moon","kind":"specific","text":"What of {{topic}}?\\nSay when.","base":"\(first.version)",
                     "variables":[{"name":"topic","default":"the tide"}]}
                    """))
            #expect(second.number == 2 && second.version != first.version)
            let late = try await gateway.request(
                "PUT", "/api/prompts/moon",
                #"{"title":"M","kind":"specific","text":"x","base":"\#(first.version)"}"#)
            #expect(late.status == 409 && late.code == "conflict")

            let versions = try await gateway.done("GET", "/api/prompts/moon/versions").objects("versions")
            #expect(versions.compactMap { $0["number"] as? Int } == [2, 1])
            let old = try prompt(try await gateway.done("GET", "/api/prompts/moon?version=1"))
            #expect(old == first)
            let byHash = try prompt(
                try await gateway.done("GET", "/api/prompts/moon?version=\(first.version.prefix(8))"))
            #expect(byHash == first)
            try await gateway.done("GET", "/api/prompts/moon?version=9", nil, 404)
            let diff = try JSONDecoder().decode(
                PromptDiff.self, from: try await gateway.done("GET", "/api/prompts/moon/diff").data)
            #expect(diff.from.number == 1 && diff.to.number == 2)
            let changed = diff.lines.filter { $0.change != .same }.map { "\($0.change.rawValue) \($0.text)" }
            #expect(
                changed == [
                    "removed for: p", "removed variable: topic = ", "added variable: topic = the tide",
                    "added Say when.",
                ], "\(changed)")
            #expect(try await gateway.done("DELETE", "/api/prompts/moon").object["status"] as? String == "deleted")
            try await gateway.done("GET", "/api/prompts/moon", nil, 404)
            try await gateway.done("DELETE", "/api/prompts/moon", nil, 404)
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `an edit of a curated prompt replaces it until it is deleted`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let original = try prompt(try await gateway.done("GET", "/api/prompts/last-time"))
            let edited = try prompt(
                try await gateway.done(
                    "PUT", "/api/prompts/last-time",
                    #"{"title":"Last","kind":"specific","text":"When {{what}}?","base":"\#(original.version)"}"#))
            #expect(edited.origin == .edited && edited.number == 1)
            #expect(edited.variables == original.variables)
            let listed = try await gateway.done("GET", "/api/prompts?kind=specific").objects("prompts")
            #expect(listed.count { $0["id"] as? String == "last-time" } == 1)
            let versions = try await gateway.done("GET", "/api/prompts/last-time/versions").objects("versions")
            #expect(versions.compactMap { $0["number"] as? Int } == [1, 0])
            let diff = try await gateway.done("GET", "/api/prompts/last-time/diff?from=1&to=0").object
            #expect((diff["to"] as? [String: Any])?["version"] as? String == original.version)
            #expect(
                try await gateway.done("DELETE", "/api/prompts/last-time").object["status"] as? String == "restored")
            #expect(try prompt(try await gateway.done("GET", "/api/prompts/last-time")) == original)
            try await gateway.done("DELETE", "/api/prompts/last-time", nil, 409)
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `a rendered prompt is what a run takes`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let reply = try await gateway.done(
                "POST", "/api/prompts/week-in-review/render", #"{"values":{"days":"3","thread":" Tide  gauge "}}"#)
            let rendered = try JSONDecoder().decode(RenderedPrompt.self, from: reply.data)
            #expect(rendered.text.contains("last 3 days") && rendered.chat == "synthesis")
            #expect(rendered.scope?.timeScope?.days == 3 && rendered.scope?.thread?.values == ["Tide gauge"])
            #expect(rendered.scope?.tag == nil)
            let plain = try await gateway.done("POST", "/api/prompts/last-time/render")
            #expect(plain.object["scope"] == nil)
            for (values, field) in [
                (#"{"days":"many"}"#, "values.days"), (#"{"other":"1"}"#, "values.other"),
                (#"{"days":7}"#, "values.days"),
            ] {
                let wrong = try await gateway.post("/api/prompts/week-in-review/render", #"{"values":\#(values)}"#)
                #expect(wrong.status == 400 && wrong.error.contains(field), "\(wrong.text)")
            }
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `what is no prompt is refused with its field`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            for (id, body, field) in [
                ("p", #"{"kind":"specific","text":"x"}"#, "title"),
                ("p", #"{"title":"","kind":"specific","text":"x"}"#, "title"),
                ("p", #"{"title":"a\nb","kind":"specific","text":"x"}"#, "title"),
                ("p", #"{"title":"P","kind":"odd","text":"x"}"#, "kind"),
                ("p", #"{"title":"P","kind":"specific","text":" "}"#, "text"),
                ("p", #"{"title":"P","kind":"specific","text":"{{> x}}"}"#, "text"),
                ("p", #"{"title":"P","kind":"specific","text":"x","chat":"odd"}"#, "chat"),
                ("p", #"{"title":"P","kind":"specific","text":"{{a}}","variables":[]}"#, "text"),
                ("p", #"{"title":"P","kind":"specific","text":"x","variables":[{"name":"A"}]}"#, "variables"),
                ("P!", #"{"title":"P","kind":"specific","text":"x"}"#, "id"),
            ] {
                let reply = try await gateway.request("PUT", "/api/prompts/\(id)", body)
                #expect(reply.status == 400 && reply.error.contains("\"\(field)"), "\(body): \(reply.text)")
            }
        }
    }

    @Test(.slow, arguments: NotesPlace.allCases)
    func `the history of a prompt is bounded, and so are stored benchmarks`(_ place: NotesPlace) async throws {
        try await LiveGateway.with(notesIn: place) { gateway in
            let (prompts, benches) = (gateway.store.prompts, gateway.store.benches)
            for number in 1...(PromptRoom.maxVersions + 5) {
                _ = try await prompts.save("p", document: "d\(number)", hash: "h\(number)", base: nil, original: nil)
            }
            let versions = try await prompts.versions(of: "p")
            #expect(versions.count == PromptRoom.maxVersions && versions.first?.document == "d105")
            for number in 1...(BenchRoom.maxRuns + 3) {
                _ = try await benches.add(NewBenchRun(name: "b\(number)", report: .object([:])))
            }
            let runs = try await gateway.done("GET", "/api/bench").objects("runs")
            #expect(runs.count == BenchRoom.maxRuns && runs.first?["name"] as? String == "b103")
            let big = String(repeating: "x", count: BenchRoom.maxReportBytes)
            let refused = try await gateway.post("/api/bench", #"{"name":"big","report":{"a":"\#(big)"}}"#)
            #expect(refused.status == 400)
            try await gateway.done("POST", "/api/bench", #"{"name":"x","report":[]}"#, 400)
            let kept = try await gateway.done("POST", "/api/bench", #"{"name":"x","report":{"a":[1,2.5,null]}}"#, 201)
            let id = try #require(kept.object["id"] as? Int)
            let read = try await gateway.done("GET", "/api/bench/\(id)")
            #expect(read.text.contains(#""report":{"a":[1,2.5,null]}"#))
            try await gateway.done("DELETE", "/api/bench/\(id)")
            try await gateway.done("GET", "/api/bench/\(id)", nil, 404)
        }
    }
}
