import Finding
import GatewayAPI
import Questions

extension FindCandidate {
    /// A note as filters look at it.
    init(_ note: Note, passage: RetrievedNote.Passage?, _ question: FindQuestion) {
        self.init(id: String(note.id), title: note.title, text: note.content)
        self.passage = passage.map { $0.start..<max($0.start, $0.end) }
        (place.start, place.end) = (passage?.start, passage?.end)
        createdAt = note.createdAt
        labels.tags = note.tags
        labels.types = [note.noteType, note.actionability].compactMap(\.self)
        labels.threads = note.threads.flatMap { [$0.name, String($0.id)] }
        labels.places = note.threads.map(\.name)
        labels.source = note.externalId ?? ""
        labels.time = Timestamp.unixSeconds(note.createdAt)
        if question.operators.filters.contains(where: { $0.name == .has }) {
            labels.hasTask = Self.hasBox(note.content)
        }
    }

    /// Whether a line of a text begins with a box of a list: `- [ ]`, `* [x]`.
    private static func hasBox(_ text: String) -> Bool {
        text.utf8.split { $0 == 0x0A || $0 == 0x0D }.contains { line in
            let rest = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ">") }
            guard let mark = rest.first, "-*+".utf8.contains(mark) else { return false }
            return [" [ ] ", " [x] ", " [X] "].contains { rest.dropFirst().starts(with: $0.utf8) }
        }
    }
}
