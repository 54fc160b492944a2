/// Text of a piece of HTML that a person wrote, such as a note or a letter.
package struct MarkupText: Sendable, Hashable {
    /// The text in Markdown: headings, lists, tasks, quotations, code and links keep their signs.
    package var text: String
    /// The title element, in one line; nil when there is none.
    package var title: String?
    /// What was not read as it was written.
    package var warnings: [String]

    /// The most bytes of a piece. Its tree takes about ten times as many; what people write has a hundredth.
    package static let maxBytes = 16 << 20

    /// Reads HTML, or the markup of Evernote.
    ///
    /// Left out is what ``MarkupWriter`` leaves out. Nothing is taken for a part around the text, and no page is refused.
    /// - Parameters:
    ///   - bytes: The file, or a part of it.
    ///   - charset: The character set that its sender named.
    package init(html bytes: [UInt8], charset: String? = nil) {
        (text, title, warnings) = ("", nil, [])
        if bytes.count > Self.maxBytes {
            warnings.append("is larger than \(Self.maxBytes) bytes; the rest is left out")
        }
        let bytes = bytes.count > Self.maxBytes ? Array(bytes.prefix(Self.maxBytes)) : bytes
        let decoded = CharsetDecoder.decode(
            bytes, declared: charset ?? HTMLCharset.declared(bytes), maxBytes: ZipArchive.maxEntryBytes)
        guard var tree = MarkupParser.html(decoded.utf8), let root = tree.root else { return }
        title = tree.first("title").map { tree.line($0) }.flatMap { $0.isEmpty ? nil : $0 }
        MarkupSigns.add(to: &tree)
        var limits = DocumentLimits()
        limits.textBytes = ZipArchive.maxEntryBytes
        var (builder, writer) = (DocumentBuilder(limits: limits), MarkupWriter(tree))
        writer.write(root, into: &builder)
        builder.end()
        if decoded.isGuessed { warnings.append("is not UTF-8; read as \(decoded.charset), which is a guess") }
        if tree.isCut || builder.isCut { warnings.append("is nested too deeply or too large; a part was left out") }
        text = Self.markdown(builder)
    }

    /// The blocks with the signs of their kind before them.
    private static func markdown(_ builder: DocumentBuilder) -> String {
        var result = ""
        var headings = builder.headings[...]
        var last: DocumentBlock.Kind?
        for block in builder.blocks {
            let text = builder.text(block.range)
            let isList = block.kind == .listItem && last == .listItem
            if !result.isEmpty { result += isList ? "\n" : "\n\n" }
            last = block.kind
            while let heading = headings.first, heading.range.lowerBound < block.range.lowerBound {
                headings.removeFirst()
            }
            let level = headings.first.flatMap { $0.range == block.range ? $0.level : nil }
            result += signed(text, block.kind, level: level)
        }
        return result
    }

    private static func signed(_ text: String, _ kind: DocumentBlock.Kind, level: Int?) -> String {
        switch kind {
        case .heading:
            String(repeating: "#", count: level ?? 2) + " " + text.split(separator: "\n").joined(separator: " ")
        // A task has its own sign behind that of the list.
        case .listItem: "- " + text.replacing("\n", with: "\n  ")
        case .quote:
            text.split(separator: "\n", omittingEmptySubsequences: false).map { "> \($0)" }.joined(separator: "\n")
        case .code: "```\n\(text)\n```"
        default: text
        }
    }
}
