import Foundation

/// What a file says about itself: the information dictionary, and XMP where it has more.
struct Metadata {
    var title: String?
    var authors: [String] = []
    var language: String?
    var identifier: String?

    private static let maxXMPBytes = 1 << 20

    init(_ file: PDFFile) {
        let root = file.root.dictionary ?? [:]
        let info = file.resolve(file.trailer.dictionary?["Info"]).dictionary ?? [:]
        func text(_ value: PDFValue?) -> String? {
            file.resolve(value).string.map(TextString.line).flatMap { $0.isEmpty ? nil : $0 }
        }
        let xmp = String(decoding: file.data(root["Metadata"]).bytes.prefix(Self.maxXMPBytes), as: UTF8.self)
        title = text(info["Title"]) ?? Self.values("dc:title", in: xmp).first
        authors = Self.values("dc:creator", in: xmp)
        if authors.isEmpty, let author = text(info["Author"]) {
            authors = author.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
                !$0.isEmpty
            }
        }
        authors = Array(authors.prefix(100))
        language = (text(root["Lang"]) ?? Self.values("dc:language", in: xmp).first).flatMap(Self.tag)
        identifier = Self.values("dc:identifier", in: xmp).first ?? Self.values("prism:isbn", in: xmp).first
    }

    /// A language tag of at most 35 letters, digits and hyphens.
    private static func tag(_ text: String) -> String? {
        let tag = text.replacing("_", with: "-")
        let isTag =
            tag.utf8.count <= 35 && tag.utf8.count >= 2
            && tag.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) }
        return isTag ? tag : nil
    }

    /// The texts in an element of XMP: of its list items, or its own.
    static func values(_ element: String, in xmp: String) -> [String] {
        guard let start = xmp.range(of: "<\(element)"),
            let opened = xmp.range(of: ">", range: start.upperBound..<xmp.endIndex),
            let end = xmp.range(of: "</\(element)>", range: opened.upperBound..<xmp.endIndex)
        else { return [] }
        var values: [String] = []
        var value = ""
        var isTag = false
        for character in xmp[opened.upperBound..<end.lowerBound] {
            if character == "<" || character == ">" {
                isTag = character == "<"
                if isTag, let text = unescaped(value) { values.append(text) }
                value = ""
            } else if !isTag {
                value.append(character)
            }
        }
        if let text = unescaped(value) { values.append(text) }
        return values
    }

    private static func unescaped(_ text: String) -> String? {
        let names = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#xA;", " "), ("&amp;", "&")]
        let text = names.reduce(text) { $0.replacing($1.0, with: $1.1) }.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : String(text.prefix(1_000))
    }
}

/// The layers of optional content that are off when the file is opened.
enum HiddenLayers {
    static func references(_ file: PDFFile) -> Set<PDFReference> {
        let properties = file.resolve(file.root.dictionary?["OCProperties"]).dictionary ?? [:]
        let defaults = file.resolve(properties["D"]).dictionary ?? [:]
        var off: Set<PDFReference> = []
        if file.resolve(defaults["BaseState"]).name == "OFF" {
            off = Set((file.resolve(properties["OCGs"]).array ?? []).compactMap(\.reference))
        }
        off.formUnion((file.resolve(defaults["OFF"]).array ?? []).compactMap(\.reference))
        off.subtract((file.resolve(defaults["ON"]).array ?? []).compactMap(\.reference))
        return off
    }
}
