/// Writes archives for tests, without compression.
package struct ZipWriter {
    private var body: [UInt8] = []
    private var directory: [UInt8] = []
    private var count = 0

    /// An archive without files.
    package init() {}

    /// The bytes of an archive with files in their order.
    package static func archive(_ files: [(name: String, text: String)]) -> [UInt8] {
        var writer = ZipWriter()
        for file in files { writer.add(file.name, Array(file.text.utf8)) }
        return writer.bytes
    }

    /// Adds a file.
    package mutating func add(_ name: String, _ content: [UInt8]) {
        let offset = body.count
        let fields =
            little(0, 2) + little(0, 2) + little(0, 4) + little(checksum(content), 4)
            + little(content.count, 4) + little(content.count, 4) + little(name.utf8.count, 2) + little(0, 2)
        body += [0x50, 0x4B, 3, 4] + little(20, 2) + fields + name.utf8 + content
        directory +=
            [0x50, 0x4B, 1, 2] + little(20, 2) + little(20, 2) + fields + little(0, 2) + little(0, 2)
            + little(0, 2) + little(0, 4) + little(offset, 4) + name.utf8
        count += 1
    }

    /// The archive so far.
    package var bytes: [UInt8] {
        body + directory + [0x50, 0x4B, 5, 6] + little(0, 4) + little(count, 2) + little(count, 2)
            + little(directory.count, 4) + little(body.count, 4) + little(0, 2)
    }

    private func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) } }

    private func checksum(_ bytes: [UInt8]) -> Int {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return Int(~sum)
    }
}
