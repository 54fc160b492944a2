/// An entry of a file's outline.
struct OutlineEntry: Hashable {
    /// From 1.
    var level: Int
    var title: String
    /// From 0.
    var page: Int
    /// The distance of its place from the top of the page as it is shown, in points; nil when only the page is known.
    var y: Double?
}

/// Reads the outline of a file in order, each item once.
struct OutlineReader {
    private static let maxEntries = 20_000
    private static let maxLevel = 32

    private let file: PDFFile
    private let pages: [PDFPage]
    private let numbers: [PDFReference: Int]
    private var names: [[UInt8]: PDFValue]?

    init(_ file: PDFFile, pages: [PDFPage]) {
        self.file = file
        self.pages = pages
        numbers = Dictionary(
            pages.enumerated().compactMap { number, page in page.reference.map { ($0, number) } }
        ) { first, _ in first }
    }

    mutating func entries() -> [OutlineEntry] {
        var entries: [OutlineEntry] = []
        var visited: Set<PDFReference> = []
        let root = file.resolve(file.root.dictionary?["Outlines"]).dictionary
        var open: [(item: PDFValue?, level: Int)] = [(root?["First"], 1)]
        while let (item, level) = open.popLast(), entries.count < Self.maxEntries {
            guard let reference = item?.reference, visited.insert(reference).inserted,
                let node = file.resolve(item).dictionary
            else { continue }
            open.append((node["Next"], level))
            if level < Self.maxLevel { open.append((node["First"], level + 1)) }
            let title = TextString.line(file.resolve(node["Title"]).string ?? [])
            if !title.isEmpty, let place = destination(node) {
                entries.append(OutlineEntry(level: min(level, 6), title: title, page: place.page, y: place.y))
            }
        }
        return entries
    }

    private mutating func destination(_ node: [String: PDFValue]) -> (page: Int, y: Double?)? {
        var target = file.resolve(node["Dest"])
        if target == .null, let action = file.resolve(node["A"]).dictionary, file.resolve(action["S"]).name == "GoTo" {
            target = file.resolve(action["D"])
        }
        if let name = target.string
            ?? target.name.map({ $0.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } })
        {
            target = named(name)
        }
        if let inner = target.dictionary?["D"] { target = file.resolve(inner) }
        guard let items = target.array, let first = items.first else { return nil }
        guard let page = first.reference.flatMap({ numbers[$0] }) ?? first.integer, pages.indices.contains(page) else {
            return nil
        }
        let kind = items.count > 1 ? file.resolve(items[1]).name : nil
        let index = kind == "XYZ" ? 3 : kind == "FitR" ? 5 : 2
        let hasTop = kind == "XYZ" || kind == "FitH" || kind == "FitBH" || kind == "FitR"
        guard hasTop, index < items.count, let top = file.resolve(items[index]).number else { return (page, nil) }
        return (page, pages[page].matrix.apply(pages[page].box.minX, top).y)
    }

    /// Looks a name up in the old dictionary and in the tree of names.
    private mutating func named(_ name: [UInt8]) -> PDFValue {
        if names == nil { names = readNames() }
        return file.resolve(names?[name])
    }

    private func readNames() -> [[UInt8]: PDFValue] {
        var names: [[UInt8]: PDFValue] = [:]
        for (name, value) in file.resolve(file.root.dictionary?["Dests"]).dictionary ?? [:] {
            names[name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }] = value
        }
        var visited: Set<PDFReference> = []
        var open = [file.resolve(file.resolve(file.root.dictionary?["Names"]).dictionary?["Dests"])]
        while let node = open.popLast()?.dictionary, names.count < 1 << 17 {
            let pairs = file.resolve(node["Names"]).array ?? []
            for index in stride(from: 0, to: pairs.count - 1, by: 2) {
                if let name = file.resolve(pairs[index]).string { names[name] = pairs[index + 1] }
            }
            for kid in file.resolve(node["Kids"]).array ?? [] {
                if let reference = kid.reference, visited.insert(reference).inserted { open.append(file.resolve(kid)) }
            }
        }
        return names
    }
}
