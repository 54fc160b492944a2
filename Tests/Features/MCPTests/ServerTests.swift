import BookRoom
import Foundation
import GatewayAPI
import Notes
import Storage
import Synchronization
import TestSupport
import Testing
import Tools

@testable import MCP

/// A server over a database of its own.
struct ServerBench {
    let folder: TemporaryFolder
    let database: GatewayDatabase
    let server: MCPServer

    init(deletes: Bool = false, with more: [Tool] = [], addsSearchAndFetch: Bool = false) throws {
        folder = try TemporaryFolder()
        database = try GatewayDatabase(path: folder.path("n.sqlite"))
        var options = MCPServer.Options(version: "1")
        options.deletes = deletes
        options.addsSearchAndFetch = addsSearchAndFetch
        let prompts = MCPPromptSource(
            list: {
                [
                    Prompt(
                        id: "p", title: "P", kind: "specific", purpose: "", chat: "ask", variables: [], text: nil,
                        origin: .own, version: "v", number: 1, updatedAt: nil)
                ]
            },
            render: { id, values in
                guard id == "p" else { throw StorageError(.notFound, "there is no prompt") }
                return RenderedPrompt(id: id, version: "v", text: "Ask \(values["a"] ?? "")", chat: "ask", scope: nil)
            })
        server = try MCPServer(
            store: database,
            tools: NoteTools(store: database).all + NoteChangeTools(store: database).all + more
                + [BriefingTool(store: database).tool], prompts: prompts, options: options)
    }

    func answer(
        _ method: String, _ params: [String: JSONValue] = [:], _ revision: MCPRevision = .july2026,
        for caller: MCPCaller = .owner(hides: nil)
    ) async throws -> [String: JSONValue] {
        let request = RPCRequest(id: .integer(1), method: method, params: params)
        guard case .object(let members) = try await server.answer(request, revision, for: caller) else { return [:] }
        return members
    }

    func call(
        _ tool: String, _ arguments: [String: JSONValue], for caller: MCPCaller = .owner(hides: nil)
    ) async throws -> [String: JSONValue] {
        try await answer("tools/call", ["name": .string(tool), "arguments": .object(arguments)], for: caller)
    }
}

extension [String: JSONValue] {
    func object(_ name: String) -> [String: JSONValue] {
        if case .object(let members)? = self[name] { members } else { [:] }
    }
    func array(_ name: String) -> [JSONValue] { if case .array(let elements)? = self[name] { elements } else { [] } }
    func text(_ name: String) -> String { if case .string(let text)? = self[name] { text } else { "" } }
}

extension [JSONValue] {
    func texts(_ name: String) -> [String] {
        compactMap { if case .object(let members) = $0 { members.text(name) } else { nil } }
    }
}

@Suite struct Servers {
    @Test func `both eras get results in their own form`() async throws {
        let bench = try ServerBench()
        let found = try await bench.answer("server/discover")
        #expect(found.text("resultType") == "complete" && found.text("cacheScope") == "public")
        #expect(found.array("supportedVersions").first == .string("2026-07-28"))
        #expect(found.object("_meta").object("io.modelcontextprotocol/serverInfo").text("name") == "selene")
        let first = try await bench.answer("initialize", ["protocolVersion": .string("2025-06-18")], .march2025)
        #expect(first.text("protocolVersion") == "2025-06-18" && first["resultType"] == nil)
        #expect(try await bench.answer("ping", [:], .november2024) == [:])
        for (method, revision) in [
            ("ping", MCPRevision.july2026), ("initialize", .july2026), ("server/discover", .november2025),
            ("none", .july2026), ("resources/subscribe", .november2025), ("subscriptions/listen", .november2025),
        ] {
            let error = await #expect(throws: RPCError.self) { try await bench.answer(method, [:], revision) }
            #expect(error?.code == .methodNotFound)
        }
    }

    @Test func `tools are listed in a fixed order, by scope, with what the revision knows`() async throws {
        let bench = try ServerBench()
        let all = ["read_note", "recent_notes", "briefing", "threads", "tasks", "capture_note", "update_note"]
        #expect(try await bench.answer("tools/list").array("tools").texts("name") == all)
        let deleting = try ServerBench(deletes: true)
        #expect(try await deleting.answer("tools/list").array("tools").texts("name") == all + ["delete_note"])
        let reader = MCPCaller(tools: ToolCaller(key: "k", scopes: ["notes:read"], hides: NotePrivacy())) { scope in
            throw StorageError(.readOnly, scope.rawValue)
        }
        let listed = try await bench.answer("tools/list", for: reader)
        #expect(listed.array("tools").texts("name") == ["read_note", "recent_notes", "briefing", "threads"])
        let refused = await #expect(throws: StorageError.self) {
            try await bench.call("capture_note", ["content": .string("x")], for: reader)
        }
        #expect(refused?.message == "notes:write")
        let old = try await bench.answer("tools/list", [:], .november2024).array("tools")
        guard case .object(let tool)? = old.first else { return #expect(Bool(false), "no tool") }
        #expect(tool["annotations"] == nil && tool["outputSchema"] == nil && tool["inputSchema"] != nil)
    }

