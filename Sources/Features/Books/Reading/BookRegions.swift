import BookRoom
import Documents
import GatewayAPI
import Retrieval
import Search

/// Makes the parts of books that are returned from ranked hits: hits of one paragraph become one region, regions grow to whole
/// sentences, and no text is returned twice.
struct BookRegions {
    /// A region of a book made of one hit or several.
    struct Region {
        var hit: Hit
        var book: Int64
        var range: Range<Int>
        var passage: BookPassageText
        var place: RerankedPlace?
    }

    /// A region as it is returned.
    struct Result {
        var region: Region
        var title: String
        /// In bytes of the book's text.
        var range: Range<Int>
        /// As models read it.
        var text: String
        var page: Int
        var label: String?
        var lastPage: Int
    }

    /// The bytes by which a hit grows at each end to become a whole paragraph, at most.
    private static let widening = 400
    /// The bytes within which a hit takes whole sentences before and after it: what answers a question often begins or ends
    /// just outside of the passage. More before it costs the sets of `selene eval books` more than it finds.
    private static let growth = (before: 120, after: 250)
    /// The shortest rest of a result, in bytes, once what earlier results hold is cut off. A shorter one gives its place away.
    private static let leastRest = 200
    /// The largest region that passages are merged into, in bytes. Larger ones find little more, and models read more.
    private static let largestRegion = 2000
    /// The best hits, which make regions larger. A later one says less about the region that it is near.
    private static let joiningHits = 12

    private let hits: [Hit]
    private let live: LiveBooks
    private let ignoresPosition: Bool
    /// Whether results grow to whole paragraphs.
    private let widens: Bool
    /// The hits that are read at once.
    private let step: Int
    /// Best first.
    private var regions: [Region] = []
    private var names: [Int64: BookSnapshot.Name]
    /// The first hit that has not been read.
    private var next = 0

    /// - Parameters:
    ///   - hits: Best first.
    ///   - names: The books whose names are known.
    ///   - live: The index that found the hits, with the reading positions.
    init(
        hits: [Hit], names: [Int64: BookSnapshot.Name], live: LiveBooks, ignoresPosition: Bool, widens: Bool, step: Int
    ) {
        self.hits = hits
        self.names = names
        self.live = live
        self.ignoresPosition = ignoresPosition
        self.widens = widens
        self.step = step
    }

    /// Reads hits until there are so many regions, or no more hits.
    mutating func load(_ wanted: Int, _ books: BookSnapshot) throws {
        while regions.count < wanted, next < hits.count {
            let end = min(hits.count, next + step)
            try merge(Array(hits[next..<end]), from: next, books)
            next = end
        }
        // A book may have been deleted meanwhile.
        var gone: Set<Int64> = []
        for book in Set(regions.map(\.book)) where names[book] == nil {
            names[book] = try books.name(of: book)
            if names[book] == nil { gone.insert(book) }
        }
        if !gone.isEmpty { regions.removeAll { gone.contains($0.book) } }
    }

    /// The first regions with their texts, for a reranker. A book whose name is unknown counts as private.
    func first(
        _ count: Int, _ books: BookSnapshot
    ) throws -> [(region: Region, text: String, isPrivate: Bool)] {
        try regions.prefix(count).map {
            ($0, try text(of: $0, $0.range, books), names[$0.book]?.isPrivate ?? true)
        }
    }

    /// Puts the first regions into another order.
    ///
    /// - Parameters:
    ///   - order: The earlier places, in the new order.
    ///   - place: What the reranker says of an earlier place.
    mutating func reorder(_ order: [Int], place: (Int) -> RerankedPlace?) {
        let head = regions
        for (index, before) in order.enumerated() where regions.indices.contains(index) && head.indices.contains(before)
        {
            regions[index] = head[before]
            regions[index].place = place(before)
        }
    }

    /// Returns results, best first.
    ///
    /// - Parameter more: The regions that are read in addition when too many gave their places away.
    mutating func results(_ limit: Int, more: Int, _ books: BookSnapshot) throws -> [Result] {
        var results: [Result] = []
        var used = 0
        while results.count < limit, used < regions.count {
            for region in regions[used...] where results.count < limit {
                guard let name = names[region.book],
                    let range = try rest(of: try widened(region, books), in: region.book, after: results, books)
                else { continue }
                results.append(try result(region, name.title, range, books))
            }
            used = regions.count
            if results.count < limit { try load(used + more, books) }
        }
        return results
    }

    /// Adds hits to the regions. One of the best hits joins a region that it overlaps in one paragraph; the limit of the query
    /// does not matter for that, so that more results never change the first ones.
    private mutating func merge(_ hits: [Hit], from first: Int, _ books: BookSnapshot) throws {
        var numbers: [Int64: [Int]] = [:]
        for hit in hits {
            let place = LiveBooks.passage(hit.id)
            numbers[place.book, default: []].append(place.number)
        }
        var texts: [Int64: BookPassageText] = [:]
        for (book, wanted) in numbers {
            for passage in try books.passages(of: book, numbers: wanted) {
                texts[LiveBooks.id(book, passage.passage.number)] = passage
            }
        }
        for (rank, hit) in zip(first..., hits) {
            guard let passage = texts[hit.id] else { continue }
            let range = passage.passage.range
            // The index and the rows are read one after another, and the position may have moved in between.
            if let limit = limit(of: passage.book), range.upperBound > limit { continue }
            if rank < Self.joiningHits, let near = try region(near: range, of: passage.book, books) {
                regions[near.index].range = near.union
            } else {
                regions.append(Region(hit: hit, book: passage.book, range: range, passage: passage))
            }
        }
    }

