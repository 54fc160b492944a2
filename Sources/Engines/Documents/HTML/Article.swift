/// The article of a web page: the element that holds it, and what in it is left out.
///
/// The text of paragraphs counts as mass, less the more of it is in links. From the body down, the search goes into the
/// child that holds nearly all of the mass, and stops where the mass is spread: there the paragraphs of the article are
/// side by side. Elements that are around an article by their names, roles or links are left out. Linear in the number of
/// nodes, times the depth for some steps.
struct Article {
    var root: Int
    var skipped: Set<Int>

    /// An article with less text is none.
    static let leastBytes = 140

    static func find(in tree: MarkupTree) -> Article? {
        guard let body = tree.first("body") ?? tree.root else { return nil }
        var page = PageMass(tree)
        page.leaveOutSurroundings(body)
        let start = page.marked(below: body) ?? body
        let root = page.heart(from: start)
        page.leaveOutParts(of: root)
        return Article(root: root, skipped: page.skipped)
    }
}
