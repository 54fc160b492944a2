import Foundation

/// The bytes of hexadecimal digits; spaces count for nothing.
func bytes(_ digits: String) -> [UInt8] {
    var (result, high): ([UInt8], UInt8?) = ([], nil)
    for digit in digits {
        guard let value = digit.hexDigitValue.map({ UInt8($0) }) else { continue }
        if let first = high {
            result.append(first << 4 | value)
            high = nil
        } else {
            high = value
        }
    }
    return result
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
}
