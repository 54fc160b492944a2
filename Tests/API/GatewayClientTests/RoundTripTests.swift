import FakeOllama
import Foundation
import GatewayAPI
import GatewayClient
import GatewayTestSupport
import Storage
import Testing

/// Every method against a gateway on a socket.
@Suite(.serialized) struct RoundTrips {
    @Test func `notes are made, listed, found, changed and deleted`() async throws {
        try await ConnectedClient.with { setting in
            let data = setting.data
            let made = try await data.createNote(
                NewNote(title: "tide gauge", content: "the moon and the sea", tags: ["sea"], threads: ["Gauge"]))
            #expect(made.tags == ["sea"] && made.threads.map(\.name) == ["Gauge"])
            #expect(try await data.note(made.id) == made)
            let first = try await data.capture(
                NewNote(title: "bread", content: "flour & water", createdAt: "2020-01-02"))
            #expect(first.status == "created")
            let again = try await data.capture(NewNote(title: "bread", content: "flour & water"))
            #expect(again == CaptureResponse(status: "duplicate", id: first.id))

            let page = try await data.notes(.first(1))
            #expect(page.notes.map(\.id) == [made.id])
            #expect(page.nextCursor != nil)
            let rest = try await data.notes(PageRequest(limit: 1, cursor: page.nextCursor))
            #expect(rest.notes.map(\.id) == [first.id] && rest.nextCursor == nil)
            #expect(try await data.searchNotes(NoteSearchRequest(query: "MOON")).notes.map(\.id) == [made.id])
            #expect(try await data.recentNotes(days: 1.5, .first).notes.map(\.id) == [made.id])
            #expect(try await data.recentNotes(days: nil, .first(5)).days == 7)
            #expect(try await data.notes(since: "2020-01-01", .first).count == 2)
            #expect(try await data.notes(since: "2020-01-03T00:00:00Z", .first).count == 1)
            let found = try await data.retrieve(RetrieveRequest(query: "moon", limit: 3, mode: .keyword, explain: true))
            #expect(found.results.map(\.note.id) == [made.id])
            #expect(found.results.first?.explanation != nil)
            #expect(try await data.relatedNotes(to: made.id, limit: 2).noteID == made.id)
            let assigned = try await data.threadAssignments(of: [made.id, first.id]).assignments
            #expect(assigned.map(\.threadName) == ["Gauge"])

            let changed = try await data.updateNote(made.id, NoteUpdate(title: "gauge", noteType: .set("idea")))
            #expect(changed.title == "gauge" && changed.noteType == "idea" && changed.tags == ["sea"])
            #expect(try await data.updateNote(made.id, NoteUpdate(noteType: .clear)).noteType == nil)
            let export = try await data.exportNotes(ExportRequest())
            #expect(export.success && export.exportedCount == 2)
            #expect(try await data.exportNotes(ExportRequest(noteId: made.id)).unchangedCount == 1)
            #expect(try await data.deleteNote(first.id).id == first.id)
            #expect(try await data.notes(.first).count == 1)
        }
    }

    @Test func `threads are listed, opened and sought by name`() async throws {
        try await ConnectedClient.with { setting in
            let note = try await setting.data.createNote(NewNote(title: "a", content: "b", threads: ["Tide / gauge ?"]))
            let listed = try #require(try await setting.data.activeThreads(.first(5)).threads.first)
            #expect(listed.name == "Tide / gauge ?")
            #expect(try await setting.data.thread(listed.id, .first).notes.map(\.id) == [note.id])
            // A name with a slash and a question mark stays one part of the path.
            #expect(try await setting.data.thread(named: "tide / guage ?", .first(1)).thread.id == listed.id)
            #expect(try await setting.data.tasks(ofThread: listed.id, .first).threadId == listed.id)
        }
    }

    @Test func `sessions and their messages are kept`() async throws {
        try await ConnectedClient.with { setting in
            let data = setting.data
            let id = "trip 1/ä"
            let made = try await data.saveSession(id, SessionUpdate(title: "A trip"))
            #expect(made.id == id && !made.isPinned)
            #expect(try await data.pinSession(id, true).isPinned)
            let asked = try await data.addMessage(NewMessage(role: "user", content: "where?"), toSession: id)
            _ = try await data.addMessage(NewMessage(role: "assistant", content: "there"), toSession: id)
            #expect(asked.role == "user" && asked.sessionID == id)
            #expect(try await data.messages(ofSession: id, .first).messages.map(\.content) == ["where?", "there"])
            let newest = try await data.messages(ofSession: id, order: .newest, .first(1))
            #expect(newest.messages.map(\.content) == ["there"] && newest.nextCursor != nil)
            let before = try #require(newest.messages.first?.id)
            let earlier = try await data.messages(ofSession: id, order: .newest, before: before, .first)
            #expect(earlier.messages.map(\.content) == ["where?"] && earlier.nextCursor == nil)
            #expect(try await data.recentMessages(.first(1)).messages.map(\.content) == ["there"])
            #expect(try await data.sessions(.first).sessions.map(\.id) == [id])
            #expect(try await data.session(id).title == "A trip")
            #expect(try await data.deleteSession(id).id == id)
            #expect(await clientError { _ = try await data.session(id) }?.status == 404)
        }
    }

