/// A link between files of an archive: the path of a file, and a place in it.
struct ArchivePath: Hashable {
    /// The path from the archive's root, without escapes.
    var path: String
    /// What follows `#`, without escapes.
    var fragment: String?

    /// Resolves a link as it is written in a file of the archive; nil when it leads out of the archive.
    init?(_ link: String, from base: String) {
        let link = CanonicalText.line(link)
        guard link.utf8.count <= 4000 else { return nil }
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        // Windows separates folders by backslashes, and browsers take them for slashes.
        let file = parts[0].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)[0]
            .replacing("\\", with: "/")
        fragment = parts.count > 1 && !parts[1].isEmpty ? Self.unescaped(parts[1]) : nil
        if file.isEmpty {
            path = base
            return
        }
        // A scheme: the link leads out of the archive.
        if let colon = file.firstIndex(of: ":"), !file[..<colon].contains("/") { return nil }
        var folders = file.hasPrefix("/") ? [] : base.split(separator: "/").dropLast().map(String.init)
        for part in Self.unescaped(file).split(separator: "/") where part != "." {
            if part == ".." {
                if !folders.isEmpty { folders.removeLast() }
            } else {
                folders.append(String(part))
            }
        }
        path = folders.joined(separator: "/")
    }

    /// The name of the target for a ``MarkupWriter``.
    var target: String { fragment.map { "\(path)#\($0)" } ?? path }

    /// Text with its percent escapes decoded; damaged escapes stay as they are.
    static func unescaped(_ text: some StringProtocol) -> String {
        let utf8 = Array(text.utf8)
        guard utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var (result, place): ([UInt8], Int) = ([], 0)
        while place < utf8.count {
            if utf8[place] == UInt8(ascii: "%"), place + 2 < utf8.count, let high = digit(utf8[place + 1]),
                let low = digit(utf8[place + 2])
            {
                result.append(high << 4 | low)
                place += 3
            } else {
                result.append(utf8[place])
                place += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
