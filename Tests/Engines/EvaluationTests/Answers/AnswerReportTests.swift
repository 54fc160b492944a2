import Foundation
import TestSupport
import Testing

@testable import Evaluation

/// The figures of answers, benchmarks and their comparison.
struct AnswerReportTests {
    private func sample(
        _ model: String, _ subject: String, _ run: Int, first: Double = 100, total: Double = 1100, tokens: Int = 50,
        supported: Int = 2, claims: Int = 4, citations: Int = 3, invented: Int = 1
    ) -> AnswerSample {
        var sample = AnswerSample(subject: subject, model: model, run: run)
        (sample.firstTokenMilliseconds, sample.totalMilliseconds, sample.completionTokens) = (first, total, tokens)
        (sample.passages, sample.claims, sample.supported) = (5, claims, supported)
        (sample.citations, sample.invented) = (citations, invented)
        return sample
    }

    private func report(_ name: String = "b", slower: Double = 0) -> BenchReport {
        var failed = AnswerSample(subject: "p2", model: "b", run: 2)
        (failed.isDone, failed.error) = (false, "no such <model>")
        var called = sample("b", "p1", 1, first: 300 + slower, supported: 0, claims: 0, citations: 0, invented: 0)
        (called.toolCalls, called.validCalls) = (4, 3)
        return BenchReport(
            name: name, runs: 2, planned: 5,
            subjects: [
                .init(id: "p1", version: "abc", text: "<b>What?</b>"), .init(id: "p2", version: nil, text: "Why?"),
            ],
            samples: [
                sample("a", "p1", 1), sample("a", "p1", 2, first: 200), called,
                sample("b", "p2", 1, first: 500 + slower),
                failed,
            ])
    }

    @Test func `values scatter as defined, and odd ones are left out`() throws {
        let spread = try #require(Spread([2, 4, .nan, 4, 4, 5, 5, 7, 9]))
        #expect(spread.mean == 5 && abs(spread.deviation - 2.138) < 0.001 && spread.low == 2 && spread.high == 9)
        #expect(spread.count == 8)
        #expect(Spread([3])?.deviation == 0 && Spread([.infinity]) == nil)
        #expect(sample("a", "p", 1).tokensPerSecond == 50)
        #expect(sample("a", "p", 1, total: 100).tokensPerSecond == nil)
    }

    @Test func `models are summarised over their finished answers`() throws {
        let report = report()
        #expect(report.models.map(\.model) == ["a", "b"] && !report.isPartial)
        let (a, b) = (report.models[0], report.models[1])
        #expect(a.answers == 2 && a.failed == 0 && a.firstToken?.mean == 150 && a.supported == 0.5)
        #expect(a.callsTools == 0 && a.validCalls == nil && a.cites == 1)
        #expect(a.invents == 2.0 / 6)
        #expect(b.answers == 3 && b.failed == 1 && b.callsTools == 0.5 && b.validCalls == 0.75 && b.cites == 0.5)
        #expect(report.cells.map { "\($0.subject ?? "") \($0.model) \($0.answers)" } == ["p1 a 2", "p1 b 1", "p2 b 2"])
    }

    @Test func `a refusal is neither a claim nor a lack of citations`() {
        var refusal = sample("a", "p", 1, supported: 0, claims: 0, citations: 0, invented: 0)
        refusal.isRefusal = true
        let summary = AnswerSummary(model: "a", [refusal])
        #expect(summary.cites == 1 && summary.supported == nil && summary.invents == nil)
    }

    @Test func `a report reads back, and its table and page hold what was measured`() throws {
        let report = report("evening\u{1B}[2J")
        #expect(try BenchReport(json: report.json()) == report)
        #expect(!message { _ = try BenchReport(json: Data("[]".utf8)) }.isEmpty)
        let text = report.text()
        #expect(text.hasPrefix("evening [2J: 2 prompts, 2 models, 2 runs each\nmodel  answers"))
        #expect(text.contains("150 ± 71") && text.contains("2 of 3") && text.contains("p2  b"))
        #expect(text.contains("1 failed: b: no such <model>"))
        let page = report.html()
        #expect(
            page.hasPrefix("<!DOCTYPE html>") && page.contains("&lt;b&gt;What?&lt;/b&gt;") && !page.contains("<b>What"))
        #expect(page.matches(of: /<svg/).count == 4 && page.contains("b, p1: 300"))
        #expect(page.replacing("http://www.w3.org/2000/svg", with: "").contains("http") == false)
        let tags = page.matches(of: /<(\/?)(svg|g|text|table|tr|td|th|p|div|line|rect|title|style)\b/)
        #expect(tags.count { $0.1.isEmpty } == tags.count { !$0.1.isEmpty })
        var partial = report
        partial.planned = 9
        #expect(partial.text().contains("partial: 5 of 9 answers") && partial.html().contains("partial: 5 of 9"))
        #expect(!BenchReport(name: "x", runs: 1, planned: 1, subjects: [], samples: []).html().isEmpty)
    }

    @Test func `a comparison says what exceeds the spread`() throws {
        let comparison = BenchComparison(report("before"), report("after", slower: 2000))
        let first = try #require(comparison.rows.first { $0.model == "b" && $0.figure == "first token ms" })
        #expect(first.first == 400 && first.second == 2400 && first.isWithinSpread == false)
        let same = try #require(comparison.rows.first { $0.model == "a" && $0.figure == "first token ms" })
        #expect(same.isWithinSpread == true)
        let text = comparison.text()
        #expect(
            text.contains("A: before\nB: after\n") && text.contains("+500 %") && text.contains("(within the spread)"))
        #expect(text.contains("+0 points"))
        #expect(try !comparison.json().isEmpty)
        let other = BenchReport(name: "o", runs: 1, planned: 1, subjects: [], samples: [sample("c", "p", 1)])
        #expect(BenchComparison(report(), other).rows.contains { $0.model == "c" && $0.first == nil })
    }

    @Test(arguments: [
        ("The notes do not say.", true), ("Your notes don’t mention a shoe size [1].", true),
        ("I cannot find an answer to this.", true), ("Die Notizen sagen dazu nichts.", true),
        ("None of the passages contains this.", true), ("The tide is highest after full moon [1].", false),
        ("The dough contains no sugar.", false), ("It is noted.", false), ("", false),
        ("Keine Ahnung, mein Freund.", false),
    ])
    func `a refusal is recognised`(text: String, isRefusal: Bool) {
        #expect(RefusalDetector().isIn(text) == isRefusal)
        #expect(RefusalDetector(phrases: ["keine ahnung"]).isIn("Keine Ahnung, mein Freund."))
    }
}
