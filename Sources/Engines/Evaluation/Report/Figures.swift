import Foundation

/// A number with a fixed count of decimals, independent of the locale. A minus sign before a rounded zero is dropped.
func fixed(_ value: Double, _ decimals: Int) -> String {
    let text = String(format: "%.\(decimals)f", value)
    return text.hasPrefix("-") && text.allSatisfy({ "-0.".contains($0) }) ? String(text.dropFirst()) : text
}

/// A number with its sign, for differences.
func signed(_ value: Double, _ decimals: Int) -> String {
    let text = fixed(value, decimals)
    return text.hasPrefix("-") ? "−" + text.dropFirst() : "+" + text
}
