import Cryptography
import GatewayAPI
import Storage
import Tools
import ThreadRoom

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a model is asked about a proposal: its most typical notes, and how many names it needs.
struct PhraseQuestion: Sendable, Hashable {
    static let maxNotes = 12
    /// The characters of a note, as Unicode scalars.
    static let maxScalars = 800
    /// The parts of a proposal; one with more is not phrased.
    static let maxParts = 6
    /// The version of the question: another one is asked again.
    private static let version = 1

    struct NoteText: Sendable, Hashable {
        var id: Int64
        /// Its title and the beginning of its content.
        var text: String
    }

    /// The notes, numbered from 1.
    private(set) var notes: [NoteText] = []
    /// For each wanted name the numbers of its notes.
    private(set) var names: [[Int]] = []
    /// The number of private notes that were left out.
    private(set) var withheld = 0

    /// Whether there is something to phrase: two notes, and two for each name.
    var isEmpty: Bool { notes.count < 2 || names.contains { $0.count < 2 } }

    /// Chooses the notes.
    ///
    /// - Parameters:
    ///   - found: The notes of the proposal that the API returns.
    ///   - hides: The notes that the model may not read; nil for none.
    init(_ proposal: StoredThreadProposal, _ found: [Int64: Note], hides: NotePrivacy?) {
        guard proposal.parts.count <= Self.maxParts else { return }
        for (place, part) in Self.chosen(proposal).enumerated() {
            var numbers: [Int] = []
            for id in part {
                guard let note = found[id] else { continue }
                if let hides, hides.covers(note) {
                    withheld += 1
                    continue
                }
                let text = note.title + "\n" + note.content
                notes.append(
                    NoteText(
                        id: id, text: String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.maxScalars)))))
                numbers.append(notes.count)
            }
            if proposal.newParts.contains(place) { names.append(numbers) }
        }
    }

    /// The ids of the notes that a question about a proposal may have, by part.
    static func chosen(_ proposal: StoredThreadProposal) -> [[Int64]] {
        let count = max(2, maxNotes / max(1, proposal.parts.count))
        return proposal.parts.prefix(maxParts).map { Array($0.notes.prefix(count)) }
    }

    /// A digest of the question and of the model that gets it.
    func digest(_ model: String) -> String {
        var hash = SHA256()
        func add(_ text: String) {
            hash.update(data: Data("\(text.utf8.count):".utf8))
            hash.update(data: Data(text.utf8))
        }
        add("\(Self.version) \(names) \(withheld)")
        add(model)
        for note in notes {
            add(String(note.id))
            add(note.text)
        }
        let digits = Array("0123456789abcdef")
        return String(hash.finalize().prefix(16).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
