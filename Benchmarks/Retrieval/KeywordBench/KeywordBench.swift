import Foundation
import Retrieval

/// Measures Selene's keyword leg on command from a script, with one JSON line per command.
///
/// `KeywordBench NOTES [INDEX]` reads a file with one JSON object per line, `{"id", "title", "content"}`, and prints
/// `ready {…}`. With a second argument it writes an index file there and searches the mapped file; a file that exists
/// is used as it is. Commands, each for N searches:
///
/// - `pattern N TEXT`: for a pattern.
/// - `query N TEXT`: for a question, with keywords alone.
/// - `best SCORER N LIMIT TEXT`: for a question, with keywords alone.
/// - `question SCORER N LIMIT TEXT`: for a question, with the candidates that a hybrid search takes.
@main
struct KeywordBench {
    struct Note: Decodable {
        var id: Int64
        var title: String
        var content: String
    }

    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 2 || arguments.count == 3 else {
            FileHandle.standardError.write(Data("usage: KeywordBench NOTES [INDEX]\n".utf8))
            exit(64)
        }
        let (index, building) = try index(arguments[1], file: arguments.count == 3 ? arguments[2] : nil)
        answer(
            "ready ",
            [
                "build_ms": building / .milliseconds(1), "index_mb": Double(index.statistics.textBytes) / 1e6,
                "notes": index.statistics.documents, "resident_mb": residentMegabytes(),
            ])
        while let line = readLine() {
            guard let (query, count) = query(line) else {
                answer("", ["error": "not understood: \(line)"])
                continue
            }
            var (times, processor): ([Double], [Double]) = ([], [])
            for _ in 0..<count {
                let started = processorMilliseconds()
                times.append(try ContinuousClock().measure { _ = try index.searchNow(query) } / .milliseconds(1))
                processor.append(processorMilliseconds() - started)
            }
            var reply: [String: Any] = ["ms": times, "cpu_ms": processor, "resident_mb": residentMegabytes()]
            if line.hasPrefix("pattern") || line.hasPrefix("query") {
                // Documents are only counted for an explanation.
                var explained = query
                explained.explain = true
                let result = try index.searchNow(explained)
                reply["found"] = result.keywordMatches ?? 0
                reply["plan"] = result.plans.first.flatMap { $0?.rawValue } ?? "stems"
            }
            answer("", reply)
        }
    }

    /// The index of the notes, from a file or built, and the time that the building took.
    static func index(_ notes: String, file: String?) throws -> (HybridIndex, Duration) {
        if let file, FileManager.default.fileExists(atPath: file) {
            return (try HybridIndex.open(path: file).index, .zero)
        }
        let index = HybridIndex(dimensions: nil)
        let decoder = JSONDecoder()
        var update = IndexUpdate()
        var building = Duration.zero
        let clock = ContinuousClock()
        let text = try String(contentsOfFile: notes, encoding: .utf8)
        for line in text.split(separator: "\n") {
            let note = try decoder.decode(Note.self, from: Data(line.utf8))
            update.documents.append(RetrievalDocument(id: note.id, title: note.title, text: note.content))
            if update.documents.count == 1000 {
                building += try clock.measure { try index.apply(update) }
                update = IndexUpdate()
            }
        }
        building += try clock.measure { try index.apply(update) }
        guard let file else { return (index, building) }
        building += try clock.measure { try index.image.write(to: file, stamp: IndexStamp(source: "bench", cursor: 0)) }
        return (try HybridIndex.open(path: file).index, building)
    }

    /// The query of a command, and how often it is asked.
    static func query(_ line: String) -> (HybridQuery, count: Int)? {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3 else { return nil }
        if words[0] == "question" || words[0] == "best" {
            let rest = words[2].split(separator: " ", maxSplits: 2).map(String.init)
            guard let scorer = KeywordScorer(rawValue: words[1]), rest.count == 3, let count = Int(rest[0]),
                let limit = Int(rest[1])
            else { return nil }
            return (
                HybridQuery(
                    text: rest[2], vector: [1], mode: words[0] == "best" ? .keyword : .hybrid, limit: limit,
                    scorer: scorer
                ), count
            )
        }
        guard let count = Int(words[1]) else { return nil }
        return words[0] == "pattern"
            ? (HybridQuery(text: "", keywords: [words[2]], mode: .keyword, limit: 10), count)
            : (HybridQuery(text: words[2], mode: .keyword, limit: 10), count)
    }

    /// The processor time of all threads.
    static func processorMilliseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// Memory of the process that is not mapped from a file, in megabytes; 0 where the system does not tell.
    static func residentMegabytes() -> Double {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") }),
            let kilobytes = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Double($0) })
        else { return 0 }
        return kilobytes / 1e3
    }

    static func answer(_ prefix: String, _ object: [String: Any]) {
        guard let json = try? JSONSerialization.data(withJSONObject: object) else { return }
        print(prefix + String(decoding: json, as: UTF8.self))
        fflush(nil)
    }
}
