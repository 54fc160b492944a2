import Citations
import Foundation
import Tools

/// Answers of models: citations, and calls that stand in the text.
enum AnswerTargets {
    /// The markers and the shown text are the same for every way to cut the bytes, and no byte of the answer is lost.
    static let markers: FuzzBody = { bytes in
        var input = Input(bytes)
        let seed = input.byte()
        let text = input.text
        var filter = CitationFilter()
        var (shown, markers) = ("", [CitationMarker]())
        for piece in input.pieces(seed) {
            let output = filter.push(piece)
            shown += output.text
            markers += output.markers
        }
        let rest = filter.finish()
        promise(shown + rest.text == text, "the shown text differs")
        promise(markers + rest.markers == CitationFilter.markers(in: text), "the markers differ")
        let length = text.utf8.count
        for marker in markers { promise(marker.range.upperBound <= length, "a marker beyond the text") }
    }

    /// Every verdict points into its sentence and its passage.
    static let check: FuzzBody = { bytes in
        var input = Input(bytes)
        var passages: [String] = []
        for _ in 0..<Int(input.byte() % 4) {
            passages.append(String(decoding: input.piece(upTo: UInt8(ascii: "|")), as: UTF8.self))
        }
        let answer = input.text
        for sentence in Sentence.sentences(ofAnswer: answer) {
            promise(sentence.range.upperBound <= answer.utf8.count, "a sentence beyond the answer")
        }
        _ = CitationCheck(passages: passages).check(answer)
    }

    /// The pieces are the same for every way to cut the bytes, and what is no call is shown.
    static let calls: FuzzBody = { bytes in
        var input = Input(bytes)
        let seed = input.byte()
        func pieces(_ cuts: [ArraySlice<UInt8>]) -> [CallInText.Piece] {
            var reader = CallInText(toolNames: ["search_notes", "read"])
            var all: [CallInText.Piece] = []
            for cut in cuts { all += reader.push(cut) }
            all += reader.finish()
            // Text may come in any number of pieces.
            return all.reduce(into: []) { joined, piece in
                if case .text(let more) = piece, case .text(let before)? = joined.last {
                    joined[joined.count - 1] = .text(before + more)
                } else {
                    joined.append(piece)
                }
            }
        }
        let whole = pieces([input.rest])
        promise(whole == pieces(input.pieces(seed)), "the cuts change the pieces")
        let text = whole.map { piece in
            switch piece {
            case .text(let text): text
            case .calls(_, let raw): raw
            }
        }
        promise(text.joined() == input.text, "text is lost")
    }
}
