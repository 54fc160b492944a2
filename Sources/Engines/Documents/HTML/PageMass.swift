/// How much article text each element of a page holds.
struct PageMass {
    let tree: MarkupTree
    /// Elements that are left out with all below them.
    private(set) var skipped: Set<Int> = []
    /// Bytes of visible text below each node.
    private(set) var text: [Int]
    /// Of these, bytes in links.
    private(set) var links: [Int]
    /// Text of paragraphs, weighted by how little of it is in links.
    private(set) var mass: [Double]

    init(_ tree: MarkupTree) {
        self.tree = tree
        let count = tree.nodes.count
        text = [Int](repeating: 0, count: count)
        links = text
        mass = [Double](repeating: 0, count: count)
        var isUnseen = [Bool](repeating: false, count: count)
        for index in tree.nodes.indices {
            let node = tree[index]
            isUnseen[index] =
                node.parent >= 0 && isUnseen[node.parent] || MarkupElements.leftOut.contains(node.name)
                || (!node.isText && MarkupElements.isHidden(node, true))
        }
        measure { !isUnseen[$0] }
    }

    /// Sums up from the leaves: children come after their parents.
    private mutating func measure(_ isSeen: (Int) -> Bool) {
        /// Bytes of text that are in no block below the element.
        var own = [Int](repeating: 0, count: tree.nodes.count)
        var ownLinks = own
        for index in tree.nodes.indices.reversed() where isSeen(index) {
            let node = tree[index]
            if node.isText {
                text[index] = Self.letters(node.text)
                own[index] = text[index]
            } else if node.name == "a", node["href"] != nil {
                (links[index], ownLinks[index]) = (text[index], own[index])
            }
            let isBlock = MarkupElements.blocks.contains(node.name)
            if isBlock || node.parent < 0 { mass[index] += Self.mass(own[index], ownLinks[index], node.name) }
            guard node.parent >= 0 else { continue }
            text[node.parent] += text[index]
            links[node.parent] += links[index]
            mass[node.parent] += mass[index]
            if !isBlock {
                own[node.parent] += own[index]
                ownLinks[node.parent] += ownLinks[index]
            }
        }
    }

    /// What a paragraph weighs. Short lines are more often menus than text.
    private static func mass(_ text: Int, _ links: Int, _ name: String) -> Double {
        guard text > 0 else { return 0 }
        let free = 1 - Double(links) / Double(text)
        let isShort = text < 60 && name != "p" && name != "pre"
        return Double(text) * free * free * (isShort ? 0.2 : text < 25 ? 0.5 : 1)
    }

    /// Bytes that are no white space. A character of Chinese or Japanese is worth a short word.
    private static func letters(_ text: String) -> Int {
        text.utf8.reduce(0) { $1 > 0x20 ? $0 + ($1 >= 0xE3 && $1 <= 0xEA ? 2 : 1) : $0 }
    }

    /// The share of text that is in links, 0 to 1.
    func linkShare(_ index: Int) -> Double { text[index] == 0 ? 0 : Double(links[index]) / Double(text[index]) }

    /// Leaves an element out and takes its mass from all above it.
    private mutating func leaveOut(_ index: Int) {
        guard skipped.insert(index).inserted else { return }
        let (lostText, lostLinks, lostMass) = (text[index], links[index], mass[index])
        var above = tree[index].parent
        while above >= 0 {
            text[above] = max(0, text[above] - lostText)
            links[above] = max(0, links[above] - lostLinks)
            mass[above] = max(0, mass[above] - lostMass)
            above = tree[above].parent
        }
    }

    /// Leaves out what is around an article by its name, role or class, unless it holds much of the page's mass.
    mutating func leaveOutSurroundings(_ body: Int) {
        let whole = mass[body]
        var left: [Int] = []
        tree.walk(body) { step in
            guard case .enter(let index) = step, index != body, !tree[index].isText else { return true }
            guard text[index] > 0, isSurrounding(index), mass[index] < whole * 0.4 else { return true }
            left.append(index)
            return false
        }
        for index in left { leaveOut(index) }
    }

    private func isSurrounding(_ index: Int) -> Bool {
        let node = tree[index]
        if Boilerplate.elements.contains(node.name) { return true }
        // The names of small elements say less, and those of the largest ones nothing.
        if Self.small.contains(node.name) { return text[index] < 600 && Boilerplate.hint(node) == .around }
        guard MarkupElements.blocks.contains(node.name), !Self.large.contains(node.name) else { return false }
        return node.words("role").contains { Boilerplate.roles.contains($0) } || Boilerplate.hint(node) == .around
    }

    private static let small: Set<String> = ["p", "ul", "ol", "li", "span", "table", "a"]
    private static let large: Set<String> = [
        "html", "body", "article", "main", "pre", "tbody", "tr", "h1", "h2", "h3", "h4",
    ]

    /// The element that the page marks as its article, if it is one and holds enough.
    func marked(below body: Int) -> Int? {
        var (bodies, articles): ([Int], [Int]) = ([], [])
        for (index, node) in tree.nodes.enumerated() where !node.attributes.isEmpty || !node.isText {
            let share = mass[body] > 0 ? mass[index] / mass[body] : 0
            if share > 0.15, node.words("itemprop").contains("articlebody") { bodies.append(index) }
            guard share > 0.5 else { continue }
            if node.name == "article" || node.name == "main" || node.words("role").contains("main") {
                articles.append(index)
            }
        }
        return bodies.count == 1 ? bodies[0] : articles.last
    }

    /// Goes down from an element to where its mass is spread over several children.
    func heart(from start: Int) -> Int {
        var index = start
        while true {
            let children = tree.children(index).filter { !skipped.contains($0) && mass[$0] > 0 }
            guard let best = children.max(by: { mass[$0] < mass[$1] }), mass[index] > 0 else { return index }
            if ["p", "pre", "ul", "ol", "dl", "blockquote"].contains(tree[best].name) { return index }
            let share = mass[best] / mass[index]
            guard MarkupElements.blocks.contains(tree[best].name) || share > 0.95 else { return index }
            let hasEquals = children.contains { other in
                other != best && mass[other] > mass[index] * 0.08
                    && (["p", "pre", "blockquote"].contains(tree[other].name) || isLike(other, best))
            }
            guard share > 0.9 || share > 0.6 && !hasEquals else { return index }
            index = best
        }
    }

    /// Whether two elements have the same role on the page.
    private func isLike(_ one: Int, _ other: Int) -> Bool {
        tree[one].name == tree[other].name && tree[one]["class"] == tree[other]["class"]
    }

    private static let parts: Set<String> = [
        "div", "section", "ul", "ol", "dl", "table", "header", "aside", "article", "figure", "center", "details",
    ]

    /// Leaves out parts of an article that are lists of links, forms and the like.
    mutating func leaveOutParts(of root: Int) {
        let whole = max(1, mass[root])
        var left: [Int] = []
        tree.walk(root) { step in
            guard case .enter(let index) = step, index != root, !tree[index].isText else { return true }
            if skipped.contains(index) { return false }
            let node = tree[index]
            guard Self.parts.contains(node.name), text[index] > 0 else { return true }
            let share = linkShare(index)
            let isLinks = share > 0.66 && mass[index] < whole * 0.2
            let isSmallAround = Boilerplate.hint(node) == .around && mass[index] < whole * 0.25
            if isLinks || isSmallAround {
                left.append(index)
                return false
            }
            return true
        }
        for index in left { leaveOut(index) }
    }
}
