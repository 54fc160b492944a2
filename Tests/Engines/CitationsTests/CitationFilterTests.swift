import TestSupport
import Testing

@testable import Citations

struct CitationFilterTests {
    private static let pieces = [
        "[", "]", "[1]", "[2, 3]", "[1-", "3]", "【", "】", "【1†source】", "［１］", "†", "1", "2", " ", "\n", "`", "```",
        "~~~",
        "(", ")", "\\", ":", "a", "é", "語", "🙂", ">", "^", ",", "[1](x)", "[1]: y", "\r\n", "`[1]`",
    ]

    private func random(_ generator: inout SeededGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 0...30, using: &generator) {
            if Int.random(in: 0..<20, using: &generator) == 0 {
                // No UTF-8.
                bytes.append(UInt8.random(in: 0x80...0xFF, using: &generator))
            } else if let piece = Self.pieces.randomElement(using: &generator) {
                bytes += Array(piece.utf8)
            }
        }
        return bytes
    }

    @Test func `every way to cut the bytes gives the same text and markers`() {
        var generator = SeededGenerator(1)
        for _ in 0..<3000 {
            let bytes = random(&generator)
            let text = String(decoding: bytes, as: UTF8.self)
            let expected = CitationFilter.markers(in: text)
            var filter = CitationFilter()
            var shown = ""
            var markers: [CitationMarker] = []
            var start = 0
            while start < bytes.count {
                let end = min(bytes.count, start + Int.random(in: 1...5, using: &generator))
                let output = filter.push(bytes[start..<end])
                shown += output.text
                markers += output.markers
                #expect(text.utf8.starts(with: shown.utf8))
                // Bytes that are no UTF-8 become longer ones, so only held-back bytes of valid text are bounded.
                if Array(text.utf8) == bytes { #expect(end - shown.utf8.count <= MarkerGrammar.maxBytes + 3) }
                start = end
            }
            let rest = filter.finish()
            #expect(shown + rest.text == text)
            #expect(markers + rest.markers == expected, "\(text)")
        }
    }

    @Test func `markers of plain text are those that a slow search finds`() {
        var generator = SeededGenerator(2)
        let alphabet = Array("[]12,- a")
        for _ in 0..<5000 {
            let length = Int.random(in: 0...14, using: &generator)
            let text = String((0..<length).compactMap { _ in alphabet.randomElement(using: &generator) })
            let found = CitationFilter.markers(in: text)
            #expect(found.map(\.range) == slowRanges(Array(text)), "\(text)")
        }
    }

    /// Every pair of brackets whose inside is a list of numbers and ranges, by trying all.
    private func slowRanges(_ text: [Character]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        for start in text.indices where text[start] == "[" {
            guard let end = text[start...].firstIndex(of: "]") else { continue }
            let parts = String(text[(start + 1)..<end]).split(separator: ",", omittingEmptySubsequences: false)
            let areNumbers = parts.allSatisfy { part in
                let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { end -> Int? in
                    let trimmed = String(end.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
                    return trimmed.count <= 3 && trimmed.allSatisfy(\.isNumber) ? Int(trimmed) : nil
                }
                guard (1...2).contains(ends.count), let first = ends.first.flatMap({ $0 }),
                    let last = ends.last.flatMap({ $0 })
                else { return false }
                return first <= last && last - first < 20
            }
            if areNumbers { found.append(start..<(end + 1)) }
        }
        return found
    }

    @Test func `text that cannot become a marker is shown at once`() {
        var filter = CitationFilter()
        #expect(filter.push("The boat [".utf8).text == "The boat ")
        #expect(filter.push("1".utf8).text == "")
        #expect(filter.push("x".utf8).text == "[1x")
        #expect(filter.push(" and [2]".utf8) == .init(text: " and ", markers: []))
        #expect(filter.push(".".utf8) == .init(text: "[2].", markers: [.init(range: 17..<20, numbers: [2])]))
        #expect(filter.push([0xC3]).text == "")
        #expect(filter.push([0xA9]).text == "é")
        #expect(filter.finish() == .init())
    }

    @Test(.slow) func `long text costs time in proportion`() {
        for piece in ["[", "[1", "`", "[1,", "【1†", "~", "![", "(", "]("] {
            let text = String(repeating: piece, count: 200_000 / piece.utf8.count)
            #expect(CitationFilter.markers(in: text).count <= CitationFilter.maxMarkers)
        }
    }
}
