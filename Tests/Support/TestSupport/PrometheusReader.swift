import Foundation

/// A strict reader of Prometheus' text format: what it lets pass, every scraper reads.
package struct PrometheusReader {
    package struct Problem: Error, CustomStringConvertible {
        package var description: String
    }

    /// Values by series: the name and its labels as they were written.
    package private(set) var values: [String: Double] = [:]
    /// Families and their kinds.
    package private(set) var kinds: [String: String] = [:]

    /// Reads a whole scrape.
    package init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Problem(description: "the last line does not end") }
        var family: String?
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("# HELP ") {
                let words = line.split(separator: " ", maxSplits: 3).map(String.init)
                guard words.count == 4, words[2].wholeMatch(of: #/[a-z][a-z0-9_]*/#) != nil else {
                    throw Problem(description: line)
                }
                guard kinds[words[2]] == nil else { throw Problem(description: "\(words[2]) twice") }
                family = words[2]
                continue
            }
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ").map(String.init)
                guard words.count == 4, words[2] == family, ["counter", "gauge", "histogram"].contains(words[3]) else {
                    throw Problem(description: line)
                }
                kinds[words[2]] = words[3]
                continue
            }
            try readSample(line, of: family)
        }
        try checkHistograms()
    }

    private mutating func readSample(_ line: String, of family: String?) throws {
        let pattern = #/([a-z][a-z0-9_]*)(\{(?:[a-z][a-z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)+\})? (\S+)/#
        guard let match = line.wholeMatch(of: pattern), let family, let kind = kinds[family] else {
            throw Problem(description: line)
        }
        let name = String(match.1)
        let suffixes = kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { name == family + $0 }) else {
            throw Problem(description: "\(name) within \(family)")
        }
        let word = String(match.3)
        let value = word == "+Inf" ? Double.infinity : word == "NaN" ? .nan : Double(word)
        guard let value else { throw Problem(description: line) }
        let series = name + (match.2.map(String.init) ?? "")
        guard values.updateValue(value, forKey: series) == nil else { throw Problem(description: "\(series) twice") }
        if kind != "gauge", value < 0 { throw Problem(description: line) }
    }

    /// Buckets grow, the last is without bound, and the count is the last bucket.
    private func checkHistograms() throws {
        for (family, kind) in kinds where kind == "histogram" {
            let counts = values.filter { $0.key.hasPrefix(family + "_count") }
            for (series, count) in counts {
                let labels = series.dropFirst((family + "_count").count).dropFirst().dropLast()
                let prefix = family + "_bucket{" + (labels.isEmpty ? "" : labels + ",") + "le=\""
                let buckets = values.filter { $0.key.hasPrefix(prefix) }.map { key, value in
                    (bound: key.dropFirst(prefix.count).dropLast(2), value: value)
                }.sorted { Self.bound($0.bound) < Self.bound($1.bound) }
                guard buckets.last?.bound == "+Inf", buckets.last?.value == count,
                    zip(buckets, buckets.dropFirst()).allSatisfy({ $0.value <= $1.value })
                else { throw Problem(description: "the buckets of \(series)") }
            }
        }
    }

    private static func bound(_ text: some StringProtocol) -> Double {
        text == "+Inf" ? .infinity : Double(String(text)) ?? .nan
    }

    /// The value of a series; 0 when there is none.
    package subscript(_ series: String) -> Double { values[series] ?? 0 }
}
