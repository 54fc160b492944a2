import Foundation
import Ingest
import TestSupport
import Testing

/// The conversations of other programs.
@Suite struct ChatExportTests {
    /// A message of ChatGPT's tree.
    static func node(
        _ id: String, _ parent: String?, _ role: String, _ text: String, more: String = "", time: Int = 0
    ) -> String {
        let parent = parent.map { "\"\($0)\"" } ?? "null"
        return """
            "\(id)": {"id": "\(id)", "parent": \(parent), "children": [], "message": {"author": {"role": "\(role)"}, \
            "create_time": \(1_705_312_800 + time), "content": {"content_type": "text", "parts": ["\(text)"]}\(more)}}
            """
    }

    /// A conversation of ChatGPT.
    static func chatGPT(_ id: String, _ title: String, _ nodes: [String], current: String) -> String {
        """
        {"title": "\(title)", "create_time": 1705312800.25, "update_time": 1705312900, "mapping": {\(nodes.joined(separator: ", "))},
         "current_node": "\(current)", "conversation_id": "\(id)"}
        """
    }

    static let tree = [
        #""root": {"id": "root", "message": null, "parent": null, "children": ["s"]}"#,
        node("s", "root", "system", "Rules"),
        node("q", "s", "user", "What is a tide?", time: 1),
        node("a", "q", "assistant", "The sea's rise \\u00e9.", time: 2),
        node("e", "s", "user", "Why do tides \\\"turn\\\"?", time: 3),
        node("t", "e", "assistant", "search()", more: #", "recipient": "browser""#, time: 4),
        node("u", "t", "tool", "results", time: 5),
        node("b", "u", "assistant", "The moon \\ue200cite\\ue202turn0\\ue201pulls.\\n\\nAnd the sun.", time: 6),
    ]

    @Test func `of ChatGPT's tree the current branch is read, without tools and marks`() throws {
        let text =
            "[\(Self.chatGPT("c1", "Tides", Self.tree, current: "b")),\n \(Self.chatGPT("c2", "", Self.tree, current: "a"))]"
        let read = try ExportHome.read("conversations.json", text)
        #expect(read.format == .chatGPT && read.problems.isEmpty)
        #expect(read.notes.map(\.title) == ["Tides", "What is a tide?"])
        #expect(
            read.notes.map(\.content) == [
                "You: Why do tides \"turn\"?\n\nAssistant: The moon pulls.\n\nAnd the sun.",
                "You: What is a tide?\n\nAssistant: The sea's rise é.",
            ])
        #expect(read.notes.map(\.externalID) == ["chatgpt:c1", "chatgpt:c2"])
        #expect(read.notes.map(\.createdAt) == ["2024-01-15T10:00:00Z", "2024-01-15T10:00:00Z"])
        #expect(read.notes.map(\.warnings) == Array(repeating: ["2 messages of other branches are left out"], count: 2))
        #expect(read.notes.map(\.location) == ["conversations.json:1", "conversations.json:2"])
    }

