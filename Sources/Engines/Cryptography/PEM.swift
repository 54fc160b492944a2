#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Text around bytes: keys and certificates as files hold them (RFC 7468).
package enum PEM {
    /// The bytes between the line `-----BEGIN kind-----`, the first of the text, and `-----END kind-----`, the last one; nil
    /// for any other text.
    package static func bytes(of text: String, kinds: String...) -> Data? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.count > 2,
            kinds.contains(where: { lines.first == "-----BEGIN \($0)-----" && lines.last == "-----END \($0)-----" })
        else { return nil }
        return Data(base64Encoded: lines.dropFirst().dropLast().joined())
    }

    /// The first block of a text, with line feeds as line ends. Files may have comments around it.
    package static func block(in text: String) -> String {
        var lines: [Substring] = []
        for line in text.split(whereSeparator: \.isNewline).drop(while: { !$0.hasPrefix("-----BEGIN ") }) {
            lines.append(line)
            if line.hasPrefix("-----END ") { break }
        }
        return lines.joined(separator: "\n")
    }

    /// The text of bytes, without a line end after it.
    package static func text(_ bytes: some Sequence<UInt8>, kind: String) -> String {
        let lines = Data(bytes).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(kind)-----\n\(lines)\n-----END \(kind)-----"
    }
}
