/// The operands before an operator, without an allocation for each.
struct Operands {
    enum Item {
        case number(Double)
        /// In the lexer's scratch.
        case name(Range<Int>)
        case string(Range<Int>)
        /// A dictionary, an array within an array, or a keyword.
        case other(PDFValue)
    }

    /// Those of an array are in the list, too.
    private(set) var items: [Item] = []
    private static let maxItems = 1 << 16

    mutating func add(_ item: Item) {
        if items.count < Self.maxItems { items.append(item) }
    }

    mutating func removeAll() {
        items.removeAll(keepingCapacity: true)
    }

    /// The last numbers, when there are so many.
    func numbers(_ count: Int) -> [Double]? {
        guard items.count >= count else { return nil }
        let numbers = items.suffix(count).compactMap { if case .number(let number) = $0 { number } else { nil } }
        return numbers.count == count ? numbers : nil
    }

    var number: Double? {
        if case .number(let number) = items.last { number } else { nil }
    }

    var name: Range<Int>? {
        if case .name(let range) = items.last { range } else { nil }
    }

    /// The numbers of all items.
    var allNumbers: [Double] {
        items.compactMap { if case .number(let number) = $0 { number } else { nil } }
    }
}
