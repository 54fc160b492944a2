/// The page labels of a file: ranges of pages, each with a style, a prefix and a first number.
struct PageLabels {
    private static let maxNodes = 20_000

    /// Returns the label of each page; nil without labels.
    static func labels(_ file: PDFFile, pages: Int) -> [String]? {
        var ranges: [Int: [String: PDFValue]] = [:]
        var open = [file.resolve(file.root.dictionary?["PageLabels"])]
        var visited: Set<PDFReference> = []
        var nodes = 0
        while let node = open.popLast()?.dictionary, nodes < maxNodes {
            nodes += 1
            let numbers = file.resolve(node["Nums"]).array ?? []
            for index in stride(from: 0, to: numbers.count - 1, by: 2) {
                guard let page = file.resolve(numbers[index]).integer, page >= 0, page < pages else { continue }
                ranges[page] = file.resolve(numbers[index + 1]).dictionary ?? [:]
            }
            for kid in file.resolve(node["Kids"]).array ?? [] {
                if let reference = kid.reference, !visited.insert(reference).inserted { continue }
                open.append(file.resolve(kid))
            }
        }
        guard !ranges.isEmpty else { return nil }
        var labels: [String] = []
        labels.reserveCapacity(pages)
        var style: String?
        var prefix = ""
        var number = 1
        for page in 0..<pages {
            if let range = ranges[page] {
                style = file.resolve(range["S"]).name
                prefix = String(TextString.line(file.resolve(range["P"]).string ?? []).prefix(100))
                number = max(file.resolve(range["St"]).integer ?? 1, 0)
            } else if page == 0 {
                style = "D"
            }
            labels.append(prefix + text(number, style: style))
            number += 1
        }
        return labels
    }

    /// Writes a number in the style of a label: D, R, r, A or a; empty without a style.
    static func text(_ number: Int, style: String?) -> String {
        switch style {
        case "D": String(number)
        case "R": Roman.text(number)
        case "r": Roman.text(number).lowercased()
        case "A": letters(number)
        case "a": letters(number).lowercased()
        default: ""
        }
    }

    /// A to Z, then AA to ZZ, AAA to ZZZ; at most 20 letters.
    private static func letters(_ number: Int) -> String {
        guard number > 0, number <= 26 * 20,
            let letter = Unicode.Scalar(UInt8(65 + (number - 1) % 26)) as Unicode.Scalar?
        else {
            return String(number)
        }
        return String(repeating: String(letter), count: (number - 1) / 26 + 1)
    }
}

/// Roman numerals up to 4,999; larger numbers and zero are written in digits.
enum Roman {
    private static let parts: [(Int, String)] = [
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
        (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ]

    static func text(_ number: Int) -> String {
        guard (1..<5000).contains(number) else { return String(number) }
        var rest = number
        var text = ""
        for (value, letters) in parts {
            while rest >= value {
                text += letters
                rest -= value
            }
        }
        return text
    }

    /// Returns the number of a numeral in one case; nil for anything else.
    static func number(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 16 else { return nil }
        let upper = text.uppercased()
        guard upper == text || text.lowercased() == text else { return nil }
        var rest = Substring(upper)
        var number = 0
        for (value, letters) in parts {
            while rest.hasPrefix(letters), number < 5000 {
                number += value
                rest = rest.dropFirst(letters.count)
            }
        }
        return rest.isEmpty && Self.text(number) == upper ? number : nil
    }
}
