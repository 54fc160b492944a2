/// Scales vectors to length 1, so that an inner product is a cosine.
enum UnitVector {
    /// Returns the vector scaled to length 1; nil when a component is not finite or all are zero.
    static func normalised(_ vector: some Sequence<Float>) -> [Float]? {
        var sum = 0.0
        for value in vector {
            guard value.isFinite else { return nil }
            sum += Double(value) * Double(value)
        }
        guard sum > 0 else { return nil }
        let scale = 1 / sum.squareRoot()
        return vector.map { Float(Double($0) * scale) }
    }
}
