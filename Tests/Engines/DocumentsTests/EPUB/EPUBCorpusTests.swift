import Foundation
import Testing

@testable import Documents

@Suite struct EPUBCorpus {
    @Test func allFilesReadAsExpected() throws {
        for expected in Shared.lines("corpora/epub/expected.jsonl") {
            let name = try #require(expected["file"] as? String)
            guard let bytes = Shared.file("corpora/epub/\(name)") else { continue }
            let archive = try ZipArchive(bytes, limits: DocumentLimits())
            let container = try EPUBContainer(archive)
            let path = try #require(container.packages.first { archive.contains($0) })
            #expect(path == expected["package"] as? String, "\(name)")
            let package = try EPUBPackage(try #require(try archive.read(path)), path: path)
            #expect(package.spine.count == expected["spine"] as? Int, "\(name): spine")
            let contents = try EPUBReader.contents(of: package, in: archive)
            #expect(contents.chapters.count { $0.target != nil } == expected["contents"] as? Int, "\(name): contents")
            let document: Document
            do throws(DocumentError) { document = try DocumentReader.read(bytes, name: name) } catch {
                Issue.record("\(name): \(error.message)")
                continue
            }
            expectPromises(document, "\(name)")
            #expect(document.format == .epub)
            #expect((expected["title"] as? [String])?.first.map(CanonicalText.line) == document.title, "\(name)")
            #expect((expected["language"] as? [String])?.first == document.language, "\(name)")
            let labels = expected["page_labels"] as? [Any] ?? []
            let own = document.pages.compactMap(\.label)
            if labels.count == 3 {
                #expect(own.first == labels[0] as? String, "\(name)")
                #expect(own.last == labels[1] as? String, "\(name)")
                #expect(own.count == labels[2] as? Int, "\(name)")
                #expect(document.numbering == .labels)
            } else {
                #expect(document.numbering != .labels, "\(name)")
            }
            // A wrong use of namespaces is no obstacle to reading.
            let broken = name == "pub-xml-names.epub" ? [] : expected["not_well_formed"] as? [Any] ?? []
            #expect(broken.isEmpty == !document.notices.contains { $0.code == .repaired }, "\(name): \(broken)")
        }
    }

    @Test func aNovelEqualsItsTextFile() throws {
        guard let epub = Shared.file("books/hound/books/hound.epub"),
            let text = Shared.file("books/hound/books/hound.txt")
        else { return }
        let document = try DocumentReader.read(epub)
        expectPromises(document, "hound")
        func words(_ text: String) -> [String] { text.split { " \n\t".contains($0) }.map(String.init) }
        // The text file leaves out imprint, colophon and licence.
        let chapters = try #require(document.headings.first { $0.title.hasPrefix("I: ") })
        let own = words(document.text(chapters.range.lowerBound..<document.text.utf8.count))
        let expected = words(String(decoding: text[302...], as: UTF8.self))
        #expect(own.prefix(expected.count).elementsEqual(expected))
        #expect(
            document.text.contains("It was to your account of a West-Country legend that this tale owes its inception.")
        )
        let titles = Shared.lines("books/hound/sections.jsonl").compactMap { $0["title"] as? String }
        let headings = document.headings.filter { heading in
            titles.contains {
                heading.title.replacing("\u{A0}", with: " ").hasSuffix(": " + $0.replacing("\u{A0}", with: " "))
            }
        }
        #expect(headings.count == titles.count)
        #expect(headings.allSatisfy { !$0.range.isEmpty })
    }
}
