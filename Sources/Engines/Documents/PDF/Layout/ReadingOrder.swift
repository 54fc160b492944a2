/// Finds columns of running text and puts what is on a page in the order of reading.
///
/// Columns are where a vertical strip is free over several lines, with running text at both sides. Tables have such strips,
/// too, but short cells and numbers: they are read row by row.
enum ReadingOrder {
    private static let maxDepth = 16
    private static let maxCandidates = 24
    private static let minLines = 3

    private struct Split {
        var top: Float
        var bottom: Float
        var middle: Float
        var score: Int
    }

    /// Returns groups of segments, each of one column, in order.
    static func regions(_ segments: [Fragment]) -> [[Fragment]] {
        var regions: [[Fragment]] = []
        var open: [(segments: [Fragment], depth: Int)] = [(segments.sorted { $0.v < $1.v }, 0)]
        while let (region, depth) = open.popLast() {
            guard !region.isEmpty else { continue }
            guard depth < maxDepth, let split = bestSplit(region) else {
                regions.append(region)
                continue
            }
            var parts: [[Fragment]] = [[], [], [], []]
            for segment in region {
                if segment.v < split.top {
                    parts[0].append(segment)
                } else if segment.v > split.bottom {
                    parts[3].append(segment)
                } else {
                    parts[(segment.u0 + segment.u1) / 2 < split.middle ? 1 : 2].append(segment)
                }
            }
            for part in parts.reversed() { open.append((part, depth + 1)) }
        }
        return regions
    }

    private static func bestSplit(_ segments: [Fragment]) -> Split? {
        guard segments.count >= minLines * 2 else { return nil }
        var best: Split?
        for middle in candidates(segments) {
            if let split = split(segments, at: middle), split.score > best?.score ?? 0 { best = split }
        }
        return best
    }

    /// The middles of gaps between neighbours, the most frequent ones.
    private static func candidates(_ segments: [Fragment]) -> [Float] {
        var votes: [Int: (count: Int, sum: Float)] = [:]
        for row in PageLayout.rows(segments) where row.count > 1 {
            let row = row.sorted { $0.u0 < $1.u0 }
            for (left, right) in zip(row, row.dropFirst()) where right.u0 > left.u1 {
                for middle in [left.u1 + 1, (left.u1 + right.u0) / 2, right.u0 - 1] where abs(middle) < 1e6 {
                    let vote = votes[Int(middle / 4), default: (0, 0)]
                    votes[Int(middle / 4)] = (vote.count + 1, vote.sum + middle)
                }
            }
        }
        return votes.sorted { ($0.value.count, $0.key) > ($1.value.count, $1.key) }.prefix(maxCandidates)
            .map { $0.value.sum / Float($0.value.count) }
    }

    private struct Side {
        var lines = 0
        var characters = 0
        var digits = 0
        var top = Float.infinity
        var bottom = -Float.infinity
        var left = Float.infinity
        var right = -Float.infinity

        mutating func add(_ segment: Fragment) {
            lines += 1
            characters += segment.characters
            digits += segment.digits
            top = min(top, segment.v)
            bottom = max(bottom, segment.v)
            left = min(left, segment.u0)
            right = max(right, segment.u1)
        }

        /// Lines long enough, and few digits.
        var isRunningText: Bool {
            lines >= minLines && characters >= lines * 12 && digits * 3 < characters
        }
    }

    /// The best stretch between the lines that cross a vertical line.
    private static func split(_ segments: [Fragment], at middle: Float) -> Split? {
        var best: Split?
        var left = Side()
        var right = Side()
        func close() {
            let isBeside = min(left.bottom, right.bottom) - max(left.top, right.top) > 0
            if isBeside, left.isRunningText, right.isRunningText, right.left > left.right {
                let score = min(left.characters, right.characters)
                if score > best?.score ?? 0 {
                    best = Split(
                        top: min(left.top, right.top), bottom: max(left.bottom, right.bottom), middle: middle,
                        score: score)
                }
            }
            left = Side()
            right = Side()
        }
        for segment in segments {
            if segment.u0 < middle, segment.u1 > middle {
                close()
            } else if segment.u1 <= middle {
                left.add(segment)
            } else {
                right.add(segment)
            }
        }
        close()
        return best
    }
}
