/// Builds the HTML and SVG elements of the report.
enum Markup {
    /// Text escaped for element content and quoted attributes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n", "\r": result += " "
            // XML cannot represent these characters.
            case "\u{0}"..<" ", "\u{7F}"..<"\u{A0}", "\u{FFFE}", "\u{FFFF}": continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// An element with escaped attributes. The content is markup already.
    static func tag(_ name: String, _ attributes: [(String, String)] = [], _ content: String = "") -> String {
        let list = attributes.map { " \($0.0)=\"\(escaped($0.1))\"" }.joined()
        return "<\(name)\(list)>\(content)</\(name)>"
    }

    /// A text in a drawing.
    static func label(
        _ text: String, x: Double, y: Double, anchor: String = "middle", class style: String = "c-text"
    ) -> String {
        tag(
            "text", [("x", fixed(x, 1)), ("y", fixed(y, 1)), ("text-anchor", anchor), ("class", style)], escaped(text))
    }

    /// A straight line in a drawing.
    static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, class style: String) -> String {
        tag(
            "line",
            [
                ("x1", fixed(x1, 1)), ("y1", fixed(y1, 1)), ("x2", fixed(x2, 1)), ("y2", fixed(y2, 1)),
                ("class", style),
            ])
    }

    /// A rectangle in a drawing. The title is its tooltip.
    static func bar(
        x: Double, y: Double, width: Double, height: Double, class style: String, title: String
    ) -> String {
        tag(
            "rect",
            [
                ("x", fixed(x, 2)), ("y", fixed(y, 2)), ("width", fixed(max(width, 0.2), 2)),
                ("height", fixed(max(height, 0), 2)), ("class", style),
            ], tag("title", [], escaped(title)))
    }

    /// A drawing with its own colours for light and dark, which scales with the page.
    static func drawing(width: Int, height: Int, title: String, _ content: String) -> String {
        tag(
            "svg",
            [
                ("xmlns", "http://www.w3.org/2000/svg"), ("viewBox", "0 0 \(width) \(height)"),
                ("width", "\(width)"), ("height", "\(height)"), ("role", "img"), ("aria-label", title),
            ],
            tag("style", [], drawingStyle) + tag("rect", [("width", "100%"), ("height", "100%"), ("class", "c-back")])
                + content)
    }

    /// The number of colours for modes.
    static let colourCount = 8

    private static let drawingStyle = """
        .c-back{fill:#fff}.c-text{font:12px system-ui,sans-serif;fill:#333}.c-small{font:10px system-ui,sans-serif;\
        fill:#333}.c-head{font:600 14px system-ui,sans-serif;fill:#111}.c-grid{stroke:#ddd}.c-axis{stroke:#777}\
        .c-error{stroke:#111;stroke-width:1.3}.c-0{fill:#5b9bd5}.c-1{fill:#f0a04b}.c-2{fill:#3fae7c}.c-3{fill:#b084cc}\
        .c-4{fill:#d96c75}.c-5{fill:#8c9aa8}.c-6{fill:#c2b34a}.c-7{fill:#4fb6c2}.c-gain{fill:#3fae7c}\
        .c-loss{fill:#d96c75}\
        @media(prefers-color-scheme:dark){.c-back{fill:#16181c}.c-text,.c-small{fill:#ccc}.c-head{fill:#f2f2f2}\
        .c-grid{stroke:#33373d}.c-axis{stroke:#8a8f98}.c-error{stroke:#f2f2f2}}
        """
}
