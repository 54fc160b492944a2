import GatewayAPI

/// Packs the blocks and lines of a page into bytes, little-endian: 9 for a block, 24 for a line.
enum BookLayout {
    /// The kinds of blocks by their numbers in the database; new ones are appended.
    private static let kinds = [
        "paragraph", "heading", "list_item", "quote", "code", "table", "caption", "footnote", "running_head",
    ]

    static func pack(_ blocks: [BookPage.Block]) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(blocks.count * 9)
        for block in blocks {
            data.append(UInt8(kinds.firstIndex(of: block.kind) ?? 0))
            append(block.start, to: &data)
            append(block.end, to: &data)
        }
        return data
    }

    static func pack(_ lines: [BookPage.Line]) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(lines.count * 24)
        for line in lines {
            append(line.start, to: &data)
            append(line.end, to: &data)
            for index in 0..<4 {
                let value = index < line.box.count ? Float(line.box[index]) : 0
                append(Int(value.bitPattern), to: &data)
            }
        }
        return data
    }

    /// Another program may have changed the bytes: what makes no sense is left out.
    static func blocks(_ bytes: [UInt8]?, textBytes: Int) -> [BookPage.Block] {
        let bytes = bytes ?? []
        return stride(from: 0, to: bytes.count - bytes.count % 9, by: 9).compactMap { place in
            let (start, end) = (number(bytes, place + 1), number(bytes, place + 5))
            guard start <= end, end <= textBytes, kinds.indices.contains(Int(bytes[place])) else { return nil }
            return BookPage.Block(kind: kinds[Int(bytes[place])], start: start, end: end)
        }
    }

    static func lines(_ bytes: [UInt8]?, textBytes: Int) -> [BookPage.Line]? {
        guard let bytes else { return nil }
        return stride(from: 0, to: bytes.count - bytes.count % 24, by: 24).compactMap { place in
            let (start, end) = (number(bytes, place), number(bytes, place + 4))
            let box = (0..<4).map { Double(Float(bitPattern: UInt32(number(bytes, place + 8 + 4 * $0)))) }
            guard start <= end, end <= textBytes, box.allSatisfy(\.isFinite) else { return nil }
            return BookPage.Line(start: start, end: end, box: box)
        }
    }

    private static func append(_ number: Int, to data: inout [UInt8]) {
        let value = UInt32(clamping: number)
        for shift in stride(from: 0, through: 24, by: 8) {
            data.append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
        }
    }

    private static func number(_ bytes: [UInt8], _ place: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }
}
