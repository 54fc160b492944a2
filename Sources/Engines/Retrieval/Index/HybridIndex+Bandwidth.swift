import Dispatch
import Synchronization

extension HybridIndex {
    /// Reads every byte of the matrix once with all threads and discards the bytes: the lower bound for an exact scan's
    /// time.
    ///
    /// - Returns: The time and the bytes; nil without a matrix.
    public func readMatrix() -> (duration: Duration, bytes: Int)? {
        guard let vectors = snapshot.vectors, vectors.rows > 0 else { return nil }
        let step = 1 << 20
        let pieces = vectors.parts.flatMap { part in
            let bytes = part.rows * vectors.dimensions * MemoryLayout<Float>.stride
            return stride(from: 0, to: bytes, by: step).map { (part.chunk, $0..<min(bytes, $0 + step)) }
        }
        let next = Atomic(0)
        let sum = Atomic<UInt64>(0)
        let done = DispatchSemaphore(value: 0)
        let clock = ContinuousClock()
        let duration = clock.measure {
            pool.submit(
                ScanJob(maxWorkers: pool.threads) {
                    while true {
                        let number = next.add(1, ordering: .relaxed).oldValue
                        guard number < pieces.count else { return }
                        let (chunk, range) = pieces[number]
                        let bytes = unsafe UnsafeRawBufferPointer(
                            start: UnsafeRawPointer(chunk.rows(from: 0)) + range.lowerBound, count: range.count)
                        unsafe sum.wrappingAdd(Kernels.best.read(bytes), ordering: .relaxed)
                    }
                } finish: {
                    done.signal()
                })
            done.wait()
        }
        return (duration, vectors.bytes)
    }
}
