import TestSupport

/// Random bytes that are the same in each run.
struct SeededBytes {
    var generator: SeededGenerator

    init(_ seed: UInt64) {
        generator = SeededGenerator(seed)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Changes a few bytes, leaves a part out or repeats one.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...12, using: &generator) where !bytes.isEmpty {
            bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        let start = Int.random(in: 0...bytes.count, using: &generator)
        let end = min(bytes.count, start + Int.random(in: 0...40, using: &generator))
        switch Int.random(in: 0...3, using: &generator) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 2 where start > bytes.count / 2: bytes.removeSubrange(start...)
        default: break
        }
        return bytes
    }
}
