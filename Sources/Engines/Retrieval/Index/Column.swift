/// Values by index in pages that copies share until one of them changes.
///
/// An update of a large index copies the pages that it changes and a list of one reference for each page, not all values.
/// Pages of an index file are read where they are mapped.
struct Column<Value: BitwiseCopyable & Sendable>: Sendable {
    /// Values of a page, a power of two.
    static var pageValues: Int { 1 << pageShift }
    private static var pageShift: Int { 13 }

    private var pages: [Page] = []
    /// The number of values.
    private(set) var count = 0

    /// SAFETY: `@unchecked Sendable`: a page is written only while a single column refers to it (``Column/page(_:)``). The
    /// pages of a region are never written.
    @safe private final class Page: @unchecked Sendable {
        let values: UnsafeMutablePointer<Value>
        /// The region that holds the values; nil for own memory.
        let region: Region?

        init() {
            unsafe values = .allocate(capacity: Column.pageValues)
            region = nil
        }

        init(_ values: UnsafePointer<Value>, of region: Region) {
            unsafe self.values = UnsafeMutablePointer(mutating: values)
            self.region = region
        }

        deinit { if region == nil { unsafe values.deallocate() } }

        func copy(_ count: Int) -> Page {
            let copy = Page()
            unsafe copy.values.update(from: values, count: count)
            return copy
        }
    }

    init() {}

    init(_ values: [Value]) { self.init(Region(copying: values)) }

    /// Uses the values of a region, which must have their alignment.
    init(_ region: Region) {
        let values = unsafe region.values(of: Value.self)
        count = values.count
        pages.reserveCapacity(count >> Self.pageShift + 1)
        guard let base = values.baseAddress else { return }
        for start in stride(from: 0, to: count, by: Self.pageValues) {
            unsafe pages.append(Page(base + start, of: region))
        }
    }

    subscript(_ index: Int) -> Value {
        @inline(__always) get {
            precondition(index >= 0 && index < count)
            return unsafe pages[index >> Self.pageShift].values[index & (Self.pageValues - 1)]
        }
        set {
            precondition(index >= 0 && index < count)
            unsafe page(index >> Self.pageShift).values[index & (Self.pageValues - 1)] = newValue
        }
    }

    mutating func append(_ value: Value) {
        if count & (Self.pageValues - 1) == 0 { pages.append(Page()) }
        count += 1
        self[count - 1] = value
    }

    /// Calls the body with each page: the index of its first value, and its values.
    func forEachPage<Failure: Error>(
        _ body: (_ start: Int, _ values: UnsafeBufferPointer<Value>) throws(Failure) -> Void
    ) throws(Failure) {
        for (number, page) in pages.enumerated() {
            let start = number << Self.pageShift
            let values = unsafe UnsafeBufferPointer(start: page.values, count: min(Self.pageValues, count - start))
            unsafe try body(start, values)
        }
    }

    /// The page with a number, which no other column refers to.
    private mutating func page(_ number: Int) -> Page {
        if pages[number].region != nil || !isKnownUniquelyReferenced(&pages[number]) {
            pages[number] = pages[number].copy(min(Self.pageValues, count - number << Self.pageShift))
        }
        return pages[number]
    }
}
