/// Numbers of things in sentences.
package enum Count {
    /// A number with its noun, in singular for one.
    ///
    /// - Parameter noun: In singular; its plural ends in s.
    package static func of(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
