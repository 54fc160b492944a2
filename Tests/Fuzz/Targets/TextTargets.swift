import Foundation
import GatewayAPI

@testable import Access
@testable import Gateway
@testable import LLM
@testable import Retrieval
@testable import Search
@testable import Server
@testable import Storage
@testable import Text

/// Short texts in requests and files, and the search of any text.
enum TextTargets {
    /// What is read is written as it was, and read as the same again.
    static let texts: FuzzBody = { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let cursor = PageCursor(text: text) {
            promise(PageCursor(text: cursor.text) == cursor, "the cursor \(text) became \(cursor.text)")
        }
        if let seconds = Timestamp.unixSeconds(text) {
            // Offsets lead out of the years that four digits have.
            let written = Timestamp.text(seconds)
            if (-62_167_219_200...253_402_300_799).contains(seconds) {
                promise(Timestamp.unixSeconds(written) == seconds, "\(text) became \(written)")
            }
        }
        if let resolved = PercentEscapes.resolve(text), !text.contains("%") {
            promise(resolved == text, "\(text) became \(resolved)")
        }
        _ = try? FieldCheck.text(text, "field", maxBytes: 100)
        _ = try? FieldCheck.date(text, "field")
    }

    /// A pattern is found where its folded text stands, whichever plan finds it, and nowhere else.
    static let keywords: FuzzBody = { bytes in
        var input = Input(bytes)
        let pattern = TextFolding.fold(String(decoding: input.piece(upTo: UInt8(ascii: "\n")), as: UTF8.self))
        var documents: [KeywordDocument] = []
        while !input.rest.isEmpty, documents.count < 20 {
            let title = TextFolding.fold(String(decoding: input.piece(upTo: UInt8(ascii: "|")), as: UTF8.self))
            let text = TextFolding.fold(String(decoding: input.piece(upTo: UInt8(ascii: "\n")), as: UTF8.self))
            documents.append((documents.count, title, text))
        }
        var index = KeywordIndex()
        do throws(RetrievalError) { try index.apply(set: documents) } catch { return promise(false, "\(error)") }
        let plans: [KeywordPlan?] = [nil] + KeywordPlan.allCases
        let found = plans.map { index.matches(of: pattern, forcing: $0) }
        promise(found.allSatisfy { $0 == found[0] }, "plans differ")
        guard !pattern.isEmpty else { return promise(found[0].isEmpty, "nothing is found") }
        let expected = documents.filter { contains($0.title, pattern) || contains($0.text, pattern) }.map(\.ordinal)
        promise(found[0].map(\.ordinal) == expected, "\(found[0].map(\.ordinal)) instead of \(expected)")
        for document in documents {
            let text = String(decoding: document.text, as: UTF8.self)
            for span in FoldedText(text).spans(of: pattern, limit: 5) {
                promise(span.upperBound <= text.utf8.count && !span.isEmpty, "a span outside the text")
            }
        }
        let terms = QueryTerms(text: input.text, phrases: [])
        _ = terms.terms.count
    }

    private static func contains(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
        guard text.count >= pattern.count else { return false }
        return (0...text.count - pattern.count).contains { text[$0..<$0 + pattern.count].elementsEqual(pattern) }
    }
}
