import TestSupport
import Testing

@testable import Documents

@Suite struct DOCXCorpus {
    @Test(.slow) func allFilesReadAsExpected() throws {
        func words(_ text: String) -> [String] { text.split { $0.isWhitespace }.map(String.init) }
        for expected in Shared.lines("corpora/docx/expected.jsonl") {
            let name = try #require(expected["file"] as? String)
            guard let bytes = Shared.file("corpora/docx/\(name)") else { continue }
            let paragraphs = expected["paragraphs"] as? [[String: Any]] ?? []
            let texts = paragraphs.compactMap { $0["text"] as? String }
            let document: Document
            do throws(DocumentError) { document = try DocumentReader.read(bytes, name: name) } catch {
                #expect(error.code == .empty && texts.isEmpty, "\(name): \(error.message)")
                continue
            }
            expectPromises(document, "\(name)")
            #expect(document.format == .docx)
            let own = document.blocks.filter { $0.kind != .footnote }.flatMap { words(document.text($0.range)) }
            // The text box and the repeats of merged cells are where python-docx differs.
            if expected["unread"] == nil,
                !["mammoth.js/text-box.docx", "python-docx/tbl-cell-access.docx"].contains(name)
            {
                #expect(own == texts.flatMap(words), "\(name)")
            }
            let breaks = paragraphs.reduce(0) { $0 + ($1["rendered_breaks"] as? Int ?? 0) }
            if breaks > 0 {
                #expect(document.numbering == .breaks, "\(name)")
                // Breaks in empty paragraphs are not in the expected ones; three sections are without a rendered break.
                let more =
                    ["python-docx/sct-first-page-hdrftr.docx": 1, "python-docx/sct-section-props.docx": 2][name] ?? 0
                #expect(document.pages.count == breaks + more + 1, "\(name)")
            }
            let headings = paragraphs.filter { paragraph in
                let style = paragraph["style"] as? String ?? ""
                return style.hasPrefix("Heading") || style == "Title"
            }
            #expect(document.headings.count == headings.count, "\(name)")
        }
    }
}
