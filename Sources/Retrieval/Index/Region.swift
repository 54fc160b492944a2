#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Bytes that never move and never change once the region exists: memory of its own, or a part of a mapped file.
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
        case unmap
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

    /// A file, mapped for reading; later writes through a rename of another file over it do not reach it.
    ///
    /// - Throws: ``RetrievalError/Code/indexFile``: it cannot be opened or mapped, or is empty.
    init(mapping path: String) throws(RetrievalError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw RetrievalError(.indexFile, "cannot open \(path): errno \(errno)") }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_size > 0 else {
            throw RetrievalError(.indexFile, "\(path) is empty")
        }
        let size = Int(status.st_size)
        guard let address = unsafe mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), unsafe address != MAP_FAILED
        else { throw RetrievalError(.indexFile, "cannot map \(path): errno \(errno)") }
        unsafe base = UnsafeRawPointer(address)
        count = size
        release = .unmap
    }

    private init(_ parent: Region, _ range: Range<Int>) {
        unsafe base = parent.base + range.lowerBound
        count = range.count
        release = .keepAlive(parent)
    }

    deinit {
        switch release {
        case .deallocate: unsafe base.deallocate()
        case .unmap: unsafe munmap(UnsafeMutableRawPointer(mutating: base), count)
        case .keepAlive: break
        }
    }

    /// A part, which keeps the whole alive; nil when the range does not lie inside.
    func slice(_ range: Range<Int>) -> Region? {
        guard range.lowerBound >= 0, range.upperBound <= count else { return nil }
        return Region(self, range)
    }

    /// The bytes.
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: base, count: count) }

    /// The bytes as values of a type whose alignment the region's start has; what is left over is not seen.
    func values<Value: BitwiseCopyable>(of _: Value.Type) -> UnsafeBufferPointer<Value> {
        unsafe UnsafeBufferPointer(
            start: base.assumingMemoryBound(to: Value.self), count: count / MemoryLayout<Value>.stride)
    }
}
