/// Bytes that never move and never change once the region exists: memory of its own, or a part of a mapped file, which
/// only a foreign process can change (``MappedFile``).
///
/// Everything that an index derives from the database is kept in flat regions, so that what was built in memory and what
/// was mapped from a file are one and the same to a search.
///
/// SAFETY: `@unchecked Sendable` rests on immutability: the bytes are written inside `init` alone, before anyone else can
/// hold the region, and a slice keeps what it is a part of alive.
@safe final class Region: @unchecked Sendable {
    /// A whole vector register and a cache line.
    static let alignment = 64

    /// Bytes.
    let count: Int
    private let base: UnsafeRawPointer
    private let release: Release

    private enum Release {
        case deallocate
        case file(MappedFile)
        case keepAlive(Region)
    }

    /// Memory of its own, which the body fills; it is zero before.
    init<Failure: Error>(
        count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: Self.alignment)
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe base = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
        self.count = count
        release = .deallocate
        unsafe try fill(UnsafeMutableRawBufferPointer(rebasing: memory[0..<count]))
    }

    /// A copy of values.
    convenience init<Value: BitwiseCopyable>(copying values: [Value]) {
        unsafe self.init(count: values.count * MemoryLayout<Value>.stride) { bytes in
            unsafe values.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) }
        }
    }

    /// The bytes of a mapped file, which stays mapped as long as the region lives.
    init(_ file: MappedFile) {
        unsafe base = file.base
        count = file.count
        release = .file(file)
    }

    private init(_ parent: Region, _ range: Range<Int>) {
        unsafe base = parent.base + range.lowerBound
        count = range.count
        release = .keepAlive(parent)
    }

    deinit {
        switch release {
        case .deallocate: unsafe base.deallocate()
        case .file, .keepAlive: break
        }
    }

    /// A part, which keeps the whole alive; nil when the range does not lie inside.
    func slice(_ range: Range<Int>) -> Region? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        return Region(self, range)
    }

    /// The bytes of a range in memory that nobody else can change: a copy when they are mapped from a file.
    func owned(_ range: Range<Int>) -> Region? {
        guard isMapped else { return slice(range) }
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        return unsafe Region(count: range.count) { memory in
            unsafe memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }

    /// Whether the bytes are a file's, which another process can change.
    private var isMapped: Bool {
        switch release {
        case .deallocate: false
        case .file: true
        case .keepAlive(let parent): parent.isMapped
        }
    }

    /// The bytes.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: base, count: count) }

    /// The bytes as values of a type whose alignment the region's start has; what is left over is not seen.
    func values<Value: BitwiseCopyable>(of _: Value.Type) -> UnsafeBufferPointer<Value> {
        unsafe UnsafeBufferPointer(
            start: base.assumingMemoryBound(to: Value.self), count: count / MemoryLayout<Value>.stride)
    }
}
