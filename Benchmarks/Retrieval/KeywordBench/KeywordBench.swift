import Foundation
import Retrieval

/// Measures Selene's keyword leg on command from a script, with one JSON line per command.
///
/// `KeywordBench NOTES` reads a file with one JSON object per line, `{"id", "title", "content"}`, and prints `ready
/// {…}`. Commands are `pattern N TEXT` (N searches for a pattern) and `query N TEXT` (N searches for a question).
@main
struct KeywordBench {
    struct Note: Decodable {
        var id: Int64
        var title: String
        var content: String
    }

    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: KeywordBench NOTES\n".utf8))
            exit(64)
        }
        let notes = try String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8)
        let index = HybridIndex(dimensions: nil)
        let decoder = JSONDecoder()
        var update = IndexUpdate()
        var building = Duration.zero
        let clock = ContinuousClock()
        for line in notes.split(separator: "\n") {
            let note = try decoder.decode(Note.self, from: Data(line.utf8))
            update.documents.append(RetrievalDocument(id: note.id, title: note.title, text: note.content))
            if update.documents.count == 1000 {
                building += try clock.measure { try index.apply(update) }
                update = IndexUpdate()
            }
        }
        building += try clock.measure { try index.apply(update) }
        answer(
            "ready ",
            [
                "build_ms": building / .milliseconds(1), "index_mb": Double(index.statistics.textBytes) / 1e6,
                "notes": index.statistics.documents,
            ])
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count == 3, let count = Int(words[1]) else {
                answer("", ["error": "not understood: \(line)"])
                continue
            }
            let query =
                words[0] == "pattern"
                ? HybridQuery(text: "", keywords: [words[2]], mode: .keyword, limit: 10)
                : HybridQuery(text: words[2], mode: .keyword, limit: 10)
            var times: [Double] = []
            var result: HybridResult?
            for _ in 0..<count {
                times.append(try clock.measure { result = try index.searchNow(query) } / .milliseconds(1))
            }
            answer(
                "",
                [
                    "ms": times, "found": result?.keywordMatches ?? 0,
                    "plan": result?.plans.first.flatMap { $0?.rawValue } ?? "stems",
                ])
        }
    }

    static func answer(_ prefix: String, _ object: [String: Any]) {
        guard let json = try? JSONSerialization.data(withJSONObject: object) else { return }
        print(prefix + String(decoding: json, as: UTF8.self))
        fflush(nil)
    }
}
