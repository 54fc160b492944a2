/// The formats of note sources.
package enum IngestFormat: String, Sendable, Hashable, CaseIterable {
    /// A folder of Markdown files with optional YAML front matter, or one such file.
    case markdown
    /// A file with one JSON object in each line.
    case jsonl
    /// A BEIR folder with `corpus.jsonl`, or that file alone.
    case beir
    /// `My Clippings.txt` of a Kindle.
    case kindle
    /// The conversations of ChatGPT: `conversations.json`, or the folder or the ZIP archive with it.
    case chatGPT = "chatgpt"
    /// The conversations of Claude: `conversations.json`, or the folder or the ZIP archive with it.
    case claude
    /// The chats of Open WebUI: one JSON file.
    case openWebUI = "open-webui"
    /// The highlights of Readwise: one CSV file.
    case readwise
    /// The notes of Evernote: ENEX files.
    case evernote = "enex"
    /// The notes of Google Keep: the folder or the ZIP archive of a Takeout.
    case keep
    /// Pages and databases of Notion: the folder or the ZIP archive of an export as Markdown and CSV.
    case notion
    /// Letters: mbox files, or `.eml` files.
    case mbox
    /// HTML files, one note each: those of a folder, or one.
    case html
    /// Bookmarks of a browser: one HTML file.
    case bookmarks
    /// Outlines or feeds: OPML files.
    case opml

    /// Whether each note is a file of its own, whose path is the note's identity.
    package var isOfFiles: Bool { self == .markdown || self == .html }
    /// Whether the items have names that do not depend on the place of the export; see ``ItemName``.
    package var isExport: Bool { ![.markdown, .jsonl, .beir, .html].contains(self) }

    /// The readers, those of exports first: a source is of the first format whose reader recognizes it.
    private static let readers: [(format: IngestFormat, reader: any ItemReader.Type)] = [
        (.beir, BEIRCorpus.self), (.kindle, KindleClippings.self), (.chatGPT, ChatGPTConversations.self),
        (.claude, ClaudeConversations.self), (.openWebUI, OpenWebUIChats.self), (.readwise, ReadwiseHighlights.self),
        (.evernote, EvernoteNotes.self), (.keep, KeepNotes.self), (.notion, NotionFile.self),
        (.mbox, MailboxLetters.self), (.opml, OutlineFile.self), (.bookmarks, BookmarkFile.self),
        (.html, HTMLFile.self),
        (.markdown, MarkdownFile.self), (.jsonl, JSONLines.self),
    ]

    /// What reads the files of the format.
    var reader: any ItemReader.Type { Self.readers.first { $0.format == self }?.reader ?? MarkdownFile.self }

    /// The format of a source: one that is certain, else Markdown; nil for an archive of no known program.
    static func detect(_ source: IngestSource) -> IngestFormat? {
        readers.first { $0.reader.recognizes(source) }?.format ?? (source.archive == nil ? .markdown : nil)
    }
}
