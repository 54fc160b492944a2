import TestSupport
import Testing

@testable import Tools

struct CodeFencesTests {
    /// Whether a text ends within a block of code, line by line from the whole text.
    private func isInBlock(_ text: String) -> Bool {
        var open: (mark: Character, count: Int)?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let indent = line.prefix { $0 == " " }.count
            let content = line.dropFirst(indent)
            guard indent <= 3, let mark = content.first, mark == "`" || mark == "~" else { continue }
            let count = content.prefix { $0 == mark }.count
            let info = content.dropFirst(count)
            guard count >= 3 else { continue }
            if let block = open {
                if block.mark == mark, count >= block.count, info.allSatisfy({ $0 == " " }) { open = nil }
            } else if mark == "~" || !info.contains("`") {
                open = (mark, count)
            }
        }
        return open != nil
    }

    @Test func `blocks are followed as a reader of whole lines does`() {
        var random = SeededGenerator(13)
        let parts = ["`", "``", "```", "````", "~~~", "~~~~", " ", "   ", "    ", "a", "\n", "\n", "\n"]
        var inBlocks = 0
        for _ in 0..<2000 {
            let text =
                (0..<Int.random(in: 1...14, using: &random))
                .map { _ in parts.randomElement(using: &random) ?? "" }.joined() + "\n"
            var fences = CodeFences()
            for byte in text.utf8 { fences.read(byte) }
            #expect(fences.isInCode == isInBlock(text), "\(text.debugDescription)")
            inBlocks += fences.isInCode ? 1 : 0
        }
        #expect(inBlocks > 100)
    }

    @Test func `the line that opens a block is code, and a fence begins after three spaces at most`() {
        var fences = CodeFences()
        #expect(fences.isAtLineStart)
        for byte in "   ".utf8 { fences.read(byte) }
        #expect(fences.isAtLineStart)
        fences.read(UInt8(ascii: " "))
        #expect(!fences.isAtLineStart)
        for byte in "\n```s".utf8 { fences.read(byte) }
        #expect(fences.isInCode && !fences.isAtLineStart)
    }
}
