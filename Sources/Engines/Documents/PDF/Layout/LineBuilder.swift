import Foundation

/// Writes the text of lines: spaces at gaps, one character for one printed twice, right-to-left text in the order of reading.
struct LineBuilder {
    /// A gap of this many font sizes is a space.
    static let wordGap: Float = 0.11
    /// Between characters that are written without spaces.
    static let unspacedGap: Float = 0.4

    let glyphs: [PageGlyph]
    let pool: TextPool
    let frame: Frame

    /// A glyph or a space of a line.
    private struct Unit {
        var text: UInt32
        var u0: Float
        var u1: Float
        var size: Float
    }

    /// - Parameter row: From left to right.
    func add(_ row: [Fragment], to page: inout PageText) {
        let units = self.units(row)
        var scalars: [UInt32] = []
        scalars.reserveCapacity(units.count + 1)
        for unit in units { pool.forEachScalar(unit.text) { scalars.append($0) } }
        while scalars.last == 0x20 { scalars.removeLast() }
        guard !scalars.isEmpty, let first = row.first else { return }
        if scalars.contains(where: Bidirectional.isRightToLeft) {
            scalars = Bidirectional.logical(units.map(\.text), pool: pool)
        }
        let start = page.bytes.count
        Self.append(scalars, to: &page.bytes)
        let end = page.bytes.count
        guard end > start else { return }
        page.bytes.append(0x0A)
        let ruler = row.max { $0.characters < $1.characters } ?? first
        let box = frame.box(
            u0: row.map(\.u0).min() ?? 0, u1: row.map(\.u1).max() ?? 0,
            v0: row.map { $0.v - $0.size * 0.8 }.min() ?? 0, v1: row.map { $0.v + $0.size * 0.22 }.max() ?? 0)
        page.lines.append(PageText.Line(range: start..<end, box: box, size: ruler.size, cells: Self.cells(row)))
    }

    private static func cells(_ row: [Fragment]) -> Int {
        1 + zip(row, row.dropFirst()).filter { $1.u0 - $0.u1 > max($0.size, $1.size) * 1.5 }.count
    }

    private func units(_ row: [Fragment]) -> [Unit] {
        var found: [Unit] = []
        for fragment in row {
            for place in fragment.glyphs {
                let glyph = glyphs[Int(place)]
                let start = frame.u(glyph.x, glyph.y)
                let end = start + frame.u(glyph.dx, glyph.dy)
                found.append(Unit(text: glyph.text, u0: min(start, end), u1: max(start, end), size: glyph.size))
            }
        }
        let isSorted = zip(found, found.dropFirst()).allSatisfy { $0.u0 <= $1.u0 }
        if !isSorted { found = Self.sorted(found) }
        return Self.spaced(
            Accents.composed(found.map { ($0.text, $0.u0, $0.u1, $0.size) }).map {
                Unit(text: $0.text, u0: $0.u0, u1: $0.u1, size: $0.size)
            })
    }

    /// By place; those at one place in the order of the content.
    private static func sorted(_ units: [Unit]) -> [Unit] {
        units.enumerated().sorted { ($0.element.u0, $0.offset) < ($1.element.u0, $1.offset) }.map(\.element)
    }

    private static func spaced(_ units: [Unit]) -> [Unit] {
        var line: [Unit] = []
        line.reserveCapacity(units.count + units.count / 4)
        var end: Float?
        for unit in units {
            if unit.text == 0x20 {
                // A space in a font without a width, or one that the next letters are printed over, is still a space.
                if let last = line.last, last.text != 0x20 { line.append(unit) }
                continue
            }
            if let end, let last = line.last {
                let size = min(last.size, unit.size)
                if last.text == unit.text, abs(unit.u0 - last.u0) < min(0.3 * (last.u1 - last.u0), size * 0.15) {
                    continue
                }
                let isUnspaced = isUnspaced(last.text) && isUnspaced(unit.text)
                if last.text != 0x20, unit.u0 - end > size * (isUnspaced ? unspacedGap : wordGap) {
                    line.append(Unit(text: 0x20, u0: end, u1: unit.u0, size: size))
                } else if last.text == 0x20, isUnspaced, line.count > 1, unit.u0 - end < size * unspacedGap {
                    line.removeLast()
                }
            }
            line.append(unit)
            end = max(end ?? unit.u1, unit.u1)
        }
        return line
    }

    private static func isUnspaced(_ text: UInt32) -> Bool {
        text > 0x2E7F && Unicode.Scalar(text).map(ReadingCharacters.isUnspaced) ?? false
    }

    /// Appends scalars as NFC.
    private static func append(_ scalars: [UInt32], to bytes: inout [UInt8]) {
        if scalars.allSatisfy({ $0 < 0x80 }) {
            bytes.append(contentsOf: scalars.lazy.map { UInt8(truncatingIfNeeded: $0) })
            return
        }
        var text = String.UnicodeScalarView()
        for scalar in scalars { if let scalar = Unicode.Scalar(scalar) { text.append(scalar) } }
        // Nothing below the combining marks composes.
        let isComposed = scalars.allSatisfy {
            $0 < 0x300 || (0x2010...0x2044).contains($0) || (0x4E00...0x9FFF).contains($0)
        }
        let line = isComposed ? String(text) : String(text).precomposedStringWithCanonicalMapping
        bytes.append(contentsOf: line.utf8)
    }
}