    /// The reading position of a book; nil for no limit.
    private func limit(of book: Int64) -> Int? { ignoresPosition ? nil : live.books[book]?.position }

    /// The region that a passage overlaps, and what both are together: not too large, and in one paragraph.
    private func region(
        near range: Range<Int>, of book: Int64, _ books: BookSnapshot
    ) throws -> (index: Int, union: Range<Int>)? {
        for (index, region) in regions.enumerated() where region.book == book && region.range.overlaps(range) {
            let union =
                min(region.range.lowerBound, range.lowerBound)..<max(region.range.upperBound, range.upperBound)
            guard union.count <= Self.largestRegion else { continue }
            let text = try books.text(of: book, in: union).text
            if !NearSentences.hasParagraphBorder(Array(text.utf8)) { return (index, union) }
        }
        return nil
    }

    private func result(
        _ region: Region, _ title: String, _ range: Range<Int>, _ books: BookSnapshot
    ) throws -> Result {
        let first = try books.page(of: range.lowerBound, in: region.book)
        let last = try books.page(of: max(range.lowerBound, range.upperBound - 1), in: region.book)
        return Result(
            region: region, title: title, range: range, text: try text(of: region, range, books),
            page: first?.number ?? 1, label: first?.label, lastPage: last?.number ?? 1)
    }

    /// The text of a part of a region's book as models read it.
    private func text(of region: Region, _ range: Range<Int>, _ books: BookSnapshot) throws -> String {
        if range == region.passage.passage.range { return region.passage.text }
        return try books.part(of: region.book, range).view.text
    }

    /// What no earlier result holds of a range, without white space at its ends; nil when that is little.
    private func rest(
        of range: Range<Int>, in book: Int64, after earlier: [Result], _ books: BookSnapshot
    ) throws -> Range<Int>? {
        var (start, end) = (range.lowerBound, range.upperBound)
        for other in earlier
        where other.region.book == book && other.range.lowerBound < end && other.range.upperBound > start {
            // The longer side of what is left.
            if other.range.lowerBound - start >= end - other.range.upperBound {
                end = other.range.lowerBound
            } else {
                start = min(end, other.range.upperBound)
            }
        }
        guard start > range.lowerBound || end < range.upperBound else { return range }
        guard end - start > Self.leastRest else { return nil }
        let found = try books.text(of: book, in: start..<end)
        let bytes = Array(found.text.utf8)
        let first = bytes.firstIndex { $0 > 0x20 } ?? bytes.count
        let last = bytes.lastIndex { $0 > 0x20 }.map { $0 + 1 } ?? first
        return first < last ? found.range.lowerBound + first..<found.range.lowerBound + last : nil
    }

    /// The region with near sentences and, if they are short, the rest of the paragraphs at its ends; never beyond the reading
    /// position or a heading.
    private func widened(_ region: Region, _ books: BookSnapshot) throws -> Range<Int> {
        let own = region.range
        var around = max(0, own.lowerBound - Self.growth.before)..<own.upperBound + Self.growth.after
        let blocks = try books.blocks(of: region.book, touching: around)
        for heading in blocks where heading.kind == DocumentBlock.Kind.heading.rawValue {
            if heading.start <= own.lowerBound {
                around = max(around.lowerBound, heading.start)..<around.upperBound
            } else if heading.start >= own.upperBound {
                around = around.lowerBound..<min(around.upperBound, heading.start)
            }
        }
        let found = try books.text(of: region.book, in: around)
        let bytes = Array(found.text.utf8)
        let (before, after) = (own.lowerBound - found.range.lowerBound, own.upperBound - found.range.lowerBound)
        var range = own
        if (0...bytes.count).contains(before), (before...bytes.count).contains(after) {
            let start = NearSentences.firstStart(in: Array(bytes[..<before])).map { found.range.lowerBound + $0 }
            let end = NearSentences.lastEnd(in: Array(bytes[after...])).map { own.upperBound + $0 }
            range = (start ?? own.lowerBound)..<(end ?? own.upperBound)
        }
        for block in blocks where widens && block.start < range.upperBound && block.end > range.lowerBound {
            if block.start < range.lowerBound, range.lowerBound - block.start <= Self.widening {
                range = block.start..<range.upperBound
            }
            if block.end > range.upperBound, block.end - range.upperBound <= Self.widening {
                range = range.lowerBound..<block.end
            }
        }
        guard let limit = limit(of: region.book), range.upperBound > limit else { return range }
        return range.lowerBound..<max(range.lowerBound, limit)
    }
}
