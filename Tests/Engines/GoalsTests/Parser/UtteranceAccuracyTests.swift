import Foundation
import Language
import Testing

@testable import Goals

/// How many fields of a fixed set of utterances the parser reads right, without a model.
///
/// Two files were written before the parser: `utterances.jsonl`, and `held-out.jsonl`, a quarter of the whole drawn by chance.
/// Their author also wrote the parser, so both figures are too good. `later.jsonl` was written when the parser was done, in a
/// freer style: 139 of 164 fields (85 %) were right, then the parser was changed for it. `fresh.jsonl` came after that change,
/// and nothing was changed for it: its figure says most about new utterances. A field counts if the label or the draft states
/// it; an exact utterance has no wrong field.
struct UtteranceAccuracyTests {
    private struct Line: Decodable {
        var language: String
        var text: String
        var activity: String?
        var measures: [String]?
        var minutes: Double?
        var day: String?
        var time: String?
        var goal: String?
        var refusal: String?
    }

    private struct Score {
        var right = 0
        var fields = 0
        var exact = 0
        var utterances = 0
        var languages = 0
        var byField: [String: (right: Int, fields: Int)] = [:]
        var wrong: [String] = []
    }

    private static let today = LocalDay(year: 2026, month: 11, day: 22)

    private func score(_ name: String) throws -> Score {
        let file = try #require(Bundle.module.resourceURL).appending(path: "Fixtures/\(name).jsonl")
        let parser = UtteranceParser(today: try #require(Self.today))
        var score = Score()
        for text in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            let draft = parser.parse(line.text)
            let measures = try (line.measures ?? []).map { try #require(Quantity(parsing: $0)) }
            let pairs: [(String, String?, String?)] = [
                ("activity", line.activity, draft.activity),
                ("measures", label(measures), label(draft.measures)),
                ("minutes", line.minutes.map { "\($0)" }, draft.minutes.map { "\($0.doubleValue)" }),
                ("day", line.day, draft.day?.description), ("time", line.time, draft.time?.description),
                ("goal", line.goal, draft.goal), ("refusal", line.refusal, draft.refusals.first?.reason.rawValue),
            ]
            var wrong: [String] = []
            for (field, expected, found) in pairs where expected != nil || found != nil {
                score.fields += 1
                score.byField[field, default: (0, 0)].fields += 1
                if expected == found {
                    score.right += 1
                    score.byField[field, default: (0, 0)].right += 1
                } else {
                    wrong.append("\(field): expected \(expected ?? "nothing"), found \(found ?? "nothing")")
                }
            }
            score.utterances += 1
            score.exact += wrong.isEmpty ? 1 : 0
            score.languages += WrittenLanguage(detecting: line.text).rawValue == line.language ? 1 : 0
            if !wrong.isEmpty { score.wrong.append("\(line.text) → \(wrong.joined(separator: "; "))") }
        }
        let fields = score.byField.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.right)/\($0.value.fields)" }
        print(
            """
            figure: \(name): \(score.right) of \(score.fields) fields right (\(fields.joined(separator: ", "))), \
            \(score.exact) of \(score.utterances) utterances exact, \(score.languages) languages right
            """)
        return score
    }

    /// Amounts in canonical units, so that 1000 m and 1 km are the same.
    private func label(_ measures: [Quantity]) -> String? {
        let texts = measures.map { ($0.converted(to: $0.unit.canonical) ?? $0).description }
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }

    /// The least share of fields in percent; below the measured figures by little, so that a change for the worse shows.
    @Test(arguments: [("utterances", 162, 98), ("held-out", 54, 97), ("later", 60, 96), ("fresh", 60, 90)])
    func `fields are read right`(name: String, count: Int, floor: Int) throws {
        let score = try score(name)
        #expect(score.utterances == count)
        #expect(score.right * 100 >= score.fields * floor, "\(score.wrong.joined(separator: "\n"))")
    }
}
