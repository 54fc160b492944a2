import Documents

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a client gets of a page.
package struct WebPageText: Sendable, Hashable, Encodable {
    /// The most links, and their bytes together.
    static let maxLinks = 500
    static let maxLinkBytes = 64 << 10
    static let maxTitleBytes = 1000
    /// The last line of a page that was not read whole.
    static let cutMark = "[The page is longer; the rest is left out.]"

    package var title: String
    /// The main text: paragraphs, with headings, lists, quotations and code as Markdown writes them.
    package var content: String
    /// Absolute http and https addresses of the whole page, in its order, each once and without its fragment.
    package var links: [String]

    /// - Parameters:
    ///   - url: The address of the page after redirects.
    ///   - isCut: Whether the page was not fetched whole.
    init(_ document: Document, url: String, isCut: Bool) {
        title = document.title ?? ""
        content = Self.markdown(document)
        if isCut || document.notices.contains(where: { $0.code == .cut }) { content += "\n\n" + Self.cutMark }
        links = document.links.map { Self.absolute($0, of: url) } ?? []
    }

    // MARK: Text

    private static func markdown(_ document: Document) -> String {
        let utf8 = Array(document.text.utf8)
        let levels = Dictionary(document.headings.map { ($0.range.lowerBound, $0.level) }) { first, _ in first }
        var text = ""
        var last: DocumentBlock.Kind?
        for block in document.blocks where block.kind != .runningHead {
            if let last { text += last == .listItem && block.kind == .listItem ? "\n" : "\n\n" }
            let plain = String(decoding: utf8[block.range], as: UTF8.self)
            text += markdown(plain, block.kind, level: levels[block.range.lowerBound])
            last = block.kind
        }
        return text
    }

    private static func markdown(_ text: String, _ kind: DocumentBlock.Kind, level: Int?) -> String {
        func lines(_ first: String, _ others: String) -> String {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            return lines.enumerated().map { ($0.offset == 0 ? first : others) + $0.element }.joined(separator: "\n")
        }
        switch kind {
        case .heading:
            let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
            return String(repeating: "#", count: min(max(level ?? 2, 1), 6)) + " " + line
        case .listItem: return lines("- ", "  ")
        case .quote: return lines("> ", "> ")
        case .code:
            // A fence is longer than every one in the text.
            let fence = String(repeating: "`", count: max(3, longestFence(text) + 1))
            return "\(fence)\n\(text)\n\(fence)"
        case .paragraph, .table, .caption, .footnote, .runningHead: return text
        }
    }

    private static func longestFence(_ text: String) -> Int {
        var (longest, length) = (0, 0)
        for byte in text.utf8 {
            length = byte == UInt8(ascii: "`") ? length + 1 : 0
            longest = max(longest, length)
        }
        return longest
    }

    // MARK: Links

    static func absolute(_ links: DocumentLinks, of page: String) -> [String] {
        guard let page = URL(string: page) else { return [] }
        let base = links.base.flatMap { URL(string: $0, relativeTo: page)?.absoluteURL } ?? page
        var known: Set<String> = []
        var bytes = 0
        var found: [String] = []
        for target in links.targets where found.count < maxLinks {
            guard let url = URL(string: target, relativeTo: base)?.absoluteURL,
                let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
                url.host()?.isEmpty == false
            else { continue }
            let address = String(url.absoluteString.prefix { $0 != "#" })
            guard address.utf8.count <= DocumentLinks.maxTargetBytes, known.insert(address).inserted else { continue }
            bytes += address.utf8.count
            guard bytes <= maxLinkBytes else { break }
            found.append(address)
        }
        return found
    }
}
