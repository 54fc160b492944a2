import Foundation

/// Turns the glyphs of a page into lines in reading order.
struct PageLayout {
    /// Gaps up to this many font sizes are within a fragment.
    private static let wideGap: Float = 1
    /// Directions beyond these are read as horizontal.
    private static let maxDirections = 8

    private let glyphs: [PageGlyph]
    private let pool: TextPool

    static func text(_ glyphs: [PageGlyph], pool: TextPool, width: Double, height: Double) -> PageText {
        var page = PageText()
        page.width = width
        page.height = height
        let layout = PageLayout(glyphs: glyphs, pool: pool)
        for (degrees, places) in layout.directions() {
            layout.add(places, frame: Frame(degrees: degrees), to: &page)
        }
        return page
    }

    /// The glyphs by direction in degrees, the most frequent direction first.
    private func directions() -> [(Int, [Int32])] {
        var groups: [(degrees: Int, places: [Int32])] = [(0, [])]
        groups[0].places.reserveCapacity(glyphs.count)
        var last = 0
        for (place, glyph) in glyphs.enumerated() {
            if abs(glyph.dx) > 0.01 || abs(glyph.dy) > 0.01 {
                let degrees = Self.degrees(glyph.dx, glyph.dy)
                if groups[last].degrees != degrees {
                    last = groups.firstIndex { $0.degrees == degrees } ?? groups.count
                    if last >= Self.maxDirections { last = 0 }
                    if last == groups.count { groups.append((degrees, [])) }
                }
            }
            groups[last].places.append(Int32(place))
        }
        return groups.filter { !$0.places.isEmpty }
            .sorted { ($0.places.count, $1.degrees) > ($1.places.count, $0.degrees) }
    }

    private static func degrees(_ dx: Float, _ dy: Float) -> Int {
        if dx > 0, abs(dy) < dx * 0.05 { return 0 }
        let degrees = (Int((atan2(dy, dx) * 180 / .pi).rounded()) + 360) % 360
        // Slight turns count as none.
        let quarter = (degrees + 45) / 90 * 90
        return abs(degrees - quarter) <= 5 ? quarter % 360 : degrees / 5 * 5
    }

    private func add(_ places: [Int32], frame: Frame, to page: inout PageText) {
        let segments = Self.segments(fragments(places, frame))
        let builder = LineBuilder(glyphs: glyphs, pool: pool, frame: frame)
        for region in ReadingOrder.regions(segments) {
            let rows = Self.rows(region).map { row in row.sorted { $0.u0 < $1.u0 } }
            let first = page.lines.count
            for row in rows { builder.add(row, to: &page) }
            Paragraphs.mark(&page.lines, from: first, bytes: page.bytes, frame: frame)
        }
    }

    /// Cuts the glyphs, in the order of the content, at wide gaps and changes of the line.
    private func fragments(_ places: [Int32], _ frame: Frame) -> [Fragment] {
        var fragments: [Fragment] = []
        var current: Fragment?
        for place in places {
            let glyph = glyphs[Int(place)]
            let start = frame.u(glyph.x, glyph.y)
            let end = start + frame.u(glyph.dx, glyph.dy)
            let (u0, u1) = (min(start, end), max(start, end))
            let v = frame.v(glyph.x, glyph.y)
            let isSpace = glyph.text == 0x20
            if var fragment = current {
                let size = max(fragment.size, glyph.size)
                let gap = u0 - fragment.u1
                let isNear = gap < size * Self.wideGap && u1 > fragment.u1 - size * 2 && u0 > fragment.u0 - size
                let isSameLine =
                    abs(v - fragment.v) < min(fragment.size, glyph.size) * 0.2
                    && max(fragment.size, glyph.size) < min(fragment.size, glyph.size) * 1.8
                if isNear, isSameLine {
                    // Spaces do not widen it, so that gaps count without them.
                    if !isSpace {
                        fragment.u0 = min(fragment.u0, u0)
                        fragment.u1 = max(fragment.u1, u1)
                        fragment.size = max(fragment.size, glyph.size)
                        fragment.characters += 1
                        if (0x30...0x39).contains(glyph.text) { fragment.digits += 1 }
                    }
                    fragment.glyphs.append(place)
                    current = fragment
                    continue
                }
                fragments.append(fragment)
            }
            current =
                isSpace
                ? nil
                : Fragment(
                    u0: u0, u1: u1, v: v, size: glyph.size, glyphs: [place], characters: 1,
                    digits: (0x30...0x39).contains(glyph.text) ? 1 : 0)
        }
        if let current { fragments.append(current) }
        return fragments
    }

    /// Groups fragments that share a base line, from top to bottom.
    static func rows(_ fragments: [Fragment]) -> [[Fragment]] {
        var rows: [[Fragment]] = []
        var rulers: [Fragment] = []
        for fragment in fragments.sorted(by: { $0.v < $1.v }) {
            // A row that still reaches down to here is among the last few.
            var best: (row: Int, overlap: Float)?
            for row in rows.indices.suffix(4) {
                let overlap = rulers[row].overlap(fragment)
                if overlap > 0.5, overlap > best?.overlap ?? 0 { best = (row, overlap) }
            }
            if let row = best?.row {
                rows[row].append(fragment)
                if fragment.size > rulers[row].size * 1.2 || fragment.characters > rulers[row].characters * 2 {
                    rulers[row] = fragment
                }
            } else {
                rows.append([fragment])
                rulers.append(fragment)
            }
        }
        let order = rows.indices.sorted { rulers[$0].v < rulers[$1].v }
        return order.map { rows[$0] }
    }

    /// Joins the fragments of a row that are near each other.
    private static func segments(_ fragments: [Fragment]) -> [Fragment] {
        var segments: [Fragment] = []
        for row in rows(fragments) {
            var current: Fragment?
            for fragment in row.sorted(by: { $0.u0 < $1.u0 }) {
                if var segment = current {
                    if fragment.u0 - segment.u1 < max(segment.size, fragment.size) * 0.7 {
                        segment.join(fragment)
                        current = segment
                        continue
                    }
                    segments.append(segment)
                }
                current = fragment
            }
            if let current { segments.append(current) }
        }
        return segments
    }
}