    @Test func `a note is captured once, changed by the revision that was read, and deleted when that is allowed`()
        async throws
    {
        let bench = try ServerBench(deletes: true)
        let note: [String: JSONValue] = ["content": .string("# Tide\nhigh at noon #sea")]
        let made = try await bench.call("capture_note", note).object("structuredContent")
        #expect(made.text("status") == "created" && made.text("uri") == "selene://note/1")
        let again = try await bench.call("capture_note", note).object("structuredContent")
        #expect(again.text("status") == "duplicate" && again["id"] == .integer(1))
        let read = try await bench.call("read_note", ["note": .integer(1)])
        let data = read.object("structuredContent")
        #expect(data.array("results").texts("title") == ["Tide"] && data["total_chars"] == .integer(24))
        #expect(read.array("content").texts("uri").contains("selene://note/1"))
        let stale = try await bench.call(
            "update_note", ["note": .integer(1), "revision": .string("000000000000"), "title": .string("T")])
        #expect(stale["isError"] == .bool(true) && stale.array("content").texts("text")[0].contains("changed since"))
        let changed = try await bench.call(
            "update_note", ["note": .integer(1), "revision": .string(data.text("revision")), "title": .string("T")])
        let revision = changed.object("structuredContent").text("revision")
        #expect(revision.count == 12 && revision != data.text("revision"))
        let late = try await bench.call(
            "delete_note", ["note": .integer(1), "revision": .string(data.text("revision"))])
        #expect(late["isError"] == .bool(true))
        let gone = try await bench.call("delete_note", ["note": .integer(1), "revision": .string(revision)])
        #expect(gone.object("structuredContent").text("status") == "deleted")
        let none = try await bench.call("read_note", ["note": .integer(1)])
        #expect(none["isError"] == nil && none.object("structuredContent").array("results").isEmpty)
        #expect(none.object("structuredContent").text("message").hasPrefix("There is no note 1"))
    }

