/// The words of a question, to pass over names that cannot stand in it without splitting the names into words.
struct FirstWords {
    /// The words by their first byte.
    private var words: [[[UInt8]]] = Array(repeating: [], count: 256)

    init(_ question: [QuestionWord]) {
        for word in Set(question.map(\.text)) {
            let bytes = Array(word.utf8)
            if let first = bytes.first { words[Int(first)].append(bytes) }
        }
    }

    /// Whether the question may have the first word of a name. Exact for a name that begins with a word of ASCII, otherwise true.
    func mayHave(firstOf name: String) -> Bool {
        var start: [UInt8] = []
        for byte in name.utf8 {
            guard byte < 0x80 else { return true }
            let isUpper = (0x41...0x5A).contains(byte)
            if isUpper || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) {
                start.append(isUpper ? byte | 0x20 : byte)
            } else if !start.isEmpty {
                break
            }
        }
        guard let first = start.first else { return false }
        return words[Int(first)].contains { $0.starts(with: start) }
    }
}
