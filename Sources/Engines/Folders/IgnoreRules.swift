/// Patterns of paths that are left out, as Git reads them: of several that match, the last one counts, `!` takes a path back, a
/// slash before the end ties a pattern to the folder, one at the end means folders only. Classes such as `[[:alpha:]]` are not
/// read.
package struct IgnoreRules: Sendable, Hashable {
    /// The most patterns, and the most bytes of one.
    package static let (maxPatterns, maxBytes) = (1000, 1024)

    private var patterns: [Pattern] = []

    /// Reads the lines of a file or of a setting. Empty lines and those that begin with `#` say nothing; those over a limit are
    /// left out.
    package init(_ lines: some Sequence<String> = []) {
        patterns = lines.filter { $0.utf8.count <= Self.maxBytes }.compactMap(Pattern.init)
        patterns.removeFirst(max(0, patterns.count - Self.maxPatterns))
    }

    /// Whether a path is left out. What is below a folder that is left out stays out, so the folders above must have been asked
    /// before.
    package func leavesOut(_ path: FilePath, isFolder: Bool) -> Bool {
        guard !patterns.isEmpty else { return false }
        let parts = path.text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
        return patterns.last { (isFolder || !$0.isForFolders) && $0.matches(parts) }.map { !$0.isNegated } ?? false
    }
}

private struct Pattern: Sendable, Hashable {
    var isNegated = false
    var isForFolders = false
    /// The part of each folder of the path; of a pattern that is not tied to the folder, that of the last part alone.
    var parts: [[UInt8]] = []
    var isTied = false

    init?(_ line: String) {
        var line = Array(line.utf8)
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        // Spaces at the end count only behind a backslash.
        while line.last == UInt8(ascii: " "), line.dropLast().last != UInt8(ascii: "\\") { line.removeLast() }
        guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
        if first == UInt8(ascii: "!") {
            isNegated = true
            line.removeFirst()
        }
        if line.last == UInt8(ascii: "/") {
            isForFolders = true
            line.removeLast()
        }
        isTied = line.contains(UInt8(ascii: "/"))
        if line.first == UInt8(ascii: "/") { line.removeFirst() }
        guard !line.isEmpty else { return nil }
        parts = line.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    }

    func matches(_ path: [[UInt8]]) -> Bool {
        guard isTied else { return path.last.map { Self.matches(parts[0], $0) } ?? false }
        // reached[n]: whether the parts so far can stand for the first n of the path.
        var reached = [true] + Array(repeating: false, count: path.count)
        for (place, part) in parts.enumerated() {
            var next = Array(repeating: false, count: path.count + 1)
            if part == Self.folders {
                // At the end: all that is below, and not the folder itself.
                guard let first = reached.firstIndex(of: true) else { return false }
                for count in (first + (place == parts.count - 1 ? 1 : 0))..<max(first + 1, path.count + 1)
                where count <= path.count { next[count] = true }
            } else {
                for count in path.indices where reached[count] && Self.matches(part, path[count]) {
                    next[count + 1] = true
                }
            }
            reached = next
        }
        return reached[path.count]
    }

    private static let folders = Array("**".utf8)

    /// Whether a pattern with `*`, `?`, `[…]` and `\` stands for a name.
    private static func matches(_ pattern: [UInt8], _ name: [UInt8]) -> Bool {
        var (place, at) = (0, 0)
        // Where the last `*` ends, and up to where it was tried.
        var star: (place: Int, at: Int)?
        while at < name.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                place += 1
                star = (place, at)
            } else if let next = step(pattern, place, name[at]) {
                (place, at) = (next, at + 1)
            } else if let last = star {
                star = (last.place, last.at + 1)
                (place, at) = (last.place, last.at + 1)
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// The place behind the step that reads a byte; nil when it does not stand for the byte.
    private static func step(_ pattern: [UInt8], _ place: Int, _ byte: UInt8) -> Int? {
        guard place < pattern.count else { return nil }
        switch pattern[place] {
        case UInt8(ascii: "?"): return place + 1
        case UInt8(ascii: "\\"):
            return place + 1 < pattern.count && pattern[place + 1] == byte ? place + 2 : nil
        case UInt8(ascii: "["): return set(pattern, place + 1, byte)
        default: return pattern[place] == byte ? place + 1 : nil
        }
    }

    /// Reads a set behind its `[`. One without an end stands for nothing.
    private static func set(_ pattern: [UInt8], _ start: Int, _ byte: UInt8) -> Int? {
        var place = start
        let isNegated =
            place < pattern.count && (pattern[place] == UInt8(ascii: "!") || pattern[place] == UInt8(ascii: "^"))
        if isNegated { place += 1 }
        let first = place
        var isFound = false
        func literal() -> UInt8? {
            if place < pattern.count, pattern[place] == UInt8(ascii: "\\") { place += 1 }
            guard place < pattern.count else { return nil }
            defer { place += 1 }
            return pattern[place]
        }
        while place < pattern.count {
            if pattern[place] == UInt8(ascii: "]"), place > first { return isFound != isNegated ? place + 1 : nil }
            guard let low = literal() else { return nil }
            var high = low
            if place + 1 < pattern.count, pattern[place] == UInt8(ascii: "-"), pattern[place + 1] != UInt8(ascii: "]") {
                place += 1
                guard let end = literal() else { return nil }
                high = end
            }
            if low <= byte, byte <= high { isFound = true }
        }
        return nil
    }
}