    @Test func `wrong calls are results for the model, unknown tools are errors`() async throws {
        let bench = try ServerBench()
        let wrong = try await bench.call("read_note", ["nose": .integer(1)])
        #expect(wrong["isError"] == .bool(true) && wrong.array("content").texts("text")[0].contains("note"))
        for (tool, arguments) in [
            ("delete_note", JSONValue.object([:])), ("x", .object([:])), ("read_note", .array([])),
        ] {
            let error = await #expect(throws: RPCError.self) {
                try await bench.answer("tools/call", ["name": .string(tool), "arguments": arguments])
            }
            #expect(error?.code == .invalidParams)
        }
    }

    @Test func `resources are listed in pages, read, and completed by title`() async throws {
        let bench = try ServerBench()
        _ = try await bench.database.notes.insert(
            (1...60).map {
                NoteDraft(title: "Tide \($0)", content: "text \($0)", createdAt: Int64($0) * 86_400, threads: ["Gauge"])
            })
        let first = try await bench.answer("resources/list")
        #expect(first.array("resources").count == 51 && first["ttlMs"] == .integer(0))
        let second = try await bench.answer("resources/list", ["cursor": .string(first.text("nextCursor"))])
        #expect(second.array("resources").count == 10 && second["nextCursor"] == nil)
        let read = try await bench.answer("resources/read", ["uri": .string("selene://note/7-words")])
        #expect(read.array("contents").texts("text")[0].hasSuffix("\n\ntext 7"))
        let thread = try await bench.answer("resources/read", ["uri": .string("selene://thread/1")])
        #expect(thread.array("contents").texts("text")[0].hasPrefix("Gauge, 60 notes\n- selene://note/60 Tide 60"))
        for uri in ["selene://note/99", "selene://thread/9", "selene://book/1/page/1", "file:///etc/passwd", ""] {
            let error = await #expect(throws: RPCError.self) {
                try await bench.answer("resources/read", ["uri": .string(uri)])
            }
            #expect(error?.code == .invalidParams, "\(uri)")
        }
        for cursor in [JSONValue.string("x"), .string("1"), .integer(1)] {
            let error = await #expect(throws: RPCError.self) {
                try await bench.answer("resources/list", ["cursor": cursor])
            }
            #expect(error?.code == .invalidParams)
        }
        func complete(_ uri: String, _ text: String) async throws -> [JSONValue] {
            try await bench.answer(
                "completion/complete",
                [
                    "ref": .object(["type": .string("ref/resource"), "uri": .string(uri)]),
                    "argument": .object(["name": .string("id"), "value": .string(text)]),
                ]
            ).object("completion").array("values")
        }
        #expect(try await complete("selene://note/{id}", "TIDE 5").contains(.string("55-tide-55")))
        #expect(try await complete("selene://thread/{id}", "gau") == [.string("1-gauge")])
        #expect(try await complete("selene://book/{id}/page/{page}", "x").isEmpty)
    }

    @Test func `private notes are nowhere`() async throws {
        let bench = try ServerBench(deletes: true)
        _ = try await bench.database.notes.insert([
            NoteDraft(title: "open", content: "tide"), NoteDraft(title: "secret", content: "tide", tags: ["Private"]),
        ])
        let secret = try #require(try await bench.database.notes.find(ids: [2]).first)
        let caller = MCPCaller.owner(hides: NotePrivacy("tag:private"))
        for (tool, arguments) in [
            ("read_note", ["note": JSONValue.integer(2)]), ("recent_notes", [:]), ("briefing", [:]), ("threads", [:]),
            ("update_note", ["note": .integer(2), "revision": .string(secret.currentRevision), "title": .string("x")]),
            ("delete_note", ["note": .integer(2), "revision": .string(secret.currentRevision)]),
        ] {
            let text = String(
                decoding: JSONValue.object(try await bench.call(tool, arguments, for: caller)).json, as: UTF8.self)
            #expect(!text.contains("secret"), "\(tool): \(text)")
        }
        #expect(
            try await bench.answer("resources/list", for: caller).array("resources").texts("name") == [
                "Briefing of today", "open",
            ])
        await #expect(throws: RPCError.self) {
            try await bench.answer("resources/read", ["uri": .string("selene://note/2")], for: caller)
        }
        let filter = JSONValue.object([
            "resourceSubscriptions": .array([.string("selene://note/1"), .string("selene://note/2")])
        ])
        let request = RPCRequest(id: .integer(1), method: "subscriptions/listen", params: ["notifications": filter])
        var stream = try #require(try await bench.server.subscription(request, .july2026, for: caller))
        for id in [1, 2] as [Int64] {
            var change = NoteChange()
            change.noteType = .set("idea")
            _ = try await bench.database.notes.update(id, change)
        }
        let notices = try await stream.changes().map { String(decoding: $0, as: UTF8.self) }
        #expect(notices.count == 1 && notices[0].contains("selene://note/1"), "\(notices)")
        #expect(try await bench.database.notes.find(ids: [2]).first?.title == "secret")
    }

    @Test func `search and fetch have the shapes that hosts with these names expect`() async throws {
        let text = String(repeating: "The tide is high. ", count: 600)
        let find = Tool("search_notes", "Finds.", arguments: .object([], allowsOthers: true), scope: "notes:read") {
            _, _ in
            ToolResult(
                text: "",
                passages: [
                    ToolPassage(
                        note: Note(id: 1, title: "tide", content: text, createdAt: ""), range: 0..<3, text: "The")
                ])
        }
        let bench = try ServerBench(with: [find], addsSearchAndFetch: true)
        _ = try await bench.database.notes.insert([NoteDraft(title: "tide", content: text)])
        #expect(try await bench.answer("tools/list").array("tools").texts("name").suffix(2) == ["search", "fetch"])
        let found = try await bench.call("search", ["query": .string("tide")])
        let data = JSONValue.object([
            "results": .array([
                .object(["id": .string("1"), "title": .string("tide"), "url": .string("selene://note/1")])
            ])
        ])
        #expect(found["structuredContent"] == data)
        #expect(found.array("content").texts("text") == [String(decoding: data.json, as: UTF8.self)])
        let note = try await bench.call("fetch", ["id": .string("1")]).object("structuredContent")
        #expect(note.text("text") == text && note.object("metadata")["complete"] == .bool(true))
        for id in ["2", "x", "-1"] {
            #expect(try await bench.call("fetch", ["id": .string(id)])["isError"] == .bool(true))
        }
    }

    @Test func `a briefing has new notes, threads and pairs`() async throws {
        let bench = try ServerBench()
        let now = Int64(Date.now.timeIntervalSince1970)
        _ = try await bench.database.notes.insert([
            NoteDraft(title: "old", content: "1", createdAt: now - 400 * 86_400),
            NoteDraft(title: "new", content: "2", createdAt: now, threads: ["Gauge"]),
        ])
        let data = try await bench.call("briefing", [:]).object("structuredContent")
        #expect(data.array("results").texts("title") == ["new"] && data.array("threads").texts("title") == ["Gauge"])
        let read = try await bench.answer("resources/read", ["uri": .string("selene://briefing/today")])
        #expect(read.array("contents").texts("text")[0].hasPrefix("- note 2: new"))
    }

    @Test func `damaged messages get errors, never a trap`() async throws {
        let bench = try ServerBench(deletes: true)
        _ = try await bench.database.notes.insert([NoteDraft(title: "tide", content: "high at noon")])
        let meta =
            #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#
        let seeds = [
            #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_note","arguments":{"note":1,"offset":3},\#(meta)}}"#,
            #"{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":"selene://book/1/page/1"}}"#,
            #"{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"selene://note/{id}"},"argument":{"name":"id","value":"t"},\#(meta)}}"#,
            #"{"jsonrpc":"2.0","id":3,"method":"resources/list","params":{"cursor":"1_2"}}"#,
            #"{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"p","arguments":{"a":"b"}}}"#,
            #"{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["selene://note/1"]},\#(meta)}}"#,
        ]
        var random = SeededGenerator(17)
        var answered = 0
        for round in 0..<4000 {
            var bytes = Array(seeds[round % seeds.count].utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(contentsOf: bytes[place..<min(place + 9, bytes.count)], at: place)
                }
            }
            guard case .request(let request)? = try? RPCMessage(parsing: bytes) else { continue }
            do {
                let revision = try MCPEnvelope.revision(of: request, headers: nil)
                let caller = MCPCaller.owner(hides: nil)
                if var stream = try await bench.server.subscription(request, revision, for: caller) {
                    _ = try await stream.changes()
                } else {
                    _ = try await bench.server.answer(request, revision, for: caller)
                }
                answered += 1
            } catch is RPCError {
                continue
            }
        }
        #expect(answered > 500)
    }

    @Test func `prompts are listed and filled in`() async throws {
        let bench = try ServerBench()
        #expect(try await bench.answer("prompts/list").array("prompts").texts("name") == ["p"])
        let got = try await bench.answer(
            "prompts/get", ["name": .string("p"), "arguments": .object(["a": .string("b")])])
        guard case .object(let message)? = got.array("messages").first else {
            return #expect(Bool(false), "no message")
        }
        #expect(message.object("content").text("text").hasPrefix("Ask b\n\nFind my notes"))
        for params in [
            ["name": JSONValue.string("q")], ["name": .string("p"), "arguments": .object(["a": .integer(1)])], [:],
        ] {
            let error = await #expect(throws: RPCError.self) { try await bench.answer("prompts/get", params) }
            #expect(error?.code == .invalidParams)
        }
    }

    @Test func `a subscription reports the notes that it names, and only those`() async throws {
        let bench = try ServerBench()
        _ = try await bench.database.notes.insert([
            NoteDraft(title: "a", content: "1"), NoteDraft(title: "b", content: "2"),
        ])
        let filter = JSONValue.object([
            "resourceSubscriptions": .array([.string("selene://note/1"), .string("odd")]),
            "toolsListChanged": .bool(true),
        ])
        let request = RPCRequest(id: .string("s"), method: "subscriptions/listen", params: ["notifications": filter])
        var stream = try #require(
            try await bench.server.subscription(request, .july2026, for: .owner(hides: nil)))
        #expect(
            String(decoding: stream.acknowledgement, as: UTF8.self)
                == #"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":"#
                + #"{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"#
                + #""notifications":{"resourceSubscriptions":["selene://note/1"]}}}"#)
        #expect(try await stream.changes().isEmpty)
        _ = try await bench.database.notes.update(
            2,
            {
                var change = NoteChange(); change.content = "3"; return change
            }())
        #expect(try await stream.changes().isEmpty)
        _ = try await bench.database.notes.update(
            1,
            {
                var change = NoteChange(); change.content = "4"; return change
            }())
        let notices = try await stream.changes().map { String(decoding: $0, as: UTF8.self) }
        #expect(notices.count == 1 && notices[0].contains(#""uri":"selene://note/1""#), "\(notices)")
        #expect(try await stream.changes().isEmpty)
    }
}
