/// One size of a QR code at error correction level M: how its codewords are counted and ordered.
struct QRVersion {
    /// 1 to 10.
    let number: Int
    /// Codewords of error correction in each block.
    private let correction: Int
    /// Blocks that are corrected alone.
    private let blocks: Int

    static let all: [QRVersion] = zip(
        [10, 16, 26, 18, 24, 16, 18, 22, 22, 26], [1, 1, 1, 2, 2, 4, 4, 4, 5, 5]
    ).enumerated().map { QRVersion(number: $0 + 1, correction: $1.0, blocks: $1.1) }

    var size: Int { number * 4 + 17 }

    /// The rows and columns of the alignment patterns' centres.
    var alignment: [Int] {
        guard number > 1 else { return [] }
        let count = number / 7 + 2
        let step = (number * 8 + count * 3 + 5) / (count * 4 - 4) * 2
        return [6] + (0..<count - 1).map { size - 7 - $0 * step }.reversed()
    }

    /// All codewords: of data and of error correction.
    private var total: Int {
        var modules = (16 * number + 128) * number + 64
        if number >= 2 {
            let count = number / 7 + 2
            modules -= (25 * count - 10) * count - 55
            if number >= 7 { modules -= 36 }
        }
        return modules / 8
    }

    private var data: Int { total - correction * blocks }
    private var lengthBits: Int { number < 10 ? 8 : 16 }

    /// The longest text in bytes.
    var maxBytes: Int { (data * 8 - 4 - lengthBits) / 8 }

    /// Encodes bytes: mode, length, padding, error correction, blocks interleaved.
    func codewords(of bytes: [UInt8]) -> [UInt8] {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
        }
        append(0b0100, 4)
        append(bytes.count, lengthBits)
        for byte in bytes { append(Int(byte), 8) }
        append(0, min(4, data * 8 - bits.count))
        append(0, (8 - bits.count % 8) % 8)
        var words = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
        }
        for index in 0..<max(0, data - words.count) { words.append(index % 2 == 0 ? 0xEC : 0x11) }
        return interleaved(words)
    }

    private func interleaved(_ words: [UInt8]) -> [UInt8] {
        let short = data / blocks
        let longBlocks = data % blocks
        let generator = ReedSolomon(degree: correction)
        var (parts, checks): ([[UInt8]], [[UInt8]]) = ([], [])
        var start = 0
        for block in 0..<blocks {
            let count = short + (block >= blocks - longBlocks ? 1 : 0)
            parts.append(Array(words[start..<start + count]))
            checks.append(generator.remainder(of: parts[block]))
            start += count
        }
        var result: [UInt8] = []
        for index in 0...short { for part in parts where index < part.count { result.append(part[index]) } }
        for index in 0..<correction { for check in checks { result.append(check[index]) } }
        return result
    }
}

/// Reed-Solomon error correction over GF(2^8) with the polynomial 0x11D.
struct ReedSolomon {
    /// The generator's coefficients without the leading 1, highest power first.
    private let generator: [UInt8]

    init(degree: Int) {
        var result = [UInt8](repeating: 0, count: degree)
        result[degree - 1] = 1
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                result[index] = Self.product(result[index], root)
                if index + 1 < degree { result[index] ^= result[index + 1] }
            }
            root = Self.product(root, 2)
        }
        generator = result
    }

    func remainder(of data: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ result.removeFirst()
            result.append(0)
            for index in result.indices { result[index] ^= Self.product(generator[index], factor) }
        }
        return result
    }

    private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var result: UInt8 = 0
        for bit in (0..<8).reversed() {
            let carry = result >> 7
            result = (result << 1) ^ (carry * 0x1D)
            if right >> bit & 1 == 1 { result ^= left }
        }
        return result
    }
}
