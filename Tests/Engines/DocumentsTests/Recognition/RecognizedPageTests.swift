import TestSupport
import Testing

@testable import Documents

/// Tables of words of `tesseract`, and their place in a document.
struct RecognizedPages {
    private static let head =
        "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"

    private static func table(_ rows: [String]) -> [UInt8] { Array((head + rows.joined(separator: "\n") + "\n").utf8) }

    private static let page = RecognizedPage(
        table: table([
            "1\t1\t0\t0\t0\t0\t0\t0\t600\t800\t-1\t", "2\t1\t1\t0\t0\t0\t10\t10\t100\t100\t-1\t",
            "5\t1\t1\t1\t1\t1\t10\t20\t30\t10\t96.5\tThe", "5\t1\t1\t1\t1\t2\t50\t18\t40\t14\t91\ttide",
            "5\t1\t1\t1\t2\t1\t10\t40\t30\t10\t88\trises.", "5\t1\t1\t2\t1\t1\t10\t80\t30\t10\t88\tcafe\u{301}",
            "5\t1\t2\t1\t1\t1\t10\t120\t30\t10\t12\t~\"", "5\t1\t2\t1\t2\t1\t10\t140\t30\t10\t70\t\u{0}x\u{7}",
        ]))

    @Test func `words become lines and paragraphs with boxes`() {
        let page = Self.page
        #expect(page.width == 600 && page.height == 800)
        #expect(page.lines.map(\.text) == ["The tide", "rises.", "cafe\u{301}", "x"])
        #expect(page.lines.map(\.startsBlock) == [true, false, true, true])
        #expect(page.lines[0].box == DocumentBox(x: 10, y: 18, width: 80, height: 14))
    }

    @Test func `rows that are none, and too much of them, are left out`() {
        let odd = Self.table([
            "", "5", "5\t1\t1\t1\t1\t1\t1", "x\t1\t1\t1\t1\t1\t1\t1\t1\t1\t90\tword",
            "5\t1\t1\t1\t1\t1\ta\t1\t1\t1\t90\tword",
            "5\t1\t1\t1\t1\t1\t1\t1\t1\t1\tnan\tword", "5\t1\t1\t1\t1\t1\t1\t1\t1\t1\t90\t \u{FFFD} ",
            "5\t1\t1\t1\t1\t1\tx9\t1\t1\t1\t90\tword",
            "5\t1\tx1\t1\t1\t1\t1\t1\t1\t1\t90\tword",
        ])
        #expect(RecognizedPage(table: odd).lines.isEmpty)
        #expect(RecognizedPage(table: []).lines.isEmpty)
        #expect(RecognizedPage(table: [0xFF, 0x09, 0x0A, 0x09]).lines.isEmpty)
        let many = Self.table((0..<5_000).map { "5\t1\t1\t1\t\($0)\t1\t1\t1\t1\t1\t90\tword" })
        #expect(RecognizedPage(table: many).lines.count == RecognizedPage.maxLines)
        let long = Self.table((0..<2_000).map { "5\t1\t1\t1\t1\t\($0)\t1\t1\t1\t1\t90\twörter" })
        let line = RecognizedPage(table: long).lines
        #expect(line.count == 1 && line[0].text.utf8.count <= RecognizedPage.maxLineBytes)
        #expect(line[0].text.hasPrefix("wörter wörter") && !line[0].text.contains("\u{FFFD}"))
    }

    /// Pages of text (with their lines) and empty ones.
    private static func document(_ texts: [String?]) throws -> Document {
        let sample = SamplePDF.file(texts.map { $0.map { [$0] } ?? [] })
        var document = try DocumentReader.read(sample, name: "a.pdf")
        let scanned = texts.indices.filter { texts[$0] == nil }.map { $0 + 1 }
        document.notices = [DocumentNotice(.scannedPages, "images", pages: scanned)]
        return document
    }

    /// What a document promises about its ranges.
    private static func check(_ document: Document, _ note: Comment = "") {
        let bytes = Array(document.text.utf8)
        var end = 0
        for page in document.pages {
            #expect(page.range.lowerBound == end, note)
            end = page.range.upperBound
        }
        #expect(end == bytes.count, note)
        for ranges in [document.blocks.map(\.range), document.lines.map(\.range)] {
            for (one, next) in zip(ranges, ranges.dropFirst()) { #expect(one.upperBound <= next.lowerBound, note) }
            for range in ranges {
                #expect(
                    document.pages.contains {
                        $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound
                    }, note)
            }
        }
    }

    @Test func `text lands on its page, and what stands behind moves`() throws {
        let document = try Self.document(["First page.", nil, "Third page.", nil])
        let added = document.adding([2: Self.page, 4: Self.page, 3: Self.page, 9: Self.page])
        Self.check(added)
        let bytes = Array(added.text.utf8)
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        #expect(text(added.pages[1].range) == "The tide\nrises.\n\ncaf\u{E9}\n\nx\n\n")
        #expect(text(added.pages[3].range) == text(added.pages[1].range))
        #expect(
            text(added.pages[2].range).hasPrefix("Third page.") && text(added.pages[0].range).hasPrefix("First page."))
        #expect(
            added.blocks.map { text($0.range) } == [
                "First page.", "The tide\nrises.", "café", "x", "Third page.", "The tide\nrises.", "café", "x",
            ])
        let line = try #require(added.lines.first { text($0.range) == "The tide" })
        #expect(line.box == DocumentBox(x: 5, y: 9, width: 40, height: 7), "pixels of 600 by 800 on 300 by 400 points")
        #expect(added.lines.map { text($0.range) }.contains("Third page."))
        #expect(added.notices.map(\.code) == [.recognizedPages] && added.notices[0].pages == [2, 4])
    }

    @Test func `pages without a result stay named`() throws {
        let document = try Self.document([nil, nil, nil])
        #expect(document.pagesToRecognize == [1, 2, 3])
        let added = document.adding([2: Self.page, 3: RecognizedPage()])
        Self.check(added)
        #expect(added.notices.map(\.code) == [.scannedPages, .recognizedPages])
        #expect(added.notices[0].pages == [1, 3] && added.notices[1].pages == [2])
        #expect(document.adding([:]) == document)
    }

    @Test func `any documents and results keep the promises`() throws {
        var numbers = SeededGenerator(5)
        for round in 0..<60 {
            let texts = (0..<Int.random(in: 1...8, using: &numbers)).map { index in
                Bool.random(using: &numbers) ? "Page \(index) of round \(round)." : nil
            }
            let document = try Self.document(texts)
            let chosen = texts.indices.filter { _ in Bool.random(using: &numbers) }
            let added = document.adding(Dictionary(uniqueKeysWithValues: chosen.map { ($0 + 1, Self.page) }))
            Self.check(added, "round \(round)")
            for (index, text) in texts.enumerated() {
                let page = String(decoding: Array(added.text.utf8)[added.pages[index].range], as: UTF8.self)
                if let text {
                    #expect(page.hasPrefix(text))
                } else {
                    #expect(page.isEmpty == !chosen.contains(index))
                }
            }
        }
    }
}
