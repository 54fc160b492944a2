import CSearch

/// Folded texts one after another in memory that never moves, so that a pattern is sought by one scan over bytes.
///
/// Each document is `title 0x01 text 0x00`; no pattern holds either border, so no match crosses one.
///
/// SAFETY: `@unchecked Sendable` rests on the rule of ``MatrixChunk``: bytes are written once, by the one writer that
/// holds the index's lock, before any snapshot counts them, and never again.
@safe final class TextArena: @unchecked Sendable {
    let capacity: Int
    private let memory: UnsafeMutableRawBufferPointer

    init(capacity: Int) {
        self.capacity = capacity
        unsafe memory = .allocate(byteCount: max(1, capacity), alignment: 64)
    }

    deinit { unsafe memory.deallocate() }

    /// Writes bytes that no snapshot counts yet.
    func write(_ bytes: [UInt8], at offset: Int) {
        precondition(offset + bytes.count <= capacity)
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + bytes.count]).copyBytes(from: bytes)
    }

    /// Whether a byte belongs to a word: letters, digits, and all beyond ASCII.
    private static func isInWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x30 && byte <= 0x39)
    }

    /// A copy of some bytes.
    func bytes(_ range: Range<Int>) -> [UInt8] { unsafe Array(memory[range]) }

    /// Calls the body with the place of each match below `end`, and whether a word begins there; the body says where to
    /// go on.
    func forEachMatch(of pattern: [UInt8], below end: Int, _ body: (Int, Bool) -> Int) {
        unsafe pattern.withUnsafeBytes { pattern in
            guard let base = unsafe memory.baseAddress, let needle = pattern.baseAddress else { return }
            let length = pattern.count
            var position = 0
            while position + length <= end {
                guard let match = unsafe selene_find(base + position, end - position, needle, length) else { return }
                let place = unsafe match - UnsafeRawPointer(base)
                position = body(place, unsafe place == 0 || !Self.isInWord(memory[place - 1]))
            }
        }
    }
}
