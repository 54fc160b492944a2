/// Runs the content of a page and collects its glyphs. Bounded in depth, operators and glyphs.
struct ContentInterpreter {
    static let maxDepth = 12
    static let maxStates = 256
    /// Of one page with all its forms.
    static let maxOperators = 4_000_000

    let file: PDFFile
    var fonts: FontLoader
    /// Optional content that is off.
    let hiddenLayers: Set<PDFReference>

    var content = PageContent()
    var page = Rectangle.unit
    var state = GraphicsState(matrix: Matrix())
    var text = TextPosition()
    var paint = PaintedAreas()
    var marks = MarkedContent()
    var operatorsLeft = 0

    init(_ file: PDFFile, hiddenLayers: Set<PDFReference>) {
        self.file = file
        fonts = FontLoader(file)
        self.hiddenLayers = hiddenLayers
    }

    /// Runs a page's content and the appearances of its annotations.
    ///
    /// - Parameter matrix: To points from the top left corner.
    mutating func run(_ page: PDFPage, matrix: Matrix, size: Rectangle) -> PageContent {
        content = PageContent()
        self.page = size
        state = GraphicsState(matrix: matrix)
        paint = PaintedAreas()
        marks = MarkedContent()
        operatorsLeft = Self.maxOperators
        let resources = file.resolve(page.resources).dictionary ?? [:]
        run(bytes(of: page.contents), resources, depth: 0)
        runAnnotations(page, matrix)
        if operatorsLeft <= 0 { content.isFailed = true }
        return content
    }

    private func bytes(of contents: PDFValue?) -> [UInt8] {
        let contents = file.resolve(contents)
        guard let parts = contents.array else { return file.data(contents).bytes }
        var bytes: [UInt8] = []
        for part in parts.prefix(10_000) {
            guard bytes.count < StreamDecoder.maxBytes else { break }
            bytes += file.data(part).bytes
            bytes.append(0x0A)
        }
        return bytes
    }

    private mutating func runAnnotations(_ page: PDFPage, _ matrix: Matrix) {
        for item in (file.resolve(page.annotations).array ?? []).prefix(2_000) {
            guard let annotation = file.resolve(item).dictionary else { continue }
            let flags = file.resolve(annotation["F"]).integer ?? 0
            let kind = file.resolve(annotation["Subtype"]).name
            // Hidden, not viewed.
            guard flags & 0x22 == 0, kind != "Popup", kind != "Link", !isHiddenLayer(annotation["OC"]) else { continue }
            var appearance = file.resolve(file.resolve(annotation["AP"]).dictionary?["N"])
            if case .dictionary(let states) = appearance {
                appearance = file.resolve(states[file.resolve(annotation["AS"]).name ?? "Off"])
            }
            guard case .stream(_, let form) = appearance,
                let place = file.resolve(annotation["Rect"]).array.flatMap({ Rectangle(.array($0.map(file.resolve))) })
            else { continue }
            let box = file.resolve(form["BBox"]).array.flatMap { Rectangle(.array($0.map(file.resolve))) }
            let own = file.resolve(form["Matrix"]).array.flatMap { Matrix(.array($0.map(file.resolve))) } ?? Matrix()
            let shown = own.bounds(of: box ?? place)
            guard shown.width > 0, shown.height > 0 else { continue }
            let scale = Matrix(
                a: place.width / shown.width, d: place.height / shown.height,
                tx: place.minX - shown.minX * place.width / shown.width,
                ty: place.minY - shown.minY * place.height / shown.height)
            state = GraphicsState(matrix: scale.then(matrix))
            runForm(appearance, form, resources: [:], depth: 0)
        }
    }

    /// Runs a form in a graphics state of its own.
    mutating func runForm(_ stream: PDFValue, _ form: [String: PDFValue], resources: [String: PDFValue], depth: Int) {
        guard depth < Self.maxDepth else { return }
        let saved = (state, text)
        let matrix = file.resolve(form["Matrix"]).array.flatMap { Matrix(.array($0.map(file.resolve))) } ?? Matrix()
        state.matrix = matrix.then(state.matrix)
        if let box = file.resolve(form["BBox"]).array.flatMap({ Rectangle(.array($0.map(file.resolve))) }) {
            clip(to: state.matrix.bounds(of: box))
        }
        let own = file.resolve(form["Resources"]).dictionary ?? resources
        let bytes = operatorsLeft > 0 ? file.data(stream).bytes : []
        // To unpack a form costs, too, even if it is empty.
        operatorsLeft -= 100 + bytes.count / 16
        run(bytes, own, depth: depth + 1)
        (state, text) = saved
    }

    mutating func clip(to area: Rectangle) {
        state.clip = state.clip.map { $0.intersection(area) } ?? area
    }

    mutating func run(_ bytes: [UInt8], _ resources: [String: PDFValue], depth: Int) {
        var run = ContentRun(bytes, resources, depth: depth)
        let marksBefore = marks.depth
        let textBefore = text
        while operatorsLeft > 0 {
            switch run.parser.lexer.next() {
            case .end:
                endMarks(to: marksBefore)
                text = textBefore
                return
            case .number(let number): run.operands.add(.number(number))
            case .name(let range): run.operands.add(.name(range))
            case .string(let range): run.operands.add(.string(range))
            case .dictionaryOpen:
                run.operands.add(.other(run.parser.value(.dictionaryOpen, depth: 0) ?? .null))
            // The items of an array are operands like others.
            case .arrayOpen: run.isInArray = true
            case .arrayClose: run.isInArray = false
            case .dictionaryClose: continue
            case .keyword(let range):
                operatorsLeft -= 1
                let code = ContentOperator(run.parser.lexer.bytes[range])
                // Some writers put operators into the array of shown text.
                if run.isInArray, code?.isAllowedInArray ?? true { continue }
                run.isInArray = false
                if let code { perform(code, &run) }
                run.operands.removeAll()
                run.parser.lexer.scratch.removeAll(keepingCapacity: true)
            }
        }
        endMarks(to: marksBefore)
    }

    func isHiddenLayer(_ value: PDFValue?) -> Bool {
        guard !hiddenLayers.isEmpty, let value else { return false }
        if let reference = value.reference, hiddenLayers.contains(reference) { return true }
        guard let members = file.resolve(value).dictionary?["OCGs"] else { return false }
        let layers = members.reference.map { [PDFValue.reference($0)] } ?? members.array ?? []
        return !layers.isEmpty && layers.allSatisfy { $0.reference.map(hiddenLayers.contains) ?? false }
    }
}

/// One content stream as it runs.
struct ContentRun {
    var parser: PDFObjectParser
    var operands = Operands()
    let resources: [String: PDFValue]
    let depth: Int
    /// Saved graphics states; those above the limit are counted only.
    var states: [GraphicsState] = []
    var statesLeftOut = 0
    var path = Rectangle.empty
    var isClipping = false
    var isInArray = false

    init(_ bytes: [UInt8], _ resources: [String: PDFValue], depth: Int) {
        parser = PDFObjectParser(bytes)
        self.resources = resources
        self.depth = depth
    }

    /// The entry of a kind of resource that the last operand names.
    func resource(_ kind: String, _ file: PDFFile) -> PDFValue? {
        guard let range = operands.name else { return nil }
        return file.resolve(resources[kind]).dictionary?[PDFObjectParser.name(parser.lexer.scratch[range])]
    }
}
