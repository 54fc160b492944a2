import TestSupport
import Testing

@testable import Documents

@Suite struct HTMLCorpus {
    /// Words, lower case; characters of Chinese and Japanese alone.
    static func tokens(_ text: String) -> [String: Int] {
        var (counts, word): ([String: Int], String) = ([:], "")
        func end() {
            if !word.isEmpty { counts[word, default: 0] += 1 }
            word = ""
        }
        for scalar in text.lowercased().unicodeScalars {
            let isWide = (0x3040...0x30FF).contains(scalar.value) || (0x4E00...0x9FFF).contains(scalar.value)
            if isWide || !(scalar.properties.isAlphabetic || scalar.properties.numericType != nil) { end() }
            if isWide {
                counts[String(scalar), default: 0] += 1
            } else if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                word.unicodeScalars.append(scalar)
            }
        }
        end()
        return counts
    }

    static func agreement(_ own: String, _ expected: String) -> (precision: Double, recall: Double, f1: Double) {
        let (own, expected) = (tokens(own), tokens(expected))
        let common = Double(own.reduce(0) { $0 + min($1.value, expected[$1.key] ?? 0) })
        let (ownCount, count) = (Double(own.values.reduce(0, +)), Double(expected.values.reduce(0, +)))
        if ownCount == 0 || count == 0 { return ownCount == count ? (1, 1, 1) : (0, 0, 0) }
        let (precision, recall) = (common / ownCount, common / count)
        return (precision, recall, common == 0 ? 0 : 2 * precision * recall / (precision + recall))
    }

    @Test(.slow) func articles() throws {
        var scores: [(name: String, score: (precision: Double, recall: Double, f1: Double))] = []
        var titles = 0
        let metadata = Shared.lines("corpora/html/expected/metadata.jsonl")
        for line in metadata {
            let name = try #require(line["file"] as? String)
            guard let bytes = Shared.file("corpora/html/\(name)"),
                let expected = Shared.file("corpora/html/expected/\(name.dropLast(5)).txt")
            else { continue }
            var text = ""
            do throws(DocumentError) {
                let document = try DocumentReader.read(bytes, name: name, content: .article)
                expectPromises(document, "\(name)")
                expectPromises(try DocumentReader.read(bytes, name: name), "\(name), whole")
                text = document.text
                if CanonicalText.line(line["title"] as? String ?? "") == document.title ?? "" { titles += 1 }
            } catch { Issue.record("\(name): \(error)") }
            scores.append((name, Self.agreement(text, String(decoding: expected, as: UTF8.self))))
        }
        guard !scores.isEmpty else { return }
        let values = scores.map(\.score.f1).sorted()
        let mean = values.reduce(0, +) / Double(values.count)
        print("articles: mean F1 \(mean), median \(values[values.count / 2]), titles \(titles) of \(values.count)")
        #expect(mean > 0.97)
        #expect(titles >= 50)
    }
}
