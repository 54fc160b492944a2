/// A character map that a file embeds: codes to text, or codes to CIDs.
struct CMap {
    /// The codes of one length.
    struct CodeSpace {
        var length: Int
        var low: UInt32
        var high: UInt32
    }

    private struct Run {
        var low: UInt32
        var high: UInt32
        /// Of ``low``; the next codes have the next ones.
        var target: UInt32
    }

    private(set) var codeSpaces: [CodeSpace] = []
    private(set) var isVertical = false
    /// The name of a map that this one extends.
    private(set) var base: String?
    private var texts: [UInt32: [UInt32]] = [:]
    private var textRuns: [Run] = []
    private var cidRuns: [Run] = []

    private static let maxEntries = 1 << 17

    var hasTexts: Bool { !texts.isEmpty || !textRuns.isEmpty }

    init(_ bytes: [UInt8]) {
        var parser = CMapParser(bytes)
        while let part = parser.next() {
            guard texts.count + textRuns.count + cidRuns.count < Self.maxEntries else { break }
            switch part {
            case .codeSpace(let low, let high):
                guard (1...4).contains(low.count), codeSpaces.count < 256 else { continue }
                codeSpaces.append(
                    CodeSpace(length: low.count, low: CMapParser.number(low), high: CMapParser.number(high)))
            case .text(let code, let text): texts[code] = text
            case .textRun(let low, let high, let text):
                guard low <= high else { continue }
                if text.count == 1, let first = text.first {
                    textRuns.append(Run(low: low, high: high, target: first))
                } else if let last = text.last {
                    for step in 0...min(high - low, 255) { texts[low + step] = text.dropLast() + [last &+ step] }
                }
            case .cidRun(let low, let high, let cid):
                if low <= high { cidRuns.append(Run(low: low, high: high, target: cid)) }
            case .vertical: isVertical = true
            case .base(let name): base = name
            }
        }
        textRuns.sort { $0.low < $1.low }
        cidRuns.sort { $0.low < $1.low }
    }

    /// The scalars of a code; nil when the map has none.
    func text(_ code: UInt32) -> [UInt32]? {
        if let text = texts[code] { return text }
        return Self.target(of: code, in: textRuns).flatMap { Unicode.Scalar($0) == nil ? nil : [$0] }
    }

    func cid(_ code: UInt32) -> UInt32? {
        Self.target(of: code, in: cidRuns)
    }

    private static func target(of code: UInt32, in runs: [Run]) -> UInt32? {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].low <= code { low = middle + 1 } else { high = middle }
        }
        guard low > 0, code <= runs[low - 1].high else { return nil }
        let (target, isOver) = runs[low - 1].target.addingReportingOverflow(code - runs[low - 1].low)
        return isOver ? nil : target
    }
}
