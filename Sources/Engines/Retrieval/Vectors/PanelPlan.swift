import Synchronization

/// From how many queries on a panel pays, and whether our kernel or BLAS multiplies it. Measured once for each vector
/// length on rows in the cache, because processors and libraries differ.
struct PanelPlan: Sendable, Hashable {
    /// With fewer queries than this, each one is scored separately while a tile is in the cache.
    var fromQueries: Int
    /// Whether BLAS was faster than our kernel.
    var usesBLAS: Bool

    /// No panel, for a single query.
    static let never = PanelPlan(fromQueries: .max, usesBLAS: false)

    /// Rows of the measurement: about as many as in a tile of a scan.
    private static let rows = 64
    private static let known = Mutex<[Int: PanelPlan]>([:])

    /// The plan for a vector length, measured at the first call (about a millisecond).
    static func plan(forDimensions dimensions: Int) -> PanelPlan {
        if let plan = known.withLock({ $0[dimensions] }) { return plan }
        let plan = measured(dimensions)
        known.withLock { $0[dimensions] = plan }
        return plan
    }

    private static func measured(_ dimensions: Int) -> PanelPlan {
        let matrix = (0..<rows * dimensions).map { Float($0 % 17) / 17 }
        let panel = (0..<dimensions * Kernels.maxPanelWidth).map { Float($0 % 13) / 13 }
        var scores = [Float](repeating: 0, count: rows * Kernels.maxPanelWidth)
        var one = Duration.zero
        var narrow = Duration.zero
        var wide = Duration.zero
        var blas = Duration.zero
        unsafe matrix.withUnsafeBufferPointer { matrix in
            unsafe panel.withUnsafeBufferPointer { panel in
                unsafe scores.withUnsafeMutableBufferPointer { scores in
                    guard let rows = matrix.baseAddress, let panel = panel.baseAddress, let scores = scores.baseAddress
                    else { return }
                    let kernels = Kernels.best
                    one = best {
                        unsafe kernels.dotRows(
                            rows, count: Self.rows, dimensions: dimensions, query: panel, scores: scores)
                    }
                    narrow = best {
                        unsafe kernels.dotPanel(
                            rows, count: Self.rows, dimensions: dimensions, panel: panel, width: Kernels.panelStep,
                            scores: scores)
                    }
                    wide = best {
                        unsafe kernels.dotPanel(
                            rows, count: Self.rows, dimensions: dimensions, panel: panel,
                            width: Kernels.maxPanelWidth, scores: scores)
                    }
                    blas = best {
                        unsafe BLAS.multiply(
                            rows, count: Self.rows, dimensions: dimensions, panel: panel,
                            width: Kernels.maxPanelWidth, into: scores)
                    }
                }
            }
        }
        let usesBLAS = blas < wide
        if usesBLAS { narrow = min(narrow, blas) }
        let ratio = one > .zero ? (narrow / one).rounded(.up) : 2
        return PanelPlan(fromQueries: max(2, min(Kernels.panelStep, Int(ratio) + 1)), usesBLAS: usesBLAS)
    }

    private static func best(_ body: () -> Void) -> Duration {
        let clock = ContinuousClock()
        return (0..<5).map { _ in clock.measure(body) }.min() ?? .zero
    }
}
