package import Goals

/// Reads the operators of a search text:
///
/// - `"exact phrase"`, in straight, curly, German or French marks
/// - `-word`, `-"phrase"`
/// - `this OR that`, in capitals
/// - `tag:` `type:` `thread:` `source:` `title:` `book:` `in:` `has:task`, each also with `-` before it
/// - `from:chats`, `from:(chats|notes)`
/// - `before:` `after:` `on:` with days of the person's calendar
///
/// A half or unknown operator, such as `tag:`, `foo:bar` or `http://example.org`, is a word. No text is an error. Time grows with
/// the length of the text.
package struct OperatorReader {
    /// The longest phrase, in scalars.
    private static let maxPhrase = 300
    /// The longest list of kinds in parentheses, in scalars.
    private static let maxList = 100
    private static let days: Set<String> = ["before", "after", "on"]
    /// What people call the kinds.
    private static let kinds: [String: OperatorQuery.Kind] = [
        "note": .notes, "notes": .notes, "book": .books, "books": .books, "chat": .chats, "chats": .chats,
        "memory": .memories, "memories": .memories, "thread": .threads, "threads": .threads, "goal": .goals,
        "goals": .goals,
    ]
    // Scalars, not characters: a mark that composes with a space or a quotation mark is no part of it here.
    private static let openings: [Unicode.Scalar: Set<Unicode.Scalar>] = [
        "\"": ["\"", "”", "“"], "“": ["”", "\""], "”": ["”", "\""], "„": ["“", "”", "\""], "«": ["»"], "»": ["«"],
    ]
    private static let marks = Set(openings.keys)

    private enum Part {
        case term(OperatorQuery.Term)
        case or
        /// What no choice goes across.
        case other
    }

    private typealias Scalars = ArraySlice<Unicode.Scalar>

    private let scalars: [Unicode.Scalar]
    private let dates: OperatorDates
    private var place = 0
    private var parts: [Part] = []
    private var query = OperatorQuery()
    /// The opening marks behind which no end was found.
    private var unclosed: Set<Unicode.Scalar> = []

    /// Reads a text.
    ///
    /// - Parameter places: The person's calendar.
    package static func read(_ text: String, _ places: CalendarPlaces) -> OperatorQuery {
        var reader = OperatorReader(scalars: Array(text.unicodeScalars), dates: OperatorDates(places: places))
        return reader.read()
    }

    private init(scalars: [Unicode.Scalar], dates: OperatorDates) { (self.scalars, self.dates) = (scalars, dates) }

    private mutating func read() -> OperatorQuery {
        while place < scalars.count {
            if Self.isSpace(scalars[place]) { place += 1 } else if !readMarked() { readRun() }
        }
        gather()
        return query
    }

    // MARK: Quotations and lists

    /// Reads a quotation or a list in parentheses, with what stands before it; false for a run of other scalars.
    private mutating func readMarked() -> Bool {
        let isExcluded = scalars[place] == "-"
        let start = isExcluded ? place + 1 : place
        let name = name(at: start)
        let value = start + (name.map { $0.count + 1 } ?? 0)
        guard scalars.indices.contains(value) else { return false }
        if let end = quotationEnd(from: value) {
            let text = Self.plain(scalars[(value + 1)..<end])
            guard Self.says(text) else { return false }
            place = end + 1
            if let name, !apply(name, text, isExcluded) {
                add(.word("\(name):"), isExcluded)
                add(.phrase(text), isExcluded)
            } else if name == nil {
                add(.phrase(text), isExcluded)
            }
            return true
        }
        guard name == "from", scalars[value] == "(" else { return false }
        if let end = scalars[value...].prefix(Self.maxList).firstIndex(of: ")"),
            apply("from", Self.text(scalars[(value + 1)..<end]), isExcluded)
        {
            place = end + 1
        } else {
            add(.word("from:"), isExcluded)
            place = value
        }
        return true
    }

    /// The name of an operator at a place, in lower case; nil when no known one with its colon stands there.
    private func name(at start: Int) -> String? {
        guard let colon = scalars[min(start, scalars.count)...].prefix(8).firstIndex(of: ":") else { return nil }
        return Self.known(Self.text(scalars[start..<colon]))
    }

    private static func known(_ name: String) -> String? {
        let name = name.lowercased()
        let isKnown = name == "from" || days.contains(name) || OperatorQuery.Filter.Name(rawValue: name) != nil
        return isKnown ? name : nil
    }

    /// The place of the mark that ends a quotation; nil when none begins here or it has no end.
    private mutating func quotationEnd(from start: Int) -> Int? {
        guard let ends = Self.openings[scalars[start]], !unclosed.contains(scalars[start]) else { return nil }
        let rest = scalars[(start + 1)...]
        if let end = rest.prefix(Self.maxPhrase).firstIndex(where: ends.contains) { return end }
        if rest.count <= Self.maxPhrase { unclosed.insert(scalars[start]) }
        return nil
    }

    /// A text without quotation marks, with single spaces.
    private static func plain(_ scalars: Scalars) -> String {
        scalars.split { isSpace($0) || marks.contains($0) }.map(text).joined(separator: " ")
    }

    private static func text(_ scalars: Scalars) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

    private static func says(_ text: some StringProtocol) -> Bool { text.contains { $0.isLetter || $0.isNumber } }

    // MARK: Runs

    /// Reads up to the next space. A quotation mark within separates words.
    private mutating func readRun() {
        let end = scalars[place...].firstIndex(where: Self.isSpace) ?? scalars.count
        let run = scalars[place..<end]
        place = end
        for piece in run.split(whereSeparator: Self.marks.contains) { readPiece(piece) }
    }

    private mutating func readPiece(_ piece: Scalars) {
        let rest = piece.dropFirst()
        let isExcluded = piece.first == "-" && rest.first != "-" && Self.says(Self.text(rest))
        let text = isExcluded ? rest : piece
        guard let name = name(at: text.startIndex), let colon = text.firstIndex(of: ":") else {
            if Self.text(piece) == "OR" { parts.append(.or) } else { add(.word(Self.text(text)), isExcluded) }
            return
        }
        let value = text[(colon + 1)...]
        if apply(name, Self.text(value), isExcluded) { return }
        if name == "from", value.first == "(" {
            // As a list in parentheses that names no kinds.
            add(.word("from:"), isExcluded)
            readPiece(value)
        } else {
            add(.word(Self.text(text)), isExcluded)
        }
    }

    private mutating func add(_ term: OperatorQuery.Term, _ isExcluded: Bool) {
        if isExcluded {
            query.excluded.append(term)
            parts.append(.other)
        } else {
            parts.append(.term(term))
        }
    }

    // MARK: Filters

    /// Takes an operator; false when its value means nothing.
    private mutating func apply(_ name: String, _ value: String, _ isExcluded: Bool) -> Bool {
        guard Self.says(value), applies(name, value, isExcluded) else { return false }
        parts.append(.other)
        return true
    }

    private mutating func applies(_ name: String, _ value: String, _ isExcluded: Bool) -> Bool {
        if Self.days.contains(name) { return !isExcluded && applyDays(name, value) }
        if name == "from" { return applyKinds(value, isExcluded) }
        guard let filter = OperatorQuery.Filter.Name(rawValue: name) else { return false }
        var value = value
        switch filter {
        case .in:
            if Self.kinds[value.lowercased()] != nil { return applyKinds(value, isExcluded) }
        case .tag:
            value = String(value.drop { $0 == "#" || $0 == " " })
        case .has:
            guard ["task", "tasks"].contains(value.lowercased()) else { return false }
            value = "task"
        default: break
        }
        query.filters.append(.init(filter, value, isExcluded: isExcluded))
        return true
    }

    private mutating func applyKinds(_ value: String, _ isExcluded: Bool) -> Bool {
        let names = value.split { "|,() ".contains($0) }.filter { $0 != "OR" }
        let kinds = names.compactMap { Self.kinds[$0.lowercased()] }
        guard !kinds.isEmpty, kinds.count == names.count else { return false }
        if isExcluded { query.excludedKinds.formUnion(kinds) } else { query.kinds.formUnion(kinds) }
        return true
    }

    /// `before:` ends the day before its days, `after:` begins the day behind them. Several must all hold.
    private mutating func applyDays(_ name: String, _ value: String) -> Bool {
        guard let named = name == "on" ? dates.range(value) : dates.days(value) else { return false }
        var stretch = named
        switch name {
        case "before":
            guard let first = named.first, first > LocalDay.earliest else { return false }
            stretch = CalendarStretch(nil, first.adding(-1))
        case "after":
            guard let last = named.last, last < LocalDay.latest else { return false }
            stretch = CalendarStretch(last.adding(1), nil)
        default:
            guard named.first != nil || named.last != nil else { return false }
        }
        let known = query.days
        query.days = CalendarStretch(
            [known?.first, stretch.first].compactMap(\.self).max(),
            [known?.last, stretch.last].compactMap(\.self).min())
        return true
    }

    // MARK: Choices

    /// Sorts terms into those that stand alone and groups of choices. An OR without a term on both sides is a word.
    private mutating func gather() {
        var index = 0
        while index < parts.count {
            switch parts[index] {
            case .term(let term):
                var group = [term]
                while case .or? = part(index + 1), case .term(let next)? = part(index + 2) {
                    group.append(next)
                    index += 2
                }
                if group.count > 1 { query.choices.append(group) } else { query.terms.append(term) }
            case .or: query.terms.append(.word("or"))
            case .other: break
            }
            index += 1
        }
    }

    private func part(_ index: Int) -> Part? { parts.indices.contains(index) ? parts[index] : nil }
}
