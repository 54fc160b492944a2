extension String {
    /// Whether both texts have the same bytes. `==` takes "é" for "e" with an accent behind it, so a change of only that would
    /// be lost.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
