/// Big-endian numbers of a font program, checked against its end.
struct FontBytes {
    let bytes: [UInt8]

    var count: Int { bytes.count }

    func u8(_ place: Int) -> Int? {
        bytes.indices.contains(place) ? Int(bytes[place]) : nil
    }

    func u16(_ place: Int) -> Int? {
        guard place >= 0, place < bytes.count - 1 else { return nil }
        return Int(bytes[place]) << 8 | Int(bytes[place + 1])
    }

    func u32(_ place: Int) -> Int? {
        guard let high = u16(place), let low = u16(place + 2) else { return nil }
        return high << 16 | low
    }

    /// A number of 1 to 4 bytes.
    func number(_ place: Int, size: Int) -> Int? {
        guard (1...4).contains(size), place >= 0, place <= bytes.count - size else { return nil }
        return bytes[place..<place + size].reduce(0) { $0 << 8 | Int($1) }
    }
}
