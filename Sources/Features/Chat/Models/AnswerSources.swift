import GatewayAPI

/// The sources of an answer, for clients that show text only, and for APIs with citations of their own.
struct AnswerSources: Sendable {
    /// What stands before the list.
    static let heading = "\n\nSources:\n"

    /// A citation in the text of an answer.
    struct Citation: Sendable, Hashable {
        /// The marker in the text, in Unicode scalars.
        var range: Range<Int>
        var passage: ChatPassage
        /// The page of the gateway's client that shows it.
        var address: String
    }

    /// The cited passages, by their numbers.
    let passages: [ChatPassage]
    /// The citations, in the order of the text.
    let citations: [Citation]
    private let withheld: Int

    /// - Parameters:
    ///   - base: The address of the gateway's pages, such as `http://localhost:8080`.
    ///   - offset: The first byte of the text that the answer has.
    init(of run: ChatRun, base: String, from offset: Int = 0) {
        let (record, text) = (run.record ?? ChatRecord(), run.text ?? "")
        let known = Dictionary(record.passages.map { ($0.number, $0) }) { first, _ in first }
        let bytes = Array(text.utf8)
        citations = record.citations.compactMap { citation in
            guard let passage = known[citation.number], let start = citation.marker.first,
                let end = citation.marker.last,
                0 <= offset, offset <= start, start <= end, end <= bytes.count
            else { return nil }
            func scalars(_ part: ArraySlice<UInt8>) -> Int {
                String(decoding: part, as: UTF8.self).unicodeScalars.count
            }
            let place = scalars(bytes[offset..<start])
            return Citation(
                range: place..<place + scalars(bytes[start..<end]), passage: passage,
                address: base + Self.path(of: passage))
        }
        let numbers = Set(citations.map(\.passage.number))
        passages = record.passages.filter { numbers.contains($0.number) }.sorted { $0.number < $1.number }
        withheld = record.withheld.count
    }

    private static func path(of passage: ChatPassage) -> String {
        if let note = passage.note { return "/#/notes/\(note)" }
        guard let book = passage.book else { return "/" }
        return "/#/books/\(book)" + (passage.page.map { "/p/\($0)" } ?? "")
    }

    /// The list behind the answer; empty without sources.
    var text: String {
        var lines = passages.map { passage in
            "[\(passage.number)] \(passage.title)" + (passage.date.isEmpty ? "" : ", \(passage.date)")
        }
        if withheld > 0 {
            lines.append(
                "Not sent to this model, because they are private: \(withheld) \(withheld == 1 ? "note" : "notes").")
        }
        return lines.isEmpty ? "" : Self.heading + lines.joined(separator: "\n")
    }
}