    @Test func `memories travel with their vectors`() async throws {
        try await ConnectedClient.with { setting in
            let data = setting.data
            let vector: [Float] = [0.25, -1, 3]
            let made = try await data.createMemory(
                NewMemory(content: "likes tea", type: "preference", embedding: vector))
            let listed = try await data.memories(embeddings: true, .first).memories
            #expect(listed.first?.vector == vector)
            #expect(try await data.memories(embeddings: false, .first(3)).memories.first?.embedding == nil)
            #expect(try await data.updateMemory(made.id, MemoryUpdate(confidence: 0.5)).confidence == 0.5)
            #expect(try await data.touchMemories([made.id, 999]).touched == 1)
            let found = try await data.retrieveMemories(MemoryRetrieveRequest(embedding: vector, limit: 1))
            #expect(found.results.first?.memory.id == made.id)
            #expect(try await data.deleteMemory(made.id).id == made.id)
        }
    }

    @Test func `near pairs are listed, and devices come and go`() async throws {
        try await ConnectedClient.with { setting in
            let pairs = try await setting.data.associations(minSimilarity: 0.5, recentDays: 30, .first(3))
            #expect(pairs.count == 0)
            let device = DeviceRequest(token: "t-1", platform: "ios")
            #expect(try await setting.data.registerDevice(device).status == "registered")
            #expect(try await setting.data.registerDevice(device).status == "registered")
            #expect(try await setting.data.unregisterDevice("t-1").status == "unregistered")
        }
    }

    @Test func `jobs are begun, listed, awaited and cancelled`() async throws {
        try await ConnectedClient.with(settings: ["backfill": "off"]) { setting in
            let data = setting.data
            let note = try await data.createNote(NewNote(title: "a", content: "the tide"))
            let begun = try await data.startBackfill(BackfillJobRequest())
            #expect(begun.kind == .backfill)
            var job = try await data.job(begun.id)
            let deadline = ContinuousClock.now + .seconds(20)
            while !job.state.isFinal, ContinuousClock.now < deadline { job = try await data.job(begun.id) }
            #expect(job.state == .done && job.done == 1)
            #expect(try await data.relatedNotes(to: note.id, limit: 1).reason == nil)
            let pairs = try await data.startAssociations(AssociationsRequest(minSimilarity: 0.5))
            #expect(try await data.jobs(limit: 5).jobs.map(\.id) == [pairs.id, begun.id])
            _ = try await data.cancelJob(pairs.id)
            #expect(await clientError { _ = try await data.resumeJob(999) }?.status == 404)
        }
    }

    @Test func `models answer whole, streamed, in a conversation and with vectors`() async throws {
        try await ConnectedClient.with { setting in
            let llm = setting.llm
            #expect(try await llm.health().status == "ok")
            #expect(try await llm.llmHealth().available)
            #expect(try await llm.models().models.map(\.name).contains("llama3.2:latest"))
            let request = GenerateRequest(prompt: "x", model: "llama3.2", options: ["num_predict": .integer(20)])
            let whole = try await llm.generate(request)
            #expect(whole.usage.completionTokens == 20)
            var text = ""
            var last: GenerateChunk?
            for try await chunk in try await llm.generateStream(request) {
                text += chunk.response
                last = chunk
            }
            #expect(text == whole.response)
            #expect(last?.isDone == true && last?.completionTokens == 20)
            var answer = ""
            let chat = ChatRequest(model: "llama3.2", messages: [ChatMessage(role: "user", content: "hello")])
            for try await chunk in try await llm.chat(chat) { answer += chunk.message.content }
            #expect(!answer.isEmpty)
            #expect(try await llm.embed(EmbedRequest(text: "x", kind: .query)).embedding?.count == 384)
            #expect(try await llm.embed(EmbedRequest(texts: ["x", "y"])).embeddings?.count == 2)
        }
    }

    @Test func `a schema reaches the model with its properties in the order of required`() async throws {
        try await ConnectedClient.with { setting in
            let names = ["reasoning", "doubts", "answer", "zeal", "basis"]
            let schema = JSONValue.object([
                "type": .string("object"), "required": .array(names.map(JSONValue.string)),
                "properties": .object(
                    Dictionary(uniqueKeysWithValues: names.map { ($0, .object(["type": .string("string")])) })),
            ])
            let generate = GenerateRequest(prompt: "x", model: "llama3.2", format: schema)
            let chat = ChatRequest(
                model: "llama3.2", messages: [ChatMessage(role: "user", content: "hello")], format: schema)
            _ = try await setting.llm.generate(generate)
            for try await _ in try await setting.llm.generateStream(generate) {}
            for try await _ in try await setting.llm.chat(chat) {}
            let bodies = setting.fake.received.filter { ["/api/generate", "/api/chat"].contains($0.target) }
                .map(\.body)
            #expect(bodies.count == 3)
            for body in bodies {
                let places = names.map { body.range(of: "\"\($0)\":{")?.lowerBound }
                #expect(
                    !places.contains(nil) && places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(body)")
            }
        }
    }
}
