extension Duration {
    /// The duration in milliseconds, rounded to a hundredth, as replies show it.
    package var milliseconds: Double {
        let exact = Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15
        return (exact * 100).rounded() / 100
    }
}
