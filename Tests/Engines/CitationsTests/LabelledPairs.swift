import Citations
import Foundation

/// A sentence of the fixtures with the class that it should have.
struct LabelledPair: Decodable {
    var set: Int
    var label: String
    /// For a misattributed sentence: the number of the passage that supports it.
    var passage: Int?
    var sentence: String

    /// What a pair is for.
    enum Part {
        case calibration
        /// Held out from the first rules, measured several times since.
        case firstHeldOut
        /// Written before the second revision of the rules.
        case heldOut
        /// Written by another author, who had not seen the rules; never used for a change of them.
        case independent
    }

    /// Sets with odd numbers are for calibration, the others are held out.
    var part: Part {
        if self.set >= 2_000 { return .independent }
        return self.set % 2 == 1 ? .calibration : self.set < 200 ? .firstHeldOut : .heldOut
    }

    /// The passages by set, and the sentences.
    static func load() throws -> (passages: [Int: [String]], pairs: [LabelledPair]) {
        struct Passages: Decodable {
            var set: Int
            var passages: [String]
        }
        let sets = try lines("passages.jsonl", of: Passages.self)
        let passages = Dictionary(sets.map { ($0.set, $0.passages) }) { first, _ in first }
        return (passages, try lines("pairs.jsonl", of: LabelledPair.self))
    }

    private static func lines<Line: Decodable>(_ name: String, of type: Line.Type) throws -> [Line] {
        let folder = Bundle.module.resourceURL?.appendingPathComponent("Fixtures")
        guard let file = folder?.appendingPathComponent(name) else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(type, from: $0)
        }
    }
}

extension CitationVerdict {
    /// The name of the class as in the fixtures.
    var label: String {
        switch self {
        case .supported: "supported"
        case .misattributed: "misattributed"
        case .altered: "altered"
        case .unsupported: "unsupported"
        case .invented: "invented"
        case .uncited: "uncited"
        }
    }
}
