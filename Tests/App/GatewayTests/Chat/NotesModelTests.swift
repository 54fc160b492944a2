import FakeOllama
import Foundation
import GatewayAPI
import GatewayTestSupport
import KeyRoom
import Storage
import TestSupport
import Testing
import Transport

/// Notes, threads and books as models of Ollama's, OpenAI's and Anthropic's APIs.
@Suite(.serialized) struct NotesModelRequests {
    private static let notes = [
        NoteDraft(
            title: "spring tide", content: "The greatest range comes a day and a half after full moon.", createdAt: 1,
            threads: ["Harbour Works"]),
        NoteDraft(title: "gauge", content: "The harbour gauge was repaired in May by Anna Brandt.", createdAt: 2),
        NoteDraft(title: "secret", content: "The harbour key lies at Skagen.", createdAt: 3, tags: ["private"]),
    ]
    private static let question = "Who repaired the harbour gauge?"
    private static let answer = "The harbour gauge was repaired in May by Anna Brandt [1]."

    private func with(
        _ script: [FakeOllama.Script.Line] = [.text(answer)], in place: NotesPlace = .usual,
        settings: [String: String] = [:], _ change: (inout FakeOllama.Options) -> Void = { _ in },
        _ body: (LiveGateway) async throws -> Void
    ) async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script(script)
        change(&options)
        try await LiveGateway.with(options, notesIn: place, settings: settings) { gateway in
            try await gateway.create(Self.notes)
            try await body(gateway)
        }
    }

    /// A request with a conversation, whose last message is the question.
    private static func body(
        _ model: String = "notes", _ messages: [String] = [question], _ more: [String: Any] = [:]
    ) throws -> String {
        let list = messages.enumerated().map { ["role": $0 % 2 == 0 ? "user" : "assistant", "content": $1] }
        let body = more.merging(["model": model, "messages": list]) { mine, _ in mine }
        return String(decoding: try JSONSerialization.data(withJSONObject: body, options: .sortedKeys), as: UTF8.self)
    }

    private static func object(_ text: some StringProtocol) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
    }

    /// The data of a stream of events.
    private static func events(_ text: String) -> [[String: Any]] {
        text.split(separator: "\n").filter { $0.hasPrefix("data: {") }.map { object($0.dropFirst(6)) }
    }

    private static func message(_ reply: LiveGateway.Reply) -> String {
        (reply.object["message"] as? [String: Any])?["content"] as? String ?? ""
    }

    // MARK: Answers

    @Test(arguments: NotesPlace.allCases)
    func `an answer of Ollama's API has its sources behind it, and goes on in its session`(
        _ place: NotesPlace
    ) async throws {
        let lines: [FakeOllama.Script.Line] = [
            .text(Self.answer), .text("In May [1]."), .text("The harbour gauge was repaired in May [1]."),
            .text("Nobody else."),
        ]
        try await with(lines, in: place) { gateway in
            let stream = try await gateway.post("/api/chat", try Self.body())
            let parts = stream.text.split(separator: "\n").map { Self.object($0) }
            let texts = parts.compactMap { ($0["message"] as? [String: Any])?["content"] as? String }
            // A reader that is late gets the text in one piece.
            #expect(parts.count >= 3 && parts.allSatisfy { $0["model"] as? String == "notes" })
            let first = texts.joined()
            #expect(first.hasPrefix(Self.answer + "\n\nSources:\n[1] gauge, 1970-01-01"), "\(first)")
            let last = try #require(parts.last)
            #expect(last["done"] as? Bool == true && last["done_reason"] as? String == "stop")
            #expect((last["prompt_eval_count"] as? Int).map { $0 > 0 } == true)
            let run = try #require(stream.head.headers.first { $0.name.lowercased() == "x-selene-run" }?.value)
            let session = try await gateway.run(run).session

            // As clients send it again, also one that cuts white space.
            let second = try await gateway.post(
                "/api/chat",
                try Self.body(
                    "notes:latest", [Self.question, first, "When was the lamp of the lighthouse lit?"],
                    ["stream": false]))
            #expect(Self.message(second).hasPrefix("In May [1]."), "\(second.text)")
            #expect(gateway.lastAsked.contains("Anna Brandt"))
            let conversation = [
                Self.question, first.trimmingCharacters(in: .whitespaces), "When was the lamp of the lighthouse lit?",
                Self.message(second),
            ]
            let third = try await gateway.post(
                "/api/chat",
                try Self.body("notes", conversation + ["Where is the pilot boat moored?"], ["stream": false]))
            #expect(third.status == 200, "\(third.text)")
            func messages(_ session: String) async throws -> [String] {
                try await gateway.done("GET", "/api/sessions/\(session)/messages").objects("messages")
                    .compactMap { $0["content"] as? String }
            }
            #expect(
                try await messages(session)
                    == [
                        Self.question, Self.answer, "When was the lamp of the lighthouse lit?", "In May [1].",
                        "Where is the pilot boat moored?",
                        "The harbour gauge was repaired in May [1].",
                    ])

            // An answer that the person changed is theirs: it begins another session with all that was said.
            let changed = [Self.question, "It was Otto Weiss.", "Where is the pilot boat moored?"]
            let fourth = try await gateway.post("/api/chat", try Self.body("notes", changed, ["stream": false]))
            #expect(fourth.status == 200)
            let sessions = try await gateway.done("GET", "/api/sessions").objects("sessions")
            #expect(sessions.count == 2)
            let other = try #require(sessions.compactMap { $0["id"] as? String }.first { $0 != session })
            #expect(try await messages(other) == changed + ["Nobody else."])
        }
    }

    @Test func `a conversation goes on behind the last answer that the gateway knows`() async throws {
        try await with([.text(Self.answer), .text("In May [1]."), .text("Otto.")]) { gateway in
            let first = Self.message(
                try await gateway.post("/api/chat", try Self.body("notes", [Self.question], ["stream": false])))
            let edited = [
                Self.question, first, "What does a barnacle eat?", "Words of another model.",
                "Where is the pilot boat moored?",
            ]
            let reply = try await gateway.post("/api/chat", try Self.body("notes", edited, ["stream": false]))
            #expect(reply.status == 200)
            let sessions = try await gateway.done("GET", "/api/sessions").objects("sessions")
            let id = try #require(sessions.first?["id"] as? String)
            #expect(sessions.count == 1)
            let stored = try await gateway.done("GET", "/api/sessions/\(id)/messages").objects("messages")
            #expect(
                stored.compactMap { $0["content"] as? String }
                    == [Self.question, Self.answer] + edited[2...] + ["In May [1]."])
        }
    }

    @Test func `generate answers a prompt, and a request without one loads the model`() async throws {
        try await with { gateway in
            let body = #"{"model":"notes","prompt":"\#(Self.question)","stream":false,"system":"Speak like a pirate."}"#
            let reply = try await gateway.post("/api/generate", body)
            #expect((reply.object["response"] as? String)?.hasPrefix(Self.answer) == true, "\(reply.text)")
            #expect(reply.object["context"] as? [Int] == [])
            #expect(gateway.lastAsked.contains("Speak like a pirate."))
            for (path, body) in [
                ("/api/generate", #"{"model":"notes"}"#), ("/api/chat", #"{"model":"notes","messages":[]}"#),
                ("/api/chat", #"{"model":"notes"}"#),
            ] {
                let loaded = try await gateway.post(path, body).object
                #expect(loaded["done_reason"] as? String == "load", "\(path)")
                #expect(loaded[path == "/api/chat" ? "message" : "response"] != nil, "\(path) \(body)")
            }
        }
    }

    @Test func `completions of OpenAI have annotations`() async throws {
        try await with([.text(Self.answer), .text(Self.answer)]) { gateway in
            let whole = try await gateway.post("/v1/chat/completions", try Self.body())
            let choice = try #require((whole.object["choices"] as? [[String: Any]])?.first)
            let message = try #require(choice["message"] as? [String: Any])
            let content = try #require(message["content"] as? String)
            #expect(content.hasPrefix(Self.answer + "\n\nSources:\n") && choice["finish_reason"] as? String == "stop")
            let annotation = try #require((message["annotations"] as? [[String: Any]])?.first)
            let citation = try #require(annotation["url_citation"] as? [String: Any])
            let (start, end) = (citation["start_index"] as? Int ?? 0, citation["end_index"] as? Int ?? 0)
            #expect(Array(content.unicodeScalars)[start..<end].map(String.init).joined() == "[1]")
            #expect(
                citation["title"] as? String == "gauge" && citation["url"] as? String == gateway.base + "/#/notes/2")

            let more: [String: Any] = ["stream": true, "stream_options": ["include_usage": true]]
            let stream = try await gateway.post("/v1/chat/completions", try Self.body("notes", [Self.question], more))
            let events = Self.events(stream.text)
            #expect(stream.text.hasSuffix("data: [DONE]\n\n"))
            let deltas = events.compactMap { ($0["choices"] as? [[String: Any]])?.first?["delta"] as? [String: Any] }
            #expect(deltas.compactMap { $0["content"] as? String }.joined() == content)
            #expect(deltas.contains { $0["annotations"] != nil })
            #expect((events.last?["usage"] as? [String: Any])?["prompt_tokens"] as? Int ?? 0 > 0)
        }
    }

    @Test func `responses of OpenAI follow each other by their ids`() async throws {
        try await with([.text(Self.answer), .text("In May [1].")]) { gateway in
            let first = try await gateway.post(
                "/v1/responses", #"{"model":"notes","input":"\#(Self.question)","instructions":"Be brief."}"#)
            let id = try #require(first.object["id"] as? String)
            #expect(first.object["status"] as? String == "completed" && gateway.lastAsked.contains("Be brief."))
            let stream = try await gateway.post(
                "/v1/responses",
                #"{"model":"notes","input":"When was the lamp of the lighthouse lit?","previous_response_id":"\#(id)","stream":true}"#
            )
            let events = Self.events(stream.text)
            #expect(events.map { $0["sequence_number"] as? Int } == Array(0..<events.count).map { $0 })
            let kinds = events.compactMap { $0["type"] as? String }
            #expect(kinds.first == "response.created" && kinds.last == "response.completed")
            let text = events.filter { $0["type"] as? String == "response.output_text.delta" }
                .compactMap { $0["delta"] as? String }.joined()
            #expect(text.hasPrefix("In May [1]."), "\(text)")
            let sessions = try await gateway.done("GET", "/api/sessions").objects("sessions")
            #expect(sessions.map { $0["message_count"] as? Int } == [4])
            let unknown = try await gateway.post(
                "/v1/responses", #"{"model":"notes","input":"x","previous_response_id":"resp_none"}"#)
            #expect(unknown.status == 404, "\(unknown.text)")
        }
    }

    @Test func `messages of Anthropic cite search results`() async throws {
        try await with([.text(Self.answer), .text(Self.answer)]) { gateway in
            let whole = try await gateway.post(
                "/v1/messages", try Self.body("notes", [Self.question], ["max_tokens": 99]))
            let block = try #require((whole.object["content"] as? [[String: Any]])?.first)
            let citation = try #require((block["citations"] as? [[String: Any]])?.first)
            #expect(citation["type"] as? String == "search_result_location" && citation["title"] as? String == "gauge")
            #expect(citation["cited_text"] as? String == Self.notes[1].content)
            #expect(whole.object["stop_reason"] as? String == "end_turn")
            let stream = try await gateway.post(
                "/v1/messages", try Self.body("notes", [Self.question], ["stream": true]))
            let kinds = Self.events(stream.text).compactMap { $0["type"] as? String }
            #expect(Array(kinds.prefix(2)) == ["message_start", "content_block_start"])
            #expect(Array(kinds.suffix(3)) == ["content_block_stop", "message_delta", "message_stop"])
            #expect(stream.text.contains("citations_delta"))
        }
    }

    @Test(arguments: NotesPlace.allCases)
    func `a thread and a book are models of their own`(_ place: NotesPlace) async throws {
        try await with([.text("The range [1]."), .text("The quay5 lies [1].")], in: place) { gateway in
            let upload = try await gateway.request(
                "POST", "/api/books?name=tides.txt", BookRoutesTests.text(300),
                headers: [("Content-Type", "application/octet-stream")])
            let id = try #require(upload.object["id"] as? Int)
            try await waitUntil {
                try await gateway.done("GET", "/api/books/\(id)").object["state"] as? String == "ready"
            }
            let list = try await gateway.done("GET", "/api/tags").objects("models").compactMap { $0["name"] as? String }
            let book = try #require(list.first { $0.hasPrefix("book:") })
            #expect(
                list.contains("notes:harbour-works") && book == "book:tides" && list.contains("notes+llama3.2:latest"))
            for model in ["notes:harbour-works", "notes:HARBOUR-WORKS:latest"] {
                #expect(try await gateway.post("/api/show", #"{"model":"\#(model)"}"#).status == 200, "\(model)")
            }
            let thread = try await gateway.post(
                "/api/chat", try Self.body("notes:harbour", ["What is great?"], ["stream": false]))
            #expect(thread.status == 200, "\(thread.text)")
            let runs = try await gateway.done("GET", "/api/chat/runs").objects("runs")
            #expect(runs.first?["kind"] as? String == "deep_dive")

            try await gateway.done("PUT", "/api/books/\(id)/position", #"{"offset":2000}"#)
            let read = try await gateway.post(
                "/api/chat", try Self.body(book, ["Where is quay250?"], ["stream": false]))
            #expect(read.status == 200 && !gateway.lastAsked.contains("quay250 lies"), "\(read.text)")
            for name in ["notes:nothing", "book:nothing", "book:999"] {
                let reply = try await gateway.post("/api/chat", try Self.body(name))
                #expect(reply.status == 404 && reply.error.contains("\"\(name)\""), "\(reply.text)")
                #expect(try await gateway.post("/api/show", #"{"model":"\#(name)"}"#).status == 404)
            }
        }
    }

    @Test func `an answer comes over HTTP/2 as well, with the addresses of a gateway that speaks TLS`() async throws {
        var options = FakeOllama.Options()
        options.script = FakeOllama.Script([.text(Self.answer), .text(Self.answer)])
        try await LiveGateway.with(options, encryption: .http2) { gateway in
            try await gateway.create(Self.notes)
            let stream = try await gateway.post("/api/chat", try Self.body())
            #expect(stream.text.contains("Sources:"), "\(stream.text)")
            let whole = try await gateway.post("/v1/chat/completions", try Self.body())
            #expect(whole.text.contains(#""url":"\#(gateway.base)/#/notes/2""#), "\(whole.text)")
        }
    }

    // MARK: Lists and keys

    @Test func `lists have the models of the notes last, for keys that may read notes`() async throws {
        try await with { gateway in
            let llm = try await gateway.store.keys.create(name: "llm", grant: KeyGrant(scopes: [.llm]))
            let reader = try await gateway.store.keys.create(name: "r", grant: KeyGrant(scopes: [.llm, .notesRead]))
            let narrow = try await gateway.store.keys.create(
                name: "n", grant: KeyGrant(scopes: [.llm, .notesRead], models: ["gemma3:270m"]))
            let only = try await gateway.store.keys.create(
                name: "o", grant: KeyGrant(scopes: [.llm, .notesRead], models: ["notes"]))
            try await gateway.waitForKeys()
            func names(_ key: NewKey, _ path: String = "/api/tags", page: Bool = false) async throws -> [String] {
                var headers = [(name: "Authorization", value: "Bearer \(key.secret)")]
                if page { headers.append(("X-Selene", "1")) }
                let reply = try await gateway.request("GET", path, headers: headers)
                return reply.objects(path == "/api/tags" ? "models" : "data").compactMap {
                    ($0["name"] ?? $0["id"]) as? String
                }
            }
            let plain = try await names(llm)
            #expect(!plain.isEmpty && !plain.contains { $0.hasPrefix("notes") })
            #expect(try await names(reader, page: true) == plain)
            let all = try await names(reader)
            #expect(Set(all.prefix(plain.count)) == Set(plain) && all.dropFirst(plain.count).first == "notes")
            #expect(!all.contains { $0.hasPrefix("notes+nomic") || $0.hasPrefix("notes+all-minilm") })
            #expect(try await names(reader, "/v1/models").contains("notes"))
            #expect(try await names(narrow) == ["gemma3:270m", "notes+gemma3:270m"])
            #expect(try await names(only) == ["notes"])
            // What a key may do is what its list says.
            func ask(_ key: NewKey, _ model: String) async throws -> LiveGateway.Reply {
                try await gateway.post(
                    "/v1/chat/completions", try Self.body(model, ["When?"]), token: key.secret)
            }
            #expect(try await ask(narrow, "notes").status == 403)
            #expect(try await ask(narrow, "notes+gemma3:270m").status == 200)
            // Where no answer comes from the notes, such a name is a model of Ollama's, which the key may not use.
            for (path, field) in [
                ("/v1/completions", "prompt"), ("/api/embed", "input"), ("/api/embeddings", "prompt"),
                ("/v1/embeddings", "input"),
            ] {
                for name in ["notes", "notes:7b", "book:x"] {
                    let reply = try await gateway.post(
                        path, #"{"model":"\#(name)","\#(field)":"x"}"#, token: narrow.secret)
                    #expect(reply.status == 403, "\(path) \(name): \(reply.text)")
                }
            }
            #expect(try await ask(only, "notes").status == 200)
            #expect(try await ask(only, "notes+gemma3:270m").status == 403)
            let refused = try await ask(llm, "notes")
            #expect(refused.status == 403)
            #expect(
                (refused.object["error"] as? [String: Any])?["code"] as? String == "missing_scope", "\(refused.text)")
            let one = try await gateway.post("/api/show", #"{"name":"notes"}"#, token: reader.secret)
            #expect(one.object["capabilities"] as? [String] == ["completion", "tools"])
            let described = try await gateway.request(
                "GET", "/v1/models/notes%2Bgemma3:270m", headers: [("Authorization", "Bearer \(reader.secret)")])
            #expect(described.object["id"] as? String == "notes+gemma3:270m", "\(described.text)")
        }
    }

    @Test func `a question counts once, and its tokens are the key's`() async throws {
        try await with([.text(Self.answer), .text(Self.answer)]) { gateway in
            let key = try await gateway.store.keys.create(
                name: "k", grant: KeyGrant(scopes: [.llm, .notesRead], requestsPerMinute: 1))
            try await gateway.waitForKeys()
            #expect(try await gateway.post("/api/chat", try Self.body(), token: key.secret).status == 200)
            #expect(try await gateway.post("/api/chat", try Self.body(), token: key.secret).status == 429)
            let usage = try await gateway.usage(of: key) { $0.refused == 1 && $0.promptTokens > 0 }
            #expect(usage.requests == 2 && usage.promptTokens > 0 && usage.completionTokens > 0)
            #expect(
                [401, 403].contains(try await gateway.post("/api/chat", try Self.body(), token: "slk_wrong").status))
            // The header by which requests are handed over means nothing from outside.
            let forged = try await gateway.request(
                "POST", "/api/chat", try Self.body(), headers: [("X-Selene-Handover", "abc")])
            #expect(forged.status == 401)
        }
    }

    @Test func `private notes stay here, and the answer says so`() async throws {
        try await with(
            [.text("I do not know."), .text("At Skagen [1].")], { $0.hostedModels = ["gpt-oss:120b-cloud"] }
        ) {
            gateway in
            let away = try await gateway.post(
                "/api/chat",
                try Self.body("notes+gpt-oss:120b-cloud", ["Where lies the harbour key?"], ["stream": false]))
            #expect(away.status == 200, "\(away.text)")
            #expect(!gateway.fake.received.contains { $0.body.contains("Skagen") })
            #expect(Self.message(away).hasSuffix("Not sent to this model, because they are private: 1 note."))
            let here = try await gateway.post(
                "/api/chat", try Self.body("notes", ["Where lies the harbour key?"], ["stream": false]))
            #expect(here.status == 200 && gateway.lastAsked.contains("Skagen"))
        }
    }

    // MARK: Faults

    @Test func `what an answer from notes cannot be is refused`() async throws {
        try await with([]) { gateway in
            let image: [String: Any] = ["messages": [["role": "user", "content": "x", "images": ["aGk="]]]]
            let part: [String: Any] = ["type": "image_url", "image_url": ["url": "data:,"]]
            for (path, more, field) in [
                ("/api/chat", ["format": "json"], "format"), ("/api/chat", image, "messages[0].images"),
                ("/v1/chat/completions", ["tool_choice": "required"], "tool_choice"),
                ("/v1/chat/completions", ["response_format": ["type": "json_object"]], "response_format"),
                ("/v1/chat/completions", ["n": 2], "n"),
                (
                    "/v1/chat/completions", ["messages": [["role": "user", "content": [part]]]],
                    "messages[0].content[0]"
                ),
                ("/v1/messages", ["messages": [["role": "tool", "content": "x"]]], "messages[0].role"),
                ("/v1/messages", ["messages": []], "messages"),
                ("/api/chat", ["messages": [["role": "assistant", "content": "x"]]], "messages"),
                ("/api/chat", ["messages": [["role": "user", "content": ""]]], "question"),
                ("/api/generate", ["prompt": "x", "raw": true], "raw"),
            ] as [(String, [String: Any], String)] {
                let reply = try await gateway.post(path, try Self.body("notes", [Self.question], more))
                let error = (reply.object["error"] as? [String: Any])?["message"] as? String ?? reply.error
                #expect(reply.status == 400 && error.contains("field \"\(field)\""), "\(path) \(field): \(reply.text)")
            }
            let words = String(repeating: "x", count: 2 << 20)
            let large = try await gateway.post(
                "/api/chat", #"{"model":"notes","messages":[{"role":"user","content":"\#(words)"}]}"#)
            #expect(large.status == 413, "\(large.text)")
            let tool = try await gateway.post(
                "/api/chat", try Self.body("notes", [Self.question], ["tools": [["type": "x"]]]))
            #expect(tool.status == 400 && tool.error.contains(#"field "tools[0].type""#), "\(tool.text)")
        }
    }

    @Test func `a run that fails before its text has the status of an error`() async throws {
        try await with([]) { gateway in
            let missing = try await gateway.post("/api/chat", try Self.body("notes+nothing:1b"))
            #expect(missing.status == 502 && missing.code == "answer_failed", "\(missing.text)")
            #expect(missing.error.contains("nothing:1b"))
        }
    }

    @Test(arguments: ["/api/chat", "/v1/chat/completions", "/v1/messages"])
    func `a stream that breaks off ends with an error`(_ path: String) async throws {
        try await with([.text(String(repeating: "word ", count: 40))]) { gateway in
            gateway.fake.setFaults(["cut=9@/api/chat"])
            let reply = try await gateway.post(path, try Self.body("notes", [Self.question], ["stream": true]))
            #expect(
                reply.status == 200 && reply.text.contains("error") && !reply.text.contains("[DONE]"), "\(reply.text)")
        }
    }

    @Test func `a client that leaves stops its run`() async throws {
        try await with([.text(String(repeating: "word ", count: 400))], { $0.tokensPerSecond = 20 }) { gateway in
            let response = try await gateway.open("POST", "/api/chat", try Self.body())
            for try await _ in response.body { break }
            response.body.cancel()
            try await waitUntil {
                let run = try await gateway.done("GET", "/api/chat/runs").objects("runs").first
                return run?["state"] as? String == "stopped"
            }
        }
    }

    @Test func `a long conversation may name its model last, and the next request follows`() async throws {
        try await with([.text(Self.answer)]) { gateway in
            let long = String(repeating: "Long words about the sea. ", count: 2000)
            let messages =
                #"[{"role":"user","content":"\#(long)"},{"role":"assistant","content":"Yes."},{"role":"user","content":"\#(Self.question)"}]"#
            let body = #"{"messages":\#(messages),"model":"notes"}"#
            #expect(body.utf8.count > 50_000)
            let client = try RawClient(port: gateway.port)
            try client.send(
                "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
                    + body
                    + "GET /api/version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let read = await client.read()
            #expect(read.text.contains("Sources:") && read.text.contains(#""version""#), "\(read.text.suffix(600))")
            #expect(read.text.components(separatedBy: "HTTP/1.1 200").count == 3)
        }
    }

    @Test func `what a program asks for itself is answered by the model alone, and not kept`() async throws {
        try await with([.text("Gauge repairs")]) { gateway in
            let task = "### Task:\nGenerate a title for <chat_history>\(Self.question)</chat_history>"
            let reply = try await gateway.post("/v1/chat/completions", try Self.body("notes", [task]))
            #expect(reply.status == 200 && reply.text.contains("Gauge repairs"), "\(reply.text)")
            #expect(!gateway.lastAsked.contains("Anna Brandt"))
            #expect(try await gateway.done("GET", "/api/sessions").objects("sessions").isEmpty)
        }
    }
}
