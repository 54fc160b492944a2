/// How a number marks its decimals and groups of thousands.
package enum NumberStyle: Sendable, CaseIterable {
    /// `1234.5`: a point before decimals, no groups. Also an exponent (`1e3`) and a fraction (`1/3`).
    case plain
    /// `1,234.5`.
    case english
    /// `1.234,5`.
    case german

    /// The number with a point before decimals and without groups; nil if its marks make no sense.
    ///
    /// A mark of groups with other than three digits behind, such as `1,5` in English, is taken as the decimal mark.
    func plain(_ text: some StringProtocol) -> String? {
        guard self != .plain else { return String(text) }
        let group: Character = self == .english ? "," : "."
        let decimal: Character = self == .english ? "." : ","
        let parts = text.split(separator: decimal, omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2 else { return nil }
        let groups = whole.split(separator: group, omittingEmptySubsequences: false)
        guard let first = groups.first, groups.count > 1 else { return parts.joined(separator: ".") }
        let isGrouped =
            (1...3).contains(first.count) && first.first != "0" && groups.dropFirst().allSatisfy { $0.count == 3 }
        if isGrouped { return parts.count == 2 ? "\(groups.joined()).\(parts[1])" : groups.joined() }
        return parts.count == 1 && groups.count == 2 ? groups.joined(separator: ".") : nil
    }
}
