/// The areas of a page that are not white any more, as far as they are remembered.
struct PaintedAreas {
    private static let maxAreas = 512

    private var areas: [(area: Rectangle, isWhite: Bool)] = []
    /// Too many to remember: then anything may lie below.
    private var isOverfull = false
    /// The part of the page that the last image covers.
    var lastCoverage = 0.0

    mutating func add(_ area: Rectangle) {
        append(area, isWhite: false)
    }

    /// Paints an area white again.
    mutating func clear(_ area: Rectangle) {
        if !areas.isEmpty { append(area, isWhite: true) }
    }

    private mutating func append(_ area: Rectangle, isWhite: Bool) {
        guard !area.isEmpty, !isOverfull else { return }
        areas.append((area, isWhite))
        isOverfull = areas.count > Self.maxAreas
    }

    /// Whether white text at a place is white on white.
    func isWhite(_ x: Double, _ y: Double) -> Bool {
        !isOverfull && areas.last { $0.area.contains(x, y) }?.isWhite ?? true
    }
}
