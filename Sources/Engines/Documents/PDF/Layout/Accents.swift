/// Puts accents that are printed over a letter together with the letter.
enum Accents {
    typealias Unit = (text: UInt32, u0: Float, u1: Float, size: Float)

    /// The combining form of an accent with a width.
    private static func combining(_ scalar: UInt32) -> UInt32? {
        switch scalar {
        case 0x60: 0x300
        case 0xB4: 0x301
        case 0x5E, 0x2C6: 0x302
        case 0x7E, 0x2DC: 0x303
        case 0xAF, 0x2C9: 0x304
        case 0x2D8: 0x306
        case 0x2D9: 0x307
        case 0xA8: 0x308
        case 0x2DA: 0x30A
        case 0x2DD: 0x30B
        case 0x2C7: 0x30C
        case 0xB8: 0x327
        case 0x2DB: 0x328
        default: nil
        }
    }

    /// Replaces an accent over its neighbour by a combining mark behind it.
    static func composed(_ units: [Unit]) -> [Unit] {
        guard units.contains(where: { combining($0.text) != nil }) else { return units }
        var result: [Unit] = []
        var index = 0
        while index < units.count {
            let unit = units[index]
            index += 1
            guard let mark = combining(unit.text) else {
                result.append(unit)
                continue
            }
            let middle = (unit.u0 + unit.u1) / 2
            if let last = result.last, isLetter(last.text), covers(last, middle) {
                result.append((mark, last.u1, last.u1, last.size))
            } else if index < units.count, isLetter(units[index].text), covers(units[index], middle) {
                let letter = units[index]
                index += 1
                result.append((letter.text == 0x131 ? 0x69 : letter.text, letter.u0, letter.u1, letter.size))
                result.append((mark, letter.u1, letter.u1, letter.size))
            } else {
                result.append(unit)
            }
        }
        return result
    }

    private static func covers(_ letter: Unit, _ middle: Float) -> Bool {
        middle > letter.u0 && middle < letter.u1
    }

    private static func isLetter(_ text: UInt32) -> Bool {
        Unicode.Scalar(text)?.properties.isAlphabetic ?? false
    }
}
