import Documents
import TestSupport
import Testing

@testable import DocumentReading

@Suite struct DocumentMessages {
    static let document = Document(
        format: .pdf, title: "T", authors: ["A", "B"], language: "de", identifier: nil, published: "2024",
        text: "Ein Bär.\n\nZwei.",
        pages: [
            DocumentPage(number: 1, label: "iv", range: 0..<11, width: 595.5, height: 842),
            DocumentPage(number: 2, range: 11..<16),
        ],
        numbering: .labels, headings: [DocumentHeading(level: 2, title: "H", range: 0..<3)],
        blocks: [DocumentBlock(kind: .heading, range: 0..<9), DocumentBlock(kind: .paragraph, range: 11..<16)],
        lines: [DocumentLine(range: 0..<9, box: DocumentBox(x: 1, y: 2.5, width: 3, height: 4))],
        notices: [DocumentNotice(.cut, "Cut.", pages: [1, 2])], cover: [1, 2, 3],
        links: DocumentLinks(base: "/b", targets: ["c", "d"]))

    static func body(_ message: [UInt8]) -> [UInt8] { Array(message.dropFirst(DocumentMessage.headBytes)) }

    @Test func roundTrip() throws {
        for outcome in [Result.success(Self.document), .failure(DocumentError(.tooCostly, "Slow."))]
            as [Result<Document, DocumentError>]
        {
            let message = DocumentMessage.encode(outcome)
            #expect(DocumentMessage.length(message) == message.count - DocumentMessage.headBytes)
            #expect(try DocumentMessage.decode(Self.body(message)) == outcome)
        }
    }

    @Test func badHeads() {
        #expect(DocumentMessage.length([]) == nil)
        #expect(DocumentMessage.length(Array("SDM2".utf8) + [1, 0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(DocumentMessage.length(Array("SDM1".utf8) + [UInt8](repeating: 255, count: 8)) == nil)
    }

    @Test func rangesMustBeInTheText() {
        var wrong = Self.document
        wrong.blocks[1].range = 11..<17
        #expect(throws: MessageReader.Damaged.self) {
            try DocumentMessage.decode(Self.body(DocumentMessage.encode(.success(wrong))))
        }
        wrong = Self.document
        wrong.headings[0].range = 0..<6
        #expect(throws: MessageReader.Damaged.self) {
            try DocumentMessage.decode(Self.body(DocumentMessage.encode(.success(wrong))))
        }
        wrong = Self.document
        wrong.pages.removeLast()
        #expect(throws: MessageReader.Damaged.self) {
            try DocumentMessage.decode(Self.body(DocumentMessage.encode(.success(wrong))))
        }
    }

    /// Flipped, cut and random bytes give an error or a document whose ranges are in its text.
    @Test func hostileMessages() {
        var random = SeededGenerator(8)
        let whole = Self.body(DocumentMessage.encode(.success(Self.document)))
        for _ in 0..<Gear.rounds(20_000) {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
            guard let outcome = try? DocumentMessage.decode(bytes), case .success(let document) = outcome else {
                continue
            }
            let end = document.text.utf8.count
            #expect(
                document.pages.allSatisfy { $0.range.upperBound <= end }
                    && document.blocks.allSatisfy { $0.range.upperBound <= end })
        }
    }

    @Test func numbersRoundTrip() throws {
        for value in [0, 1, 127, 128, 300, 1 << 31, Int.max] {
            var writer = MessageWriter()
            writer.write(value)
            var reader = MessageReader(writer.bytes)
            #expect(try reader.number() == value)
            #expect(reader.isAtEnd)
        }
        for bytes in [[], [0x80], [UInt8](repeating: 0xFF, count: 12)] as [[UInt8]] {
            var reader = MessageReader(bytes)
            #expect(throws: MessageReader.Damaged.self) { try reader.number() }
        }
    }
}
