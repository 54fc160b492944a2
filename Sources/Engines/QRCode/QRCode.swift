/// A QR code of up to 213 bytes of text: byte mode, error correction level M, versions 1 to 10 (ISO/IEC 18004).
package struct QRCode: Sendable, Hashable {
    /// Modules on each side, without the quiet zone: 21 to 57.
    package private(set) var size: Int
    /// Whether each module is dark, row by row.
    private var modules: [Bool]
    /// Whether each module has a fixed function and carries no data.
    private var isFunction: [Bool]

    /// Encodes a text with the mask of the lowest penalty; nil when it has more than 213 bytes.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let version = QRVersion.all.first(where: { bytes.count <= $0.maxBytes }) else { return nil }
        size = version.size
        modules = Array(repeating: false, count: size * size)
        isFunction = modules
        drawFunctions(version)
        draw(version.codewords(of: bytes))
        var best: (penalty: Int, code: QRCode)?
        for mask in 0..<8 {
            var candidate = self
            candidate.apply(mask: mask)
            candidate.drawFormat(mask: mask)
            let penalty = candidate.penalty
            if best.map({ penalty < $0.penalty }) ?? true { best = (penalty, candidate) }
        }
        if let best { self = best.code }
    }

    /// Whether the module in a column and row is dark; modules outside the code are light.
    package subscript(column: Int, row: Int) -> Bool {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return false }
        return modules[row * size + column]
    }

    // MARK: Function patterns

    private mutating func set(_ column: Int, _ row: Int, _ isDark: Bool) {
        guard (0..<size).contains(column), (0..<size).contains(row) else { return }
        modules[row * size + column] = isDark
        isFunction[row * size + column] = true
    }

    private mutating func drawFunctions(_ version: QRVersion) {
        for place in 0..<size {
            set(6, place, place % 2 == 0)
            set(place, 6, place % 2 == 0)
        }
        for (column, row) in [(3, 3), (size - 4, 3), (3, size - 4)] { drawFinder(column, row) }
        let places = version.alignment
        for column in places {
            for row in places {
                let isAtFinder =
                    (column == 6 && row == 6) || (column == 6 && row == size - 7) || (column == size - 7 && row == 6)
                if !isAtFinder { drawAlignment(column, row) }
            }
        }
        // Reserves the places; the mask is not known yet.
        drawFormat(mask: 0)
        drawVersion(version)
    }

    private mutating func drawFinder(_ column: Int, _ row: Int) {
        for y in -4...4 {
            for x in -4...4 {
                let distance = max(abs(x), abs(y))
                set(column + x, row + y, distance != 2 && distance != 4)
            }
        }
    }

    private mutating func drawAlignment(_ column: Int, _ row: Int) {
        for y in -2...2 { for x in -2...2 { set(column + x, row + y, max(abs(x), abs(y)) != 1) } }
    }

    /// Draws both copies of the level and the mask.
    private mutating func drawFormat(mask: Int) {
        // The bits of level M are 00.
        var rest = mask
        for _ in 0..<10 { rest = (rest << 1) ^ ((rest >> 9) * 0x537) }
        let bits = (mask << 10 | rest) ^ 0x5412
        func isSet(_ bit: Int) -> Bool { bits >> bit & 1 == 1 }
        for bit in 0..<6 { set(8, bit, isSet(bit)) }
        set(8, 7, isSet(6))
        set(8, 8, isSet(7))
        set(7, 8, isSet(8))
        for bit in 9..<15 { set(14 - bit, 8, isSet(bit)) }
        for bit in 0..<8 { set(size - 1 - bit, 8, isSet(bit)) }
        for bit in 8..<15 { set(8, size - 15 + bit, isSet(bit)) }
        set(8, size - 8, true)
    }

    private mutating func drawVersion(_ version: QRVersion) {
        guard version.number >= 7 else { return }
        var rest = version.number
        for _ in 0..<12 { rest = (rest << 1) ^ ((rest >> 11) * 0x1F25) }
        let bits = version.number << 12 | rest
        for bit in 0..<18 {
            let (near, far) = (bit / 3, size - 11 + bit % 3)
            set(far, near, bits >> bit & 1 == 1)
            set(near, far, bits >> bit & 1 == 1)
        }
    }

    // MARK: Data

    /// Draws the codewords in columns of two, upwards and downwards in turn, from the right.
    private mutating func draw(_ codewords: [UInt8]) {
        var bit = 0
        var right = size - 1
        while right >= 1 {
            // The column of the timing pattern carries no data.
            if right == 6 { right = 5 }
            for step in 0..<size {
                for column in [right, right - 1] {
                    let row = (right + 1) & 2 == 0 ? size - 1 - step : step
                    guard !isFunction[row * size + column], bit < codewords.count * 8 else { continue }
                    modules[row * size + column] = codewords[bit / 8] >> (7 - bit % 8) & 1 == 1
                    bit += 1
                }
            }
            right -= 2
        }
    }

    private mutating func apply(mask: Int) {
        for row in 0..<size {
            for column in 0..<size where !isFunction[row * size + column] {
                let isInverted =
                    switch mask {
                    case 0: (column + row) % 2 == 0
                    case 1: row % 2 == 0
                    case 2: column % 3 == 0
                    case 3: (column + row) % 3 == 0
                    case 4: (column / 3 + row / 2) % 2 == 0
                    case 5: column * row % 2 + column * row % 3 == 0
                    case 6: (column * row % 2 + column * row % 3) % 2 == 0
                    default: ((column + row) % 2 + column * row % 3) % 2 == 0
                    }
                if isInverted { modules[row * size + column].toggle() }
            }
        }
    }

    // MARK: Penalty

    /// The penalty of runs, blocks, patterns like the finders', and an uneven share of dark modules.
    private var penalty: Int {
        var sum = 0
        for line in 0..<size {
            sum += Self.penalty(of: (0..<size).map { self[$0, line] })
            sum += Self.penalty(of: (0..<size).map { self[line, $0] })
        }
        for row in 0..<size - 1 {
            for column in 0..<size - 1 {
                let isDark = self[column, row]
                if isDark == self[column + 1, row], isDark == self[column, row + 1], isDark == self[column + 1, row + 1]
                {
                    sum += 3
                }
            }
        }
        let dark = modules.count { $0 }
        return sum + abs(dark * 20 - modules.count * 10) / modules.count * 10
    }

    private static let finderLike: [[Bool]] = {
        let core = [true, false, true, true, true, false, true]
        let quiet = [false, false, false, false]
        return [core + quiet, quiet + core]
    }()

    private static func penalty(of line: [Bool]) -> Int {
        var (sum, run) = (0, 0)
        for index in line.indices {
            run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
            if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
        }
        for start in 0...(line.count - 11) {
            let window = line[start..<start + 11]
            if finderLike.contains(where: { window.elementsEqual($0) }) { sum += 40 }
        }
        return sum
    }
}
