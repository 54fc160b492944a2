/// Writes metrics in Prometheus' text format, version 0.0.4.
package struct PrometheusText {
    /// The content type that a scraper expects.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The type of a family.
    package enum Kind: String { case counter, gauge, histogram }

    /// A label's name and value.
    package typealias Label = (name: String, value: String)

    /// The text so far; every line is complete.
    package private(set) var text = ""

    /// Begins a family. All of its samples must follow.
    package mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Writes a sample.
    package mutating func sample(_ name: String, _ labels: [Label] = [], _ value: Int) {
        line(name, labels, String(value))
    }

    /// Writes a sample.
    package mutating func sample(_ name: String, _ labels: [Label] = [], _ value: Double) {
        line(name, labels, Self.number(value))
    }

    /// Writes a family of one sample.
    package mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        family(name, kind, help)
        sample(name, [], value)
    }

    /// Writes a family of one sample.
    package mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        family(name, kind, help)
        sample(name, [], value)
    }

    /// Writes the samples of one histogram.
    ///
    /// - Parameter counts: Records in each bucket, not cumulative, one more than `bounds`.
    package mutating func histogram(_ name: String, _ labels: [Label], bounds: [Double], counts: [Int], sum: Double) {
        var total = 0
        for (index, count) in counts.enumerated() {
            total += count
            let bound = index < bounds.count ? Self.number(bounds[index]) : "+Inf"
            line(name + "_bucket", labels + [("le", bound)], String(total))
        }
        line(name + "_sum", labels, Self.number(sum))
        line(name + "_count", labels, String(total))
    }

    /// Writes the samples of one histogram.
    package mutating func histogram(_ name: String, _ labels: [Label] = [], _ snapshot: MetricsHistogram.Snapshot) {
        histogram(name, labels, bounds: MetricsHistogram.bounds, counts: snapshot.counts, sum: snapshot.sum)
    }

    private mutating func line(_ name: String, _ labels: [Label], _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{"
            for (index, label) in labels.enumerated() {
                if index > 0 { text += "," }
                text += "\(label.name)=\"\(Self.escaped(label.value, quotes: true))\""
            }
            text += "}"
        }
        text += " \(value)\n"
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : value.description
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || (quotes && $0 == 0x22) }) else { return text }
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\"" where quotes: escaped += "\\\""
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
