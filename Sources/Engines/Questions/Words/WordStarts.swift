import Language

/// The words of a question, to pass over names that cannot stand in it without splitting the names into words.
struct WordStarts {
    /// The words by their first byte.
    private var words: [[[UInt8]]] = Array(repeating: [], count: 256)

    init(_ question: [TextWord]) {
        for word in Set(question.map(\.text)) {
            let bytes = Array(word.utf8)
            if let first = bytes.first { words[Int(first)].append(bytes) }
        }
    }

    /// Whether the question may have the words of a name, as far as they are ASCII with spaces between them. The rest of the
    /// name is not looked at.
    func mayHave(_ name: String) -> Bool {
        var word: [UInt8] = []
        for byte in name.utf8 {
            guard byte < 0x80 else { return true }
            let isUpper = (0x41...0x5A).contains(byte)
            if isUpper || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) {
                word.append(isUpper ? byte | 0x20 : byte)
                continue
            }
            guard begins(with: word) else { return false }
            // Other marks may join what is beside them to one word.
            guard byte == UInt8(ascii: " ") || word.isEmpty else { return true }
            word.removeAll(keepingCapacity: true)
        }
        return begins(with: word)
    }

    /// Whether a word of the question begins with bytes.
    private func begins(with start: [UInt8]) -> Bool {
        guard let first = start.first else { return true }
        return words[Int(first)].contains { $0.starts(with: start) }
    }
}
