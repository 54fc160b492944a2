import TestSupport

@testable import Retrieval

/// What the keyword leg should find and how it should score it, by brute force over every folded text.
struct ReferenceKeywordIndex {
    struct Document: Equatable {
        var title: [UInt8]
        var text: [UInt8]
    }

    var documents: [Int: Document] = [:]

    // MARK: Patterns

    static func isInWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || ("a"..."z").contains(Unicode.Scalar(byte)) || ("0"..."9").contains(Unicode.Scalar(byte))
    }

    /// Quarters of occurrences in a field, without a bound.
    static func quarters(_ pattern: [UInt8], in field: [UInt8]) -> Int {
        var (sum, place) = (0, 0)
        while place + pattern.count <= field.count {
            if field[place] == pattern[0], field[place..<place + pattern.count].elementsEqual(pattern) {
                sum += place == 0 || !isInWord(field[place - 1]) ? 4 : 1
                place += pattern.count
            } else {
                place += 1
            }
        }
        return sum
    }

    func matches(of pattern: [UInt8]) -> [KeywordIndex.Match] {
        documents.keys.sorted().compactMap { ordinal in
            guard let document = documents[ordinal], !pattern.isEmpty else { return nil }
            let title = Self.quarters(pattern, in: document.title)
            let all = title + Self.quarters(pattern, in: document.text)
            guard all > 0 else { return nil }
            return KeywordIndex.Match(
                ordinal: ordinal, quarters: min(all, TermRows.maxQuarters), isInTitle: title > 0)
        }
    }

    // MARK: Words

    /// The stems of a folded text, pairs of ideographs for words where there are such.
    static func stems(_ text: [UInt8]) -> [String] {
        var stems: [String] = []
        var word = ""
        var ideographs: [Character] = []
        func end() {
            if !word.isEmpty {
                stems.append(String(decoding: EnglishStemmer.stem(Array(word.utf8)), as: UTF8.self))
            }
            if ideographs.count == 1 { stems.append(String(ideographs)) }
            for (first, second) in zip(ideographs, ideographs.dropFirst()) { stems.append(String([first, second])) }
            word = ""
            ideographs = []
        }
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            let isHan = ("\u{4E00}"..."\u{9FFF}").contains(scalar)
            let belongs = scalar.isASCII ? isInWord(UInt8(scalar.value)) : scalar.properties.isAlphabetic
            if isHan {
                if !word.isEmpty { end() }
                ideographs.append(Character(scalar))
            } else if belongs {
                if !ideographs.isEmpty { end() }
                word.unicodeScalars.append(scalar)
            } else {
                end()
            }
        }
        end()
        return stems
    }

    /// BM25 of stems as the books have it, in double precision.
    func bm25(_ stems: [String: Int], k1: Double, b: Double, titleOccurrences: Double) -> [Int: Double] {
        let words = documents.mapValues { Self.stems($0.title) + Self.stems($0.text) }
        let average = Double(words.values.reduce(0) { $0 + $1.count }) / Double(documents.count)
        var scores: [Int: Double] = [:]
        for (stem, repeats) in stems {
            let holders = words.values.filter { $0.contains(stem) }.count
            let idf = Self.log(1 + (Double(documents.count - holders) + 0.5) / (Double(holders) + 0.5))
            for (ordinal, own) in words {
                var frequency = Double(own.filter { $0 == stem }.count)
                guard frequency > 0, let document = documents[ordinal] else { continue }
                if Self.stems(document.title).contains(stem) { frequency += titleOccurrences }
                let norm = k1 * (1 - b + b * Double(own.count) / average)
                scores[ordinal, default: 0] += Double(repeats) * idf * frequency * (k1 + 1) / (frequency + norm)
            }
        }
        return scores
    }

    /// The series for the area hyperbolic tangent: no library call, as everything here.
    private static func log(_ value: Double) -> Double {
        var (scaled, twos) = (value, 0.0)
        while scaled > 1.5 {
            scaled /= 2
            twos += 1
        }
        let ratio = (scaled - 1) / (scaled + 1)
        var (term, sum) = (ratio, 0.0)
        for odd in stride(from: 1.0, to: 60, by: 2) {
            sum += term / odd
            term *= ratio * ratio
        }
        return 2 * sum + twos * 0.693_147_180_559_945_3
    }
}
