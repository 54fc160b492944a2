/// Immutable bytes at a fixed address: owned memory, or a part of a mapped file, which only another process can change
/// (``MappedFile``).
///
/// All data that an index derives from the database is in flat regions. So a search treats memory and mapped files
/// alike.
///
/// SAFETY: `@unchecked Sendable` rests on immutability. The bytes are written only inside `init`, before any other
/// thread can hold the region. A slice keeps its whole region alive.
@safe final class Region: @unchecked Sendable {
    /// Fits a whole vector register and a cache line.
    static let alignment = 64

    /// The length in bytes.
    let count: Int
    private let base: UnsafeRawPointer
    private let release: Release

    private enum Release {
        case deallocate
        case file(MappedFile)
        case keepAlive(Region)
    }

    /// Creates owned memory, zeroed and then filled by the body.
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

    /// Copies values.
    convenience init<Value: BitwiseCopyable>(copying values: [Value]) {
        unsafe self.init(count: values.count * MemoryLayout<Value>.stride) { bytes in
            unsafe values.withUnsafeBytes { unsafe bytes.copyMemory(from: $0) }
        }
    }

    /// The bytes of a mapped file, which stays mapped for the life of the region.
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

    /// A part, which keeps the whole region alive; nil for a range outside.
    func slice(_ range: Range<Int>) -> Region? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        return Region(self, range)
    }

    /// The bytes of a range in memory that no other process can change. Mapped bytes are copied.
    func owned(_ range: Range<Int>) -> Region? {
        guard isMapped else { return slice(range) }
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        return unsafe Region(count: range.count) { memory in
            unsafe memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
        }
    }

    /// Whether the bytes belong to a mapped file, which another process can change.
    var isMapped: Bool {
        switch release {
        case .deallocate: false
        case .file: true
        case .keepAlive(let parent): parent.isMapped
        }
    }

    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: base, count: count) }

    /// The bytes as values of a type; the region's start must have the type's alignment. A remainder is left out.
    func values<Value: BitwiseCopyable>(of _: Value.Type) -> UnsafeBufferPointer<Value> {
        unsafe UnsafeBufferPointer(
            start: base.assumingMemoryBound(to: Value.self), count: count / MemoryLayout<Value>.stride)
    }
}
