import GatewayAPI

/// Compares texts line by line.
enum LineDiff {
    /// Returns all lines of both texts in order: removed lines before added ones at the same place.
    ///
    /// Time is in proportion to the lines times the changes (Myers 1986); prompts have at most
    /// ``PromptDocument/Limits/lines`` lines.
    static func lines(from old: String, to new: String) -> [PromptDiff.Line] {
        let (old, new) = (split(old), split(new))
        var (removed, added) = (Set<Int>(), Set<Int>())
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var lines: [PromptDiff.Line] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if left < old.count, removed.contains(left) {
                lines.append(.init(.removed, old[left]))
                left += 1
            } else if right < new.count, added.contains(right) {
                lines.append(.init(.added, new[right]))
                right += 1
            } else if left < old.count {
                lines.append(.init(.same, old[left]))
                left += 1
                right += 1
            } else {
                break
            }
        }
        return lines
    }

    private static func split(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }
}
