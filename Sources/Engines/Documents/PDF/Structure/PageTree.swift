/// A page's parts, with those inherited from the tree.
struct PDFPage {
    var reference: PDFReference?
    var contents: PDFValue?
    var resources: PDFValue?
    var annotations: PDFValue?
    /// What is shown, in the page's own units.
    var box = Rectangle(minX: 0, minY: 0, maxX: 612, maxY: 792)
    /// 0, 90, 180 or 270 degrees clockwise.
    var rotation = 0
    /// The size of a unit in points.
    var unit = 1.0

    /// The size in points as it is shown.
    var size: (width: Double, height: Double) {
        let (width, height) = (box.width * unit, box.height * unit)
        return rotation % 180 == 0 ? (width, height) : (height, width)
    }

    /// Maps the page's own units to points from the top left corner of the page as it is shown.
    var matrix: Matrix {
        let base = Matrix(tx: -box.minX, ty: -box.minY)
        let turned =
            switch rotation {
            case 90: Matrix(a: 0, b: 1, c: 1, d: 0)
            case 180: Matrix(a: -1, b: 0, c: 0, d: 1, tx: box.width)
            case 270: Matrix(a: 0, b: -1, c: -1, d: 0, tx: box.height, ty: box.width)
            default: Matrix(a: 1, b: 0, c: 0, d: -1, ty: box.height)
            }
        return base.then(turned).then(Matrix(a: unit, d: unit))
    }
}

/// The pages of a file in order.
struct PageTree {
    private let file: PDFFile
    private let limit: Int
    private let maxDepth: Int

    private(set) var pages: [PDFPage] = []
    /// There are more pages than the limit.
    private(set) var isCut = false

    private struct Inherited {
        var resources: PDFValue?
        var mediaBox: PDFValue?
        var cropBox: PDFValue?
        var rotation: PDFValue?
    }

    private struct Step {
        var node: PDFValue
        var inherited: Inherited
        var depth: Int
    }

    init(_ file: PDFFile, limits: DocumentLimits) {
        self.file = file
        limit = limits.pages
        maxDepth = limits.depth
        walk(file.root.dictionary?["Pages"])
        if pages.isEmpty { scan() }
    }

    private mutating func walk(_ root: PDFValue?) {
        var visited: Set<PDFReference> = []
        var steps = [Step(node: root ?? .null, inherited: Inherited(), depth: 0)]
        while let step = steps.popLast() {
            if let reference = step.node.reference, !visited.insert(reference).inserted { continue }
            guard let node = file.resolve(step.node).dictionary, step.depth <= maxDepth else { continue }
            var inherited = step.inherited
            inherited.resources = node["Resources"] ?? inherited.resources
            inherited.mediaBox = node["MediaBox"] ?? inherited.mediaBox
            inherited.cropBox = node["CropBox"] ?? inherited.cropBox
            inherited.rotation = node["Rotate"] ?? inherited.rotation
            if let kids = file.resolve(node["Kids"]).array {
                for kid in kids.reversed() {
                    steps.append(Step(node: kid, inherited: inherited, depth: step.depth + 1))
                }
            } else if file.resolve(node["Type"]).name != "Pages" || node["Contents"] != nil {
                guard pages.count < limit else {
                    isCut = true
                    return
                }
                pages.append(page(node, step.node.reference, inherited))
            }
        }
    }

    /// Without a tree: all objects that say that they are pages.
    private mutating func scan() {
        let size = min(max(file.resolve(file.trailer.dictionary?["Size"]).integer ?? 0, 0), 1 << 20)
        guard size > 1 else { return }
        for id in 1..<Int32(size) where pages.count < limit {
            let reference = PDFReference(id: id, generation: 0)
            guard case .dictionary(let node) = file.value(reference), file.resolve(node["Type"]).name == "Page" else {
                continue
            }
            let inherited = Inherited(
                resources: node["Resources"], mediaBox: node["MediaBox"], cropBox: node["CropBox"],
                rotation: node["Rotate"])
            pages.append(page(node, reference, inherited))
        }
    }

    private func page(_ node: [String: PDFValue], _ reference: PDFReference?, _ inherited: Inherited) -> PDFPage {
        var page = PDFPage(
            reference: reference, contents: node["Contents"], resources: inherited.resources,
            annotations: node["Annots"])
        let media = rectangle(inherited.mediaBox) ?? page.box
        page.box = rectangle(inherited.cropBox)?.intersection(media) ?? media
        if page.box.isEmpty || page.box.area == 0 { page.box = media }
        let rotation = file.resolve(inherited.rotation).integer ?? 0
        page.rotation = ((rotation % 360) + 360) % 360 / 90 * 90
        let unit = file.resolve(node["UserUnit"]).number ?? 1
        page.unit = unit > 0 && unit < 1e5 ? unit : 1
        return page
    }

    /// Nil for an empty or endless one.
    private func rectangle(_ value: PDFValue?) -> Rectangle? {
        guard let items = file.resolve(value).array, let box = Rectangle(.array(items.map(file.resolve))),
            box.area > 0, box.width < 1e6, box.height < 1e6
        else { return nil }
        return box
    }
}
