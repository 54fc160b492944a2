/// Quantiles of Student's t distribution.
enum StudentT {
    /// The 90 % quantile, to five digits: the half width of a two-sided 80 % interval in standard errors.
    ///
    /// From 11 degrees of freedom on by the expansion of Cornish and Fisher (Abramowitz and Stegun, 26.7.5); below from
    /// a table, which scipy.stats.t.ppf computed. `degrees` below 1 count as 1.
    static func quantile90(degrees: Int) -> Double {
        if degrees <= table.count { return table[max(degrees, 1) - 1] }
        let z = 1.281_551_565_544_600_4
        let n = Double(degrees)
        let z2 = z * z
        let first = z * (z2 + 1) / 4
        let second = z * ((5 * z2 + 16) * z2 + 3) / 96
        let third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384
        return z + first / n + second / (n * n) + third / (n * n * n)
    }

    private static let table = [
        3.077_684, 1.885_618, 1.637_744, 1.533_206, 1.475_884, 1.439_756, 1.414_924, 1.396_815, 1.383_029, 1.372_184,
    ]
}
