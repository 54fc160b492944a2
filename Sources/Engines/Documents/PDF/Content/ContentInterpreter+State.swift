extension ContentInterpreter {
    mutating func perform(_ code: ContentOperator, _ run: inout ContentRun) {
        switch code {
        case .save:
            if run.states.count < Self.maxStates { run.states.append(state) } else { run.statesLeftOut += 1 }
        case .restore:
            if run.statesLeftOut > 0 {
                run.statesLeftOut -= 1
            } else if let last = run.states.popLast() {
                state = last
            }
        case .concatenate:
            if let n = run.operands.numbers(6) {
                state.matrix = Matrix(a: n[0], b: n[1], c: n[2], d: n[3], tx: n[4], ty: n[5]).then(state.matrix)
            }
        case .setState: setState(run)
        case .fillGray, .fillRGB, .fillCMYK, .fillSpace, .fillColor, .fillColorNamed: setColor(code, run)
        case .moveTo, .lineTo, .curve, .curveFirst, .curveLast, .rectangle: extend(code, &run)
        case .clip, .clipEvenOdd: run.isClipping = true
        case .endPath, .stroke, .closeStroke: endPath(&run, isFilled: false)
        case .fill, .fillOld, .fillEvenOdd, .fillStroke, .fillStrokeEvenOdd, .closeFillStroke, .closeFillStrokeEvenOdd:
            endPath(&run, isFilled: true)
        case .shade: paint.add(state.clip ?? page)
        case .paintObject: paintObject(run)
        case .beginImage: skipInlineImage(&run)
        case .beginMarked: marks.begin(nil, isHidden: false, at: content.glyphs.count)
        case .beginMarkedList: beginMarked(run)
        case .endMarked: endMarks(to: marks.depth - 1)
        default: performText(code, run)
        }
    }

    private mutating func setState(_ run: ContentRun) {
        guard let values = file.resolve(run.resource("ExtGState", file)).dictionary else { return }
        if let alpha = file.resolve(values["ca"]).number { state.isTransparent = alpha < 0.02 }
        if let font = file.resolve(values["Font"]).array, font.count >= 2 {
            state.font = fonts.font(font[0])
            state.size = file.resolve(font[1]).number ?? state.size
        }
    }

    private mutating func setColor(_ code: ContentOperator, _ run: ContentRun) {
        let numbers = run.operands.allNumbers
        switch code {
        case .fillGray, .fillRGB:
            state.white = .ones
            state.isFillWhite = WhiteColor.ones.isWhite(numbers)
        case .fillCMYK:
            state.white = .zeros
            state.isFillWhite = WhiteColor.zeros.isWhite(numbers)
        case .fillSpace:
            state.white = white(run)
            state.isFillWhite = false
        default:
            state.isFillWhite = run.operands.name == nil && state.white.isWhite(numbers)
        }
    }

    private func white(_ run: ContentRun) -> WhiteColor {
        guard let range = run.operands.name else { return .unknown }
        let name = PDFObjectParser.name(run.parser.lexer.scratch[range])
        let space = file.resolve(run.resource("ColorSpace", file))
        switch space.name ?? file.resolve(space.array?.first).name ?? name {
        case "DeviceGray", "DeviceRGB", "CalGray", "CalRGB", "ICCBased": return .ones
        case "DeviceCMYK", "Separation", "DeviceN": return .zeros
        default: return .unknown
        }
    }

    private func extend(_ code: ContentOperator, _ run: inout ContentRun) {
        var points = run.operands.allNumbers
        if code == .rectangle {
            guard points.count >= 4 else { return }
            points = [points[0], points[1], points[0] + points[2], points[1] + points[3]]
            let box = Rectangle(.array(points.map { .number($0) })) ?? .empty
            let bounds = state.matrix.bounds(of: box)
            run.path.add(bounds.minX, bounds.minY)
            run.path.add(bounds.maxX, bounds.maxY)
            return
        }
        for index in stride(from: 0, to: points.count - 1, by: 2) {
            let point = state.matrix.apply(points[index], points[index + 1])
            run.path.add(point.x, point.y)
        }
    }

    private mutating func endPath(_ run: inout ContentRun, isFilled: Bool) {
        if isFilled, !run.path.isEmpty, !state.isTransparent {
            let shown = state.clip.map { run.path.intersection($0) } ?? run.path
            if state.isFillWhite { paint.clear(shown) } else { paint.add(shown) }
        }
        if run.isClipping { clip(to: run.path) }
        run.isClipping = false
        run.path = .empty
    }

    private mutating func paintObject(_ run: ContentRun) {
        let value = file.resolve(run.resource("XObject", file))
        guard case .stream(_, let object) = value, !isHiddenLayer(object["OC"]), !marks.isHidden else { return }
        switch file.resolve(object["Subtype"]).name {
        case "Form": runForm(value, object, resources: run.resources, depth: run.depth)
        case "Image":
            addImage()
            let covers = paint.lastCoverage > 0.9
            if covers, content.cover == nil { content.cover = value }
        default: break
        }
    }

    private mutating func addImage() {
        let bounds = state.matrix.bounds(of: .unit).intersection(page)
        let shown = state.clip.map { bounds.intersection($0) } ?? bounds
        paint.add(shown)
        paint.lastCoverage = page.area > 0 ? shown.area / page.area : 0
        content.imageCoverage += paint.lastCoverage
    }

    /// Skips to `EI`, which stands between white space and no binary data.
    private mutating func skipInlineImage(_ run: inout ContentRun) {
        let bytes = run.parser.lexer.bytes
        var place = run.parser.lexer.place
        addImage()
        while place + 1 < bytes.count, !(bytes[place] == 0x49 && bytes[place + 1] == 0x44) { place += 1 }
        place += 2
        while place + 2 < bytes.count {
            if bytes[place + 1] == 0x45, bytes[place + 2] == 0x49, PDFLexer.isSpace(bytes[place]) {
                let after = bytes[(place + 3)..<min(place + 14, bytes.count)]
                let isText = after.allSatisfy { $0 >= 0x20 && $0 < 0x7F || PDFLexer.isSpace($0) }
                if isText, after.first.map(PDFLexer.isSpace) ?? true { break }
            }
            place += 1
        }
        run.parser.lexer.place = min(place + 3, bytes.count)
    }

    private mutating func beginMarked(_ run: ContentRun) {
        var properties: PDFValue = .null
        if case .other(let value) = run.operands.items.last { properties = value }
        let named = run.resource("Properties", file)
        var isHidden = false
        if case .name(let range) = run.operands.items.first, run.parser.lexer.scratch[range].elementsEqual("OC".utf8) {
            isHidden = isHiddenLayer(named)
        }
        if properties == .null { properties = file.resolve(named) }
        let text = file.resolve(properties.dictionary?["ActualText"]).string.map {
            PDFFont.cleaned(TextString.decode($0).unicodeScalars.map(\.value)) ?? []
        }
        marks.begin(text, isHidden: isHidden, at: content.glyphs.count)
    }

    /// Ends marked content and puts its stated text in the place of its glyphs, when they are on one line.
    mutating func endMarks(to depth: Int) {
        while marks.depth > max(depth, 0) {
            guard let mark = marks.end(), let text = mark.text, mark.start < content.glyphs.count else { continue }
            let glyphs = content.glyphs[mark.start...]
            guard var first = glyphs.first, let last = glyphs.last,
                glyphs.allSatisfy({ abs($0.y - first.y) < $0.size * 2 || abs($0.x - first.x) < $0.size * 2 })
            else { continue }
            first.dx = last.x + last.dx - first.x
            first.dy = last.y + last.dy - first.y
            first.text = fonts.pool.number(text)
            content.glyphs.removeSubrange(mark.start...)
            if !text.isEmpty { content.glyphs.append(first) }
        }
    }
}
