package import GatewayAPI

extension ValueChange where Value: Codable {
    /// A field of a request as a change of the database.
    package init(_ update: FieldUpdate<Value>) {
        switch update {
        case .keep: self = .keep
        case .clear: self = .set(nil)
        case .set(let value): self = .set(value)
        }
    }
}
