/// Maps byte offsets between a text and a shorter or longer view of it.
///
/// The map is a list of pieces without gaps. A piece is either copied, byte by byte, or replaced as a whole. A dropped
/// piece is a replaced one without bytes in the view. Lookups take logarithmic time.
struct OffsetMap: Sendable, Hashable {
    /// The start of a piece in both texts. It ends where the next one starts.
    private struct Piece: Sendable, Hashable {
        var view: Int
        var canonical: Int
        var isCopied: Bool
    }

    private var pieces: [Piece] = []
    private(set) var viewEnd = 0
    private(set) var canonicalEnd: Int

    /// - Parameter start: The canonical offset where the view begins.
    init(start: Int) {
        canonicalEnd = start
    }

    /// Adds bytes that are the same in both texts.
    mutating func copy(_ count: Int) {
        guard count > 0 else { return }
        if pieces.last?.isCopied != true { add(isCopied: true) }
        viewEnd += count
        canonicalEnd += count
    }

    /// Adds canonical bytes that the view shows as other bytes, or does not show.
    mutating func replace(_ count: Int, by shown: Int) {
        guard count > 0 || shown > 0 else { return }
        add(isCopied: false)
        viewEnd += shown
        canonicalEnd += count
    }

    /// Takes the last bytes back, which must have been copied.
    mutating func removeCopied(_ count: Int) {
        guard let last = pieces.last, last.isCopied, viewEnd - count >= last.view else { return }
        viewEnd -= count
        canonicalEnd -= count
        if viewEnd == last.view { pieces.removeLast() }
    }

    private mutating func add(isCopied: Bool) {
        pieces.append(Piece(view: viewEnd, canonical: canonicalEnd, isCopied: isCopied))
    }

    /// Returns the smallest canonical range that holds everything shown in a range of the view. An empty range maps to
    /// an empty one.
    func canonical(_ range: Range<Int>) -> Range<Int> {
        let start = canonicalStart(of: range.lowerBound)
        guard !range.isEmpty else { return start..<start }
        return start..<max(start, canonicalEnd(before: range.upperBound))
    }

    /// Returns the smallest range of the view that holds everything shown of a canonical range.
    func view(_ range: Range<Int>) -> Range<Int> {
        let start = viewStart(of: range.lowerBound)
        guard !range.isEmpty else { return start..<start }
        return start..<max(start, viewEnd(before: range.upperBound))
    }

    /// Pairs of a byte of the view and its canonical byte, wherever the distance between the two changes.
    var distances: [(view: Int, canonical: Int)] {
        var found: [(view: Int, canonical: Int)] = []
        for piece in pieces {
            if let last = found.last, last.canonical - last.view == piece.canonical - piece.view { continue }
            found.append((piece.view, piece.canonical))
        }
        return found
    }

    private func canonicalStart(of offset: Int) -> Int {
        guard offset < viewEnd, let index = last(where: { $0.view <= offset }) else { return canonicalEnd }
        return pieces[index].isCopied
            ? pieces[index].canonical + max(0, offset - pieces[index].view) : pieces[index].canonical
    }

    private func canonicalEnd(before offset: Int) -> Int {
        guard let index = last(where: { $0.view < offset }) else { return pieces.first?.canonical ?? canonicalEnd }
        let end = index + 1 < pieces.count ? pieces[index + 1].canonical : canonicalEnd
        return pieces[index].isCopied ? min(end, pieces[index].canonical + offset - pieces[index].view) : end
    }

    private func viewStart(of offset: Int) -> Int {
        guard offset < canonicalEnd else { return viewEnd }
        guard let index = last(where: { $0.canonical <= offset }) else { return 0 }
        return pieces[index].isCopied ? pieces[index].view + offset - pieces[index].canonical : pieces[index].view
    }

    private func viewEnd(before offset: Int) -> Int {
        guard let index = last(where: { $0.canonical < offset }) else { return 0 }
        let end = index + 1 < pieces.count ? pieces[index + 1].view : viewEnd
        return pieces[index].isCopied ? min(end, pieces[index].view + offset - pieces[index].canonical) : end
    }

    /// The last piece for which a condition holds that holds for none after the first for which it does not.
    private func last(where holds: (Piece) -> Bool) -> Int? {
        var low = 0
        var high = pieces.count
        while low < high {
            let middle = (low + high) / 2
            if holds(pieces[middle]) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? low - 1 : nil
    }
}
