/// A place in a publication by positions of elements and characters: the fragment `epubcfi(…)` (EPUB Canonical Fragment
/// Identifiers 1.1). Ranges and places in images are not read.
struct EPUBFragment: Equatable {
    /// The position in the spine, from 0.
    var spineIndex: Int
    /// Steps from the root element: even numbers are elements, odd ones the text between them.
    var steps: [Int]
    /// In UTF-16 units of the text of the last step.
    var offset: Int

    init(spineIndex: Int, steps: [Int], offset: Int) {
        (self.spineIndex, self.steps, self.offset) = (spineIndex, steps, offset)
    }

    init?(_ fragment: String) {
        guard fragment.hasPrefix("epubcfi("), fragment.hasSuffix(")"), fragment.utf8.count < 2000 else { return nil }
        var (path, isInBrackets) = ("", false)
        for character in fragment.dropFirst(8).dropLast() {
            switch character {
            case "[": isInBrackets = true
            case "]": isInBrackets = false
            case _ where isInBrackets: continue
            default: path.append(character)
            }
        }
        let parts = path.split(separator: "!", omittingEmptySubsequences: false)
        guard parts.count == 2, !path.contains(",") else { return nil }
        let first = parts[0].split(separator: "/").compactMap { Int($0) }
        guard first.count == 2, first[0] == 6, first[1] > 0, first[1] % 2 == 0, first[1] < 1_000_000 else { return nil }
        let place = parts[1].split(separator: ":", maxSplits: 1)
        guard let way = place.first else { return nil }
        spineIndex = first[1] / 2 - 1
        steps = way.split(separator: "/").compactMap { Int($0) }
        offset = place.count > 1 ? Int(place[1].prefix { $0.isNumber }) ?? 0 : 0
        guard !steps.isEmpty, steps.count <= 256, steps.allSatisfy({ $0 > 0 && $0 < 10_000_000 }), offset >= 0 else {
            return nil
        }
    }

    /// The element or the text that the fragment means, and the offset in that text.
    ///
    /// - Parameter cache: The children of elements that were looked at, for further fragments of the same tree.
    func node(in tree: MarkupTree, _ cache: inout [Int: [Int]]) -> (index: Int, offset: Int)? {
        guard var index = tree.root else { return nil }
        for (place, step) in steps.enumerated() {
            if step % 2 == 0 {
                let children = cache[index] ?? tree.children(index)
                cache[index] = children
                guard step / 2 <= children.count else { return nil }
                index = children[step / 2 - 1]
                continue
            }
            guard place == steps.count - 1 else { return nil }
            // The text behind the element before; it may be in several nodes.
            var (elements, rest, next) = (0, offset, tree[index].firstChild)
            while let child = next, elements <= step / 2 {
                let node = tree[child]
                if !node.isText {
                    elements += 1
                } else if elements == step / 2 {
                    let count = node.text.utf16.count
                    if rest <= count { return (child, rest) }
                    rest -= count
                }
                next = node.nextSibling
            }
            return (index, 0)
        }
        return (index, 0)
    }
}
