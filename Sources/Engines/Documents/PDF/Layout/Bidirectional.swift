/// Turns a line from the order on the page, left to right, to the order of reading.
enum Bidirectional {
    /// Letters of Hebrew, Arabic and their neighbours.
    static func isRightToLeft(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x590...0x65F, 0x66A...0x6EF, 0x6FA...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF: true
        default: false
        }
    }

    /// - Parameter texts: As of ``TextPool``, from left to right.
    static func logical(_ texts: [UInt32], pool: TextPool) -> [UInt32] {
        var classes: [Bool?] = texts.map { text in
            var isRight: Bool?
            pool.forEachScalar(text) { scalar in
                if isRightToLeft(scalar) {
                    isRight = true
                } else if isRight == nil, isLeftToRight(scalar) {
                    isRight = false
                }
            }
            return isRight
        }
        let rights = classes.filter { $0 == true }.count
        let isRightLine = rights * 2 >= classes.compactMap { $0 }.count
        // Neutral characters go with equal neighbours at both sides, else with the line.
        var index = 0
        while index < classes.count {
            guard classes[index] == nil else {
                index += 1
                continue
            }
            let end = classes[index...].firstIndex { $0 != nil } ?? classes.count
            let before = index > 0 ? classes[index - 1] : isRightLine
            let after = end < classes.count ? classes[end] : isRightLine
            for place in index..<end { classes[place] = before == after ? before : isRightLine }
            index = end
        }
        var runs: [(isRight: Bool, texts: [UInt32])] = []
        for (text, isRight) in zip(texts, classes) {
            let isRight = isRight ?? isRightLine
            if runs.last?.isRight == isRight {
                runs[runs.count - 1].texts.append(text)
            } else {
                runs.append((isRight, [text]))
            }
        }
        if isRightLine { runs.reverse() }
        var scalars: [UInt32] = []
        for run in runs {
            for text in run.isRight ? run.texts.reversed() : run.texts {
                pool.forEachScalar(text) { scalars.append(run.isRight ? mirrored($0) : $0) }
            }
        }
        while scalars.last == 0x20 { scalars.removeLast() }
        return scalars
    }

    /// Letters and digits of other scripts; digits run to the right everywhere.
    private static func isLeftToRight(_ scalar: UInt32) -> Bool {
        guard let properties = Unicode.Scalar(scalar)?.properties else { return false }
        return properties.isAlphabetic || properties.numericType != nil
    }

    private static func mirrored(_ scalar: UInt32) -> UInt32 {
        switch scalar {
        case 0x28: 0x29
        case 0x29: 0x28
        case 0x5B: 0x5D
        case 0x5D: 0x5B
        case 0x3C: 0x3E
        case 0x3E: 0x3C
        case 0xAB: 0xBB
        case 0xBB: 0xAB
        default: scalar
        }
    }
}
