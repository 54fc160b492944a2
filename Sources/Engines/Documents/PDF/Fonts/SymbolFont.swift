/// A font whose characters are in the private area from U+F020 on, as word processors write them.
enum SymbolFont {
    case none, symbol, dingbats

    init(name: String) {
        let name = name.lowercased()
        self = name.contains("symbol") ? .symbol : name.contains("dings") ? .dingbats : .none
    }

    /// What a private character stands for; nil when it is not known.
    func meaning(of scalar: UInt32) -> UInt32? {
        guard (0xF020...0xF0FF).contains(scalar) else { return nil }
        switch self {
        case .none: return nil
        case .symbol:
            let meaning = Encodings.symbol[Int(scalar - 0xF000)]
            return meaning == 0 ? nil : meaning
        case .dingbats:
            // The marks of lists.
            return [0xF06C, 0xF06E, 0xF076, 0xF0A7, 0xF0B7, 0xF0D8, 0xF0FC].contains(scalar) ? 0x2022 : nil
        }
    }
}
