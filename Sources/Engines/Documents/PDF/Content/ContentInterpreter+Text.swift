/// The text matrices.
struct TextPosition {
    var matrix = Matrix()
    var line = Matrix()
}

extension ContentInterpreter {
    mutating func performText(_ code: ContentOperator, _ run: ContentRun) {
        let number = run.operands.number
        switch code {
        case .beginText: text = TextPosition()
        case .endText: break
        case .setCharacterSpacing: state.characterSpacing = number ?? state.characterSpacing
        case .setWordSpacing: state.wordSpacing = number ?? state.wordSpacing
        case .setHorizontalScale: state.horizontalScale = number.map { $0 / 100 } ?? state.horizontalScale
        case .setLeading: state.leading = number ?? state.leading
        case .setRenderMode: state.renderMode = number.map { Int($0) } ?? 0
        case .setRise: state.rise = number ?? state.rise
        case .setFont: setFont(run)
        case .move:
            if let n = run.operands.numbers(2) { move(n[0], n[1]) }
        case .moveSetLeading:
            if let n = run.operands.numbers(2) {
                state.leading = -n[1]
                move(n[0], n[1])
            }
        case .setTextMatrix:
            if let n = run.operands.numbers(6) {
                text.line = Matrix(a: n[0], b: n[1], c: n[2], d: n[3], tx: n[4], ty: n[5])
                text.matrix = text.line
            }
        case .nextLine: move(0, -state.leading)
        case .show, .showArray: show(run)
        case .nextLineShow:
            move(0, -state.leading)
            show(run)
        case .nextLineSpaceShow:
            let numbers = run.operands.allNumbers
            if numbers.count >= 2 {
                state.wordSpacing = numbers[0]
                state.characterSpacing = numbers[1]
            }
            move(0, -state.leading)
            if case .string(let range) = run.operands.items.last { show(run.parser.lexer.scratch, range) }
        default: break
        }
    }

    private mutating func setFont(_ run: ContentRun) {
        if let size = run.operands.number { state.size = size }
        for item in run.operands.items {
            guard case .name(let range) = item else { continue }
            let name = PDFObjectParser.name(run.parser.lexer.scratch[range])
            state.font = fonts.font(file.resolve(run.resources["Font"]).dictionary?[name])
        }
    }

    private mutating func move(_ x: Double, _ y: Double) {
        text.line = Matrix(tx: x, ty: y).then(text.line)
        text.matrix = text.line
    }

    private mutating func show(_ run: ContentRun) {
        for item in run.operands.items {
            switch item {
            case .string(let range): show(run.parser.lexer.scratch, range)
            case .number(let number):
                let shift = -number / 1000 * state.size
                if state.font?.isVertical == true {
                    text.matrix = Matrix(ty: shift).then(text.matrix)
                } else {
                    text.matrix = Matrix(tx: shift * state.horizontalScale).then(text.matrix)
                }
            default: continue
            }
        }
    }

    private mutating func show(_ bytes: [UInt8], _ range: Range<Int>) {
        guard let font = state.font, content.glyphs.count < PageContent.maxGlyphs else { return }
        let full = text.matrix.then(state.matrix)
        var position = full.apply(0, state.rise)
        let along = (x: full.a, y: full.b)
        let up = (x: full.c, y: full.d)
        let height = abs(state.size) * Double(font.scale) * (up.x * up.x + up.y * up.y).squareRoot()
        guard position.x.isFinite, position.y.isFinite, height.isFinite else { return }
        var total = 0.0
        var place = range.lowerBound
        while place < range.upperBound {
            let (character, isSpace) = font.next(bytes, &place, end: range.upperBound)
            var advance = Double(character.advance) * state.size
            var spacing = state.characterSpacing + (isSpace ? state.wordSpacing : 0)
            let direction = font.isVertical ? up : along
            if !font.isVertical {
                advance *= state.horizontalScale
                spacing *= state.horizontalScale
            }
            add(character, at: position, by: (direction.x * advance, direction.y * advance), height)
            total += advance + spacing
            position.x += direction.x * (advance + spacing)
            position.y += direction.y * (advance + spacing)
        }
        text.matrix = (font.isVertical ? Matrix(ty: total) : Matrix(tx: total)).then(text.matrix)
    }

    private mutating func add(
        _ character: PDFFont.Character, at place: (x: Double, y: Double), by advance: (x: Double, y: Double),
        _ height: Double
    ) {
        guard !marks.isHidden else { return }
        let middle = (x: place.x + advance.x / 2, y: place.y + advance.y / 2)
        let reach = height + abs(advance.x) + abs(advance.y)
        let isOff =
            !(middle.x > page.minX - reach / 2 && middle.x < page.maxX + reach / 2
            && middle.y > page.minY - reach / 2 && middle.y < page.maxY + reach / 2)
        let isClipped =
            state.clip.map { clip in
                middle.x < clip.minX - reach || middle.x > clip.maxX + reach || middle.y < clip.minY - reach
                    || middle.y > clip.maxY + reach
            } ?? false
        let isFilled = state.renderMode == 0 || state.renderMode == 4
        let isWhite = isFilled && state.isFillWhite && paint.isWhite(middle.x, middle.y - height * 0.3)
        if character.text == TextPool.nothing { return }
        guard !isOff, !isClipped, !isWhite, height >= 1 else {
            if character.text != 0x20, character.text != 0 { content.hidden += 1 }
            return
        }
        if character.text == 0 { content.unmapped += 1 }
        content.glyphs.append(
            PageGlyph(
                x: Float(place.x), y: Float(place.y), dx: Float(advance.x), dy: Float(advance.y), size: Float(height),
                text: character.text == 0 ? PDFFont.replacement : character.text,
                isInvisible: state.renderMode == 3 || isFilled && state.isTransparent))
    }
}
