import Ingest
import TestSupport

/// A file of each format, with the name by which it is recognized.
enum ExportSamples {
    /// A sample.
    struct Sample: Sendable, CustomStringConvertible {
        var format: IngestFormat
        var name: String
        var bytes: [UInt8]
        /// The notes in it.
        var notes: Int
        var description: String { format.rawValue }
    }

    static let all: [Sample] = [
        Sample(format: .kindle, name: "My Clippings.txt", bytes: kindle, notes: 2),
        Sample(format: .readwise, name: "a.csv", bytes: Array(readwise.utf8), notes: 2),
        Sample(format: .chatGPT, name: "conversations.json", bytes: Array(chatGPT.utf8), notes: 2),
        Sample(format: .claude, name: "conversations.json", bytes: Array(claude.utf8), notes: 2),
        Sample(format: .openWebUI, name: "chat-export.json", bytes: Array(openWebUI.utf8), notes: 2),
        Sample(format: .evernote, name: "a.enex", bytes: Array(evernote.utf8), notes: 2),
        Sample(
            format: .keep, name: "takeout.zip",
            bytes: ZipWriter.archive(KeepTests.files.prefix(2).map { ($0.name, $0.text) }), notes: 2),
        Sample(format: .mbox, name: "a.mbox", bytes: Array(MailTests.letters.utf8), notes: 3),
        Sample(format: .bookmarks, name: "a.html", bytes: Array(LinkTests.bookmarks.utf8), notes: 4),
        Sample(format: .opml, name: "a.opml", bytes: Array(LinkTests.outline.utf8), notes: 4),
        Sample(format: .notion, name: "notion.zip", bytes: ZipWriter.archive(NotionTests.files), notes: 4),
    ]

    private static let kindle = KindleTests.file([
        (
            "Walden (Thoreau)",
            "- Your Highlight on page 1 | Location 2-3 | Added on Monday, January 15, 2024 10:23:45 AM", "é one"
        ),
        (
            "Walden (Thoreau)", "- Your Note on page 9 | Location 90 | Added on Monday, January 15, 2024 10:24:45 AM",
            "two"
        ),
    ])
    private static let readwise =
        "Highlight,Book Title,Note,Highlighted at\n\"one, \"\"1\"\"\nline\",B,n,2024-01-15 10:23\ntwo,B,,2024-01-15 10:24\n"
    private static let chatGPT =
        "["
        + ["c1", "c2"].map { ChatExportTests.chatGPT($0, "T \($0)", ChatExportTests.tree, current: "b") }
        .joined(separator: ",") + "]"
    private static let claude =
        "["
        + ["u1", "u2"].map {
            #"{"uuid":"\#($0)","name":"N","created_at":"2024-01-15T10:00:00Z","chat_messages":[{"sender":"human","text":"é \#($0)"}]}"#
        }.joined(separator: ",") + "]"
    private static let openWebUI =
        "["
        + ["w1", "w2"].map {
            #"{"id":"\#($0)","title":"N","created_at":1705312800,"chat":{"messages":[{"role":"user","content":"é \#($0)"}]}}"#
        }.joined(separator: ",") + "]"
    private static let evernote = EvernoteTests.file([
        EvernoteTests.note("A", "<div>é one</div>"), EvernoteTests.note("B", "two", created: "20240115T101501Z"),
    ])
}
