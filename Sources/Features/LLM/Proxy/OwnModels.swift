package import Access

/// Models that the gateway answers itself, such as the notes. Requests that name one are handed over to its own routes.
package struct OwnModels: Sendable {
    /// The largest body of a request for such a model, in bytes.
    package static let bodyLimit = 1 << 20

    /// Whether a name is one of theirs, by its form.
    package let contains: @Sendable (_ name: String) -> Bool
    /// The names for a key, besides other models that it may use.
    package let names: @Sendable (_ others: [String], Identity) async -> [String]
    /// Whether a key may use any.
    package let isShown: @Sendable (Identity) -> Bool

    package init(
        contains: @escaping @Sendable (String) -> Bool, isShown: @escaping @Sendable (Identity) -> Bool,
        names: @escaping @Sendable ([String], Identity) async -> [String]
    ) {
        (self.contains, self.isShown, self.names) = (contains, isShown, names)
    }
}

extension OwnModels {
    /// The beginnings of their names, behind a quotation mark, in lower case.
    private static let beginnings = ["\"notes", "\"book:"].map { Array($0.utf8) }

    /// Whether a body may name such a model: one of the beginnings stands in it, in any letter case.
    static func mayBeNamed(in bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 6 else { return false }
        for index in 0..<(bytes.count - 5) where unsafe bytes[index] == UInt8(ascii: "\"") {
            let isBeginning = beginnings.contains { beginning in
                beginning.indices.dropFirst().allSatisfy { place in
                    let byte = unsafe bytes[index + place]
                    return byte | (beginning[place] >= UInt8(ascii: "a") ? 0x20 : 0) == beginning[place]
                }
            }
            if isBeginning { return true }
        }
        return false
    }
}
