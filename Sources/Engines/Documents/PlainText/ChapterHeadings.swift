/// Finds the headings of chapters in plain text.
///
/// A heading is a paragraph of one to three short lines. Keywords with a number count alone; bare numbers only when they
/// run up from 1 with text between them. Lists of contents are left out.
enum ChapterHeadings {
    struct Heading: Equatable {
        /// The paragraphs of the heading: the line, and perhaps a title below it.
        var paragraphs: Range<Int>
        var title: String
        var level: Int
    }

    private struct Candidate {
        var index: Int
        var text: String
        var line: HeadingLine
    }

    static func find(in utf8: [UInt8], _ paragraphs: [Range<Int>]) -> [Heading] {
        var candidates: [Candidate] = []
        for (index, range) in paragraphs.enumerated() where range.count <= HeadingLine.maxBytes * 2 {
            // Before the text is made: a file may have millions of short paragraphs.
            guard HeadingLine.mayBegin(utf8[range].drop { $0 <= 0x20 }) else { continue }
            let lines = utf8[range].split(separator: 0x0A)
            guard lines.count <= 3, let first = lines.first else { continue }
            let text = CanonicalText.line(String(decoding: utf8[range], as: UTF8.self))
            // A keyword may have its title on the next lines; a number may not.
            let own = lines.count == 1 ? text : CanonicalText.line(String(decoding: first, as: UTF8.self))
            guard let line = HeadingLine(text) ?? HeadingLine(own) else { continue }
            if lines.count > 1, case .number = line.kind { continue }
            candidates.append(Candidate(index: index, text: text, line: line))
        }
        candidates = withoutContents(candidates)
        candidates = withoutLooseNumbers(candidates, paragraphs)
        let hasParts = candidates.contains { $0.line.kind == .part }
        let hasChapters = candidates.contains { $0.line.kind == .chapter }
        return candidates.map { candidate in
            let level =
                switch candidate.line.kind {
                case .part: 1
                case .chapter, .named: hasParts ? 2 : 1
                case .number: 1 + (hasParts ? 1 : 0) + (hasChapters ? 1 : 0)
                }
            return heading(candidate, level, in: utf8, paragraphs)
        }
    }

    /// A heading with the title below its number, if one is there.
    private static func heading(
        _ candidate: Candidate, _ level: Int, in utf8: [UInt8], _ paragraphs: [Range<Int>]
    ) -> Heading {
        let next = candidate.index + 1
        let alone = Heading(paragraphs: candidate.index..<next, title: candidate.text, level: level)
        guard !candidate.line.hasTitle, next + 1 < paragraphs.count, paragraphs[next].count <= 80 else { return alone }
        let below = String(decoding: utf8[paragraphs[next]], as: UTF8.self)
        guard !below.contains("\n"), HeadingLine(below) == nil, let first = below.first, let last = below.last,
            first.isUppercase || first.isNumber || !first.isCased, !"\"“«'‘-–—*_[(".contains(first),
            !".!?…,;:\"”»’".contains(last) || below == below.uppercased(),
            below.split(separator: " ").count <= 12
        else { return alone }
        let title = CanonicalText.line(below)
        let mark = candidate.text.last.map { $0.isPunctuation } == true ? " " : ": "
        return Heading(paragraphs: candidate.index..<next + 1, title: candidate.text + mark + title, level: level)
    }

    /// Leaves out lists of contents: three or more headings directly below each other that come again later.
    private static func withoutContents(_ candidates: [Candidate]) -> [Candidate] {
        var last: [String: Int] = [:]
        for candidate in candidates { last[candidate.line.key] = candidate.index }
        var (result, start) = ([Candidate](), 0)
        while start < candidates.count {
            var end = start + 1
            while end < candidates.count, candidates[end].index == candidates[end - 1].index + 1 { end += 1 }
            let run = candidates[start..<end]
            let listEnd = run.count > 2 ? run.lastIndex { last[$0.line.key] ?? 0 > $0.index } : nil
            result += listEnd.map { run[($0 + 1)...] } ?? run
            start = end
        }
        return result
    }

    /// Leaves out numbers that do not run up from 1, or have too little text between them.
    private static func withoutLooseNumbers(_ candidates: [Candidate], _ paragraphs: [Range<Int>]) -> [Candidate] {
        var kept: Set<Int> = []
        for isRoman in [true, false] {
            var run: [Candidate] = []
            func close() {
                if run.count >= 2 { kept.formUnion(run.map(\.index)) }
                run = []
            }
            for candidate in candidates {
                guard case .number(let value, isRoman) = candidate.line.kind else {
                    // A new part begins its numbers again.
                    continue
                }
                if let last = run.last, case .number(let before, _) = last.line.kind, value == before + 1,
                    paragraphs[candidate.index].lowerBound - paragraphs[last.index].upperBound >= leastSection
                {
                    run.append(candidate)
                } else if value == 1 {
                    close()
                    run = [candidate]
                }
            }
            close()
        }
        return candidates.filter { candidate in
            if case .number = candidate.line.kind { kept.contains(candidate.index) } else { true }
        }
    }

    /// The least bytes between two numbered headings; items of numbered lists are closer.
    private static let leastSection = 500
}
