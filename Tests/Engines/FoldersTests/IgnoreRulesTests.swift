import Foundation
import TestSupport
import Testing

@testable import Folders

@Suite struct IgnoreRulesTests {
    private func leavesOut(_ path: String, isFolder: Bool = false, _ lines: String...) -> Bool {
        IgnoreRules(lines).leavesOut(FilePath(path), isFolder: isFolder)
    }

    @Test func `patterns mean what they mean to Git`() {
        #expect(leavesOut("a/b.tmp", "*.tmp"))
        #expect(!leavesOut("a/b.tmp", "/*.tmp"))
        #expect(leavesOut("Templates", isFolder: true, "Templates/"))
        #expect(!leavesOut("Templates", "Templates/"))
        #expect(leavesOut("a/b/c.md", "a/**/c.md") && leavesOut("a/c.md", "a/**/c.md"))
        #expect(leavesOut("a/x", "a/**") && !leavesOut("a", isFolder: true, "a/**"))
        #expect(!leavesOut("keep.md", "*.md", "!keep.md") && leavesOut("other.md", "*.md", "!keep.md"))
        #expect(leavesOut("#x", "\\#x") && !leavesOut("#x", "#x"))
        #expect(
            leavesOut("a b", "a b  ") && leavesOut("[x", "\\[x") && leavesOut("b", "[a-c]") && !leavesOut("b", "[!a-c]")
        )
    }

    @Test func `the most patterns are kept, the last ones, and long ones are left out`() {
        let rules = IgnoreRules(["a"] + Array(repeating: "b", count: IgnoreRules.maxPatterns))
        #expect(!rules.leavesOut(FilePath("a"), isFolder: false) && rules.leavesOut(FilePath("b"), isFolder: false))
        let long = String(repeating: "x", count: IgnoreRules.maxBytes + 1)
        #expect(!leavesOut(long, long))
    }

    @Test func `random patterns and paths give what Git says`() async throws {
        guard await Shell.has("git") else { return }
        let folder = try TemporaryFolder()
        _ = try await Shell.run(["git", "init", "-q", folder.url.path])
        var random = SeededGenerator(7)
        let (letters, marks) = (["a", "b", "ab", "é"], ["*", "?", "**", "[ab]", "[!a]", "a*", "*b", "a?", "[a-b]b"])
        func path() -> String {
            (0..<Int.random(in: 1...4, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" }
                .joined(separator: "/")
        }
        for round in 0..<60 {
            let lines = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    (Bool.random(using: &random) ? letters : marks).randomElement(using: &random) ?? "a"
                }
                return (Int.random(in: 0...4, using: &random) == 0 ? "!" : "")
                    + (Int.random(in: 0...3, using: &random) == 0 ? "/" : "") + parts.joined(separator: "/")
            }
            try folder.write(".gitignore", lines.joined(separator: "\n") + "\n")
            let paths = Set((0..<30).map { _ in path() }).sorted()
            try folder.write("paths", paths.joined(separator: "\0"))
            let asked = try await Shell.run([
                "sh", "-c", "cd \(folder.url.path) && git check-ignore --no-index -z --stdin < paths",
            ])
            let theirs = Set(asked.output.split(separator: "\0").map(String.init))
            let rules = IgnoreRules(lines)
            // As the walk asks: the folders above first.
            let ours = paths.filter { path in
                let parts = path.split(separator: "/")
                return parts.indices.contains { place in
                    rules.leavesOut(
                        FilePath(parts[...place].joined(separator: "/")), isFolder: place < parts.count - 1)
                }
            }
            #expect(Set(ours) == theirs, "round \(round): \(lines)")
        }
    }
}
