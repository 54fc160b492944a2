import Foundation

/// The signs that differ only by who typed them: each folds to the one of an ASCII keyboard, or to nothing.
///
/// Pure tables; ``TextFolding`` applies them, and ``FoldedNeedle`` asks which texts hold such signs.
enum FoldedSigns {
    /// What a sign folds to.
    enum Kind: UInt8, CaseIterable {
        case nothing = 1
        case apostrophe = 2
        case quote = 4
        case dash = 8
        case space = 16
        case ellipsis = 32

        var text: String {
            switch self {
            case .nothing: ""
            case .apostrophe: "'"
            case .quote: "\""
            case .dash: "-"
            case .space: " "
            case .ellipsis: "..."
            }
        }
    }

    private static let lists: [(Kind, [ClosedRange<UInt32>])] = [
        // The soft hyphen, the grapheme joiner, joiners and marks of direction, selectors of forms, the byte order mark.
        (
            .nothing,
            [
                0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x180B...0x180F, 0x200B...0x200F, 0x202A...0x202E,
                0x2060...0x2064, 0x2066...0x206F, 0xFE00...0xFE0F, 0xFEFF...0xFEFF,
            ]
        ),
        (
            .apostrophe,
            [
                0xB4...0xB4, 0x2B9...0x2B9, 0x2BB...0x2BD, 0x2018...0x201B, 0x2032...0x2032, 0x2039...0x203A,
                0xA78C...0xA78C,
            ]
        ),
        (.quote, [0xAB...0xAB, 0xBB...0xBB, 0x2BA...0x2BA, 0x201C...0x201F, 0x2033...0x2033, 0x301D...0x301F]),
        (.dash, [0x2010...0x2015, 0x2043...0x2043, 0x2212...0x2212, 0xFE58...0xFE58, 0xFE63...0xFE63]),
        (
            .space,
            [
                0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F, 0x205F...0x205F,
                0x3000...0x3000,
            ]
        ),
        (.ellipsis, [0x2026...0x2026]),
    ]

    /// By character up to the signs of East Asia: the kind's raw value, else 0.
    private static let low: [UInt8] = {
        var kinds = [UInt8](repeating: 0, count: 0x3100)
        for (kind, ranges) in lists {
            for range in ranges { for value in range where value < 0x3100 { kinds[Int(value)] = kind.rawValue } }
        }
        return kinds
    }()

    /// The kind of a character; nil for one that is no such sign.
    static func kind(of value: UInt32) -> Kind? {
        if value < low.count { return Kind(rawValue: low[Int(value)]) }
        return switch value {
        case 0xFE00...0xFE0F, 0xFEFF: .nothing
        case 0xA78C: .apostrophe
        case 0xFE58, 0xFE63: .dash
        default: nil
        }
    }

    /// Whether a character has a full or half width that East Asian text gives it.
    private static func hasWidth(_ value: UInt32) -> Bool { (0xFF01...0xFFEE).contains(value) }

    /// A text with its signs replaced, and without what nobody sees.
    static func replaced(in text: String) -> String {
        guard text.unicodeScalars.contains(where: { kind(of: $0.value) != nil || hasWidth($0.value) }) else {
            return text
        }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let kind = kind(of: scalar.value) {
                scalars.append(contentsOf: kind.text.unicodeScalars)
            } else if hasWidth(scalar.value) {
                // Some of these have a sign of a keyboard as their usual form.
                for usual in String(scalar).precomposedStringWithCompatibilityMapping.unicodeScalars {
                    if let kind = kind(of: usual.value) {
                        scalars.append(contentsOf: kind.text.unicodeScalars)
                    } else {
                        scalars.append(usual)
                    }
                }
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// The kinds of the signs whose folding holds one of some bytes; what folds to nothing always counts.
    static func kinds(foldingInto folded: [UInt8]) -> UInt8 {
        Kind.allCases.reduce(0) { mask, kind in
            kind == .nothing || kind.text.utf8.contains(where: folded.contains) ? mask | kind.rawValue : mask
        }
    }

    /// Whether a text holds a sign of some kinds, as UTF-8.
    static func areIn(_ text: UnsafeRawBufferPointer, kinds mask: UInt8) -> Bool {
        var place = 0
        while place < text.count {
            let first = unsafe text[place]
            guard first >= 0xC2 else {
                place += 1
                continue
            }
            if first < 0xE0 {
                guard place + 1 < text.count else { return false }
                let value = unsafe Int(first & 0x1F) << 6 | Int(text[place + 1] & 0x3F)
                if low[value] & mask != 0 { return true }
                place += 2
            } else if first < 0xF0 {
                guard place + 2 < text.count else { return false }
                let value =
                    unsafe UInt32(first & 0x0F) << 12 | UInt32(text[place + 1] & 0x3F) << 6
                    | UInt32(text[place + 2] & 0x3F)
                if (kind(of: value)?.rawValue ?? 0) & mask != 0 { return true }
                place += 3
            } else {
                place += 4
            }
        }
        return false
    }
}
