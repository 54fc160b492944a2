import Foundation
import GatewayAPI
import TestSupport
import Testing

@Suite struct NotesAPITypes {
    @Test func `vectors travel as base64 without losing a bit`() throws {
        var generator = SeededGenerator(1)
        for count in 0..<20 {
            let vector = (0..<count).map { _ in Float(bitPattern: UInt32.random(in: 0...0x7F7F_FFFF, using: &generator))
            }
            let text = VectorText.encode(vector)
            let data = vector.reduce(into: Data()) { data, value in
                withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
            }
            #expect(text == data.base64EncodedString())
            #expect(VectorText.decode(text) == vector)
        }
        for text in ["A", "AAA", "AAAA", "AAAAA===", "AA=A", "!!!!", "====", "AAAAAA=A"] {
            #expect(VectorText.decode(text) == nil, "\(text)")
        }
    }

    @Test func `an absent field stays and null clears`() throws {
        func decode(_ text: String) throws -> SessionUpdate {
            try JSONDecoder().decode(SessionUpdate.self, from: Data(text.utf8))
        }
        #expect(try decode("{}").summaryText == .keep)
        #expect(try decode(#"{"summary_text":null}"#).summaryText == .clear)
        #expect(try decode(#"{"summaryText":"x"}"#).summaryText == .set("x"))
        #expect(try decode(#"{"full_messages_json":"[]"}"#).messagesJSON == .set("[]"))
        #expect(try decode(#"{"isPinned":true}"#).isPinned == true)
        #expect(try decode(#"{"is_pinned":0}"#).isPinned == false)
        #expect(throws: DecodingError.self) { try decode(#"{"is_pinned":2}"#) }
        for text in [#"{"summary_text":null,"title":"t"}"#, #"{"summary_text":"x","is_pinned":1}"#, "{}"] {
            let update = try decode(text)
            #expect(try JSONDecoder().decode(SessionUpdate.self, from: JSONEncoder().encode(update)) == update)
        }
        let note = NoteUpdate(title: "t", noteType: .clear, tags: [])
        #expect(try JSONDecoder().decode(NoteUpdate.self, from: JSONEncoder().encode(note)) == note)
        let memory = MemoryUpdate(confidence: 0.5, embedding: .set(VectorValue([1, 2])))
        #expect(try JSONDecoder().decode(MemoryUpdate.self, from: JSONEncoder().encode(memory)) == memory)
    }

    @Test func `flat objects survive a round trip`() throws {
        let thread = ThreadWithNotes(
            thread: ChatThread(id: 1, name: "T", momentumScore: 0.5),
            notes: [Note(id: 2, title: "a", content: "b", createdAt: "c")], nextCursor: "1_2")
        #expect(try JSONDecoder().decode(ThreadWithNotes.self, from: JSONEncoder().encode(thread)) == thread)
        let memory = RetrievedMemory(
            memory: Memory(id: 1, content: "c", embedding: VectorText.encode([1])), score: 1)
        let decoded = try JSONDecoder().decode(RetrievedMemory.self, from: JSONEncoder().encode(memory))
        #expect(decoded == memory)
        #expect(decoded.memory.vector == [1])
        let session = Session(id: "s", title: "t", isPinned: true)
        #expect(String(decoding: try JSONEncoder().encode(session), as: UTF8.self).contains(#""is_pinned":1"#))
        #expect(try JSONDecoder().decode(Session.self, from: JSONEncoder().encode(session)) == session)
        let old = try JSONDecoder().decode(
            NewNote.self, from: Data(#"{"title":"a","content":"b","createdAt":"2026-01-01","noteType":"idea"}"#.utf8))
        #expect(old.createdAt == "2026-01-01" && old.noteType == "idea")
    }
}