    @Test func `parts that are no text are named, and a broken tree is read to its last message`() throws {
        let picture = """
            "p": {"id": "p", "parent": "gone", "message": {"author": {"role": "user"}, "create_time": 9, "metadata":
            {"attachments": [{"name": "map.pdf"}]}, "content": {"content_type": "multimodal_text", "parts":
            [{"content_type": "image_asset_pointer"}, "See", {"content_type": "audio_transcription", "text": "spoken"}]}}}
            """
        let hidden = Self.node(
            "h", nil, "user", "about me", more: #", "metadata": {"is_visually_hidden_from_conversation": true}"#)
        let read = try ExportHome.read("x.json", Self.chatGPT("c", "T", [picture, hidden], current: "nothing"))
        #expect(read.format == .chatGPT)
        #expect(read.notes.map(\.content) == ["You: [image]\n\nSee\n\nspoken\n\n[file map.pdf]"])
        #expect(
            read.notes.first?.warnings == [
                "does not say in whole which message follows which; what leads to the last one is read"
            ])
        let loop = [Self.node("a", "b", "user", "one"), Self.node("b", "a", "assistant", "two")]
        let looped = try ExportHome.read("x.json", Self.chatGPT("c", "T", loop, current: "b"))
        #expect(
            looped.notes.map(\.content) == ["You: one\n\nAssistant: two"] && looped.notes.first?.warnings.count == 1)
        let empty = try ExportHome.read("x.json", Self.chatGPT("c", "T", [hidden], current: "h"))
        #expect(empty.problems.map(\.isEmpty) == [true])
    }

    @Test func `Claude's messages are read with what was pasted`() throws {
        let text = #"""
            [{"uuid": "u1", "name": "Ships", "created_at": "2024-01-15T10:00:00.123456Z", "chat_messages": [
              {"uuid": "m1", "sender": "human", "text": "old", "content": [{"type": "text", "text": "Read this"}],
               "attachments": [{"file_name": "log.txt", "extracted_content": "day one"}], "files": [{"file_name": "a.png"}]},
              {"uuid": "m2", "sender": "assistant", "text": "Done \ud83d\ude00 and \ud83d", "content": [{"type": "thinking", "thinking": "hm"}]}]},
             {"uuid": "u2", "name": "", "created_at": "2024-01-16T10:00:00Z", "chat_messages": []},
             {"uuid": "u3", "name": "", "created_at": "2024-01-17T10:00:00Z", "current_leaf_message_uuid": "n2", "chat_messages": [
              {"uuid": "n1", "sender": "human", "text": "first\nline", "parent_message_uuid": "0000"},
              {"uuid": "n0", "sender": "human", "text": "other", "parent_message_uuid": "0000"},
              {"uuid": "n2", "sender": "assistant", "text": "yes", "parent_message_uuid": "n1"}]}]
            """#
        let read = try ExportHome.read("conversations.json", text)
        #expect(read.format == .claude)
        #expect(
            read.notes.map(\.content) == [
                "You: Read this\n\n[file log.txt]\n\nday one\n\n[file a.png]\n\nAssistant: Done 😀 and \u{FFFD}",
                "You: first\nline\n\nAssistant: yes",
            ])
        #expect(read.notes.map(\.title) == ["Ships", "first"])
        #expect(read.notes.map(\.externalID) == ["claude:u1", "claude:u3"])
        #expect(read.notes.map(\.createdAt) == ["2024-01-15T10:00:00.123456Z", "2024-01-17T10:00:00Z"])
        #expect(read.notes.map(\.warnings) == [[], ["1 message of another branch is left out"]])
        #expect(
            read.problems == [
                IngestProblem(
                    location: "conversations.json:2", reason: "is a conversation without text", isEmpty: true)
            ])
    }

    @Test func `Open WebUI's chats are read with their tags, without thoughts`() throws {
        let text = #"""
            [{"id": "w1", "title": "Keel", "created_at": 1705312800, "meta": {"tags": ["boats"]}, "chat": {"history": {"currentId": "3",
              "messages": {"1": {"id": "1", "parentId": null, "role": "user", "content": "What is a keel?"},
               "2": {"id": "2", "parentId": "1", "role": "assistant", "content": "No idea."},
               "3": {"id": "3", "parentId": "1", "role": "assistant",
                     "content": "<details type=\"reasoning\" done=\"true\">\nhm\n</details>\nThe <details>spine</details>."}}}}},
             {"id": "w2", "chat": {"title": "Old", "timestamp": 1705312800000, "messages": [
               {"role": "user", "content": "<details type=\"reasoning\">mine</details>", "files": [{"name": "a.pdf"}]}]}}]
            """#
        let read = try ExportHome.read("chat-export-1.json", text)
        #expect(read.format == .openWebUI && read.problems.isEmpty)
        #expect(
            read.notes.map(\.content) == [
                "You: What is a keel?\n\nAssistant: The <details>spine</details>.",
                "You: <details type=\"reasoning\">mine</details>\n\n[file a.pdf]",
            ])
        #expect(read.notes.map(\.title) == ["Keel", "Old"])
        #expect(read.notes.map(\.tags) == [["boats"], []])
        #expect(read.notes.map(\.externalID) == ["open-webui:w1", "open-webui:w2"])
        #expect(read.notes.map(\.createdAt) == ["2024-01-15T10:00:00Z", "2024-01-15T10:00:00Z"])
        #expect(read.notes.map(\.warnings) == [["1 message of another branch is left out"], []])
    }

    @Test func `a conversation is the same in a file, a folder and an archive`() throws {
        let text = "[" + Self.chatGPT("c1", "Tides", Self.tree, current: "b") + "]"
        let one = try ExportHome.read("conversations.json", text)
        let folder = try ExportHome().read(
            [
                ("export/conversations.json", Array(text.utf8)), ("export/chat.html", [1]), ("export/user.json", [2]),
            ], at: "export")
        let bytes = ZipWriter.archive([("export/conversations.json", text), ("__MACOSX/x.json", ""), ("a.png", "")])
        let zip = try ExportHome.read("chatgpt.zip", bytes)
        #expect(folder.notes.map(\.content) == one.notes.map(\.content))
        #expect(zip.notes.map(\.content) == one.notes.map(\.content) && zip.format == .chatGPT)
        #expect(zip.notes.map(\.externalID) == one.notes.map(\.externalID))
        #expect(zip.notes.map(\.location) == ["chatgpt.zip/export/conversations.json:1"])
        #expect(folder.otherFiles == ["html": 1, "json": 1] && zip.otherFiles == ["png": 1])
    }

    @Test func `what is no conversation is a problem, and the next one is read`() throws {
        let good = Self.chatGPT("c1", "Tides", Self.tree, current: "b")
        let read = try ExportHome.read("conversations.json", "[\(good), {\"a\": }, 7, \"x,]\", \(good)")
        #expect(read.notes.map(\.location) == ["conversations.json:1", "conversations.json:5"])
        #expect(
            read.problems == [
                IngestProblem(location: "conversations.json:2", reason: "is not a conversation in JSON"),
                IngestProblem(location: "conversations.json:3", reason: "is not a conversation in JSON"),
                IngestProblem(location: "conversations.json:4", reason: "is not a conversation in JSON"),
                IngestProblem(location: "conversations.json", reason: "the file ends within its list; export it again"),
            ])
        for (text, reason) in [
            ("[1}", "is no JSON behind item 1"), ("nothing", "is not a JSON document"),
            ("[{\"a\": \"", "the file ends within item 1; export it again"),
        ] {
            #expect(try ExportHome.read("a.json", text, as: .claude).problems.last?.reason == reason)
        }
    }

    @Test func `an archive of no known program is refused with what to do, a damaged one with why`() throws {
        let bytes = ZipWriter.archive([("a.txt", "x")])
        let unknown = #expect(throws: IngestError.self) { try ExportHome.read("a.zip", bytes) }
        #expect(unknown?.message.hasSuffix("is a ZIP archive of no known program; unpack it first") == true)
        let damaged = #expect(throws: IngestError.self) { try ExportHome.read("a.zip", Array(bytes.prefix(30))) }
        #expect(damaged?.message.contains("is not a complete ZIP archive") == true)
        let folder = try Ingesting.Folder()
        try folder.write("notes.md", "text")
        try folder.write("conversations.json", "[" + Self.chatGPT("c1", "T", Self.tree, current: "b") + "]")
        #expect(try NoteReader(path: folder.url.path).format == .markdown)
    }

    @Test func `a pipe is neither looked into nor waited for, and a link out of the folder is not followed`() throws {
        let (folder, outside) = (try Ingesting.Folder(), try Ingesting.Folder())
        try outside.write("conversations.json", "[" + Self.chatGPT("c1", "T", Self.tree, current: "b") + "]")
        #expect(mkfifo(folder.url.path + "/My Clippings.txt", 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "conversations.json"),
            withDestinationURL: outside.url.appending(path: "conversations.json"))
        let reader = try NoteReader(path: folder.url.path, format: .chatGPT)
        #expect(reader.skippedLinks.map { URL(filePath: $0).lastPathComponent } == ["conversations.json"])
        #expect(Ingesting().readAll(reader).notes.isEmpty)
        #expect(throws: Never.self) { try NoteReader(path: folder.url.path) }
    }

    @Test(.slow) func `a large file is read item by item, and an item that is too large is a problem`() throws {
        let good = Self.chatGPT("c1", "Tides", Self.tree, current: "b")
        let long = "{\"mapping\": \"" + String(repeating: "x", count: 65 << 20) + "\"}"
        let read = try ExportHome.read(
            "conversations.json", "[" + String(repeating: good + ",\n", count: 2000) + long + "," + good + "]")
        #expect(read.notes.count == 2001)
        #expect(read.problems.map(\.reason) == ["item 2001 is larger than \(64 << 20) bytes"])
    }
}
