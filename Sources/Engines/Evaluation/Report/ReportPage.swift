/// The parts of a self-contained HTML page: no script, no network. It follows the reader's choice of light or dark.
enum ReportPage {
    /// A page of elements.
    ///
    /// - Parameter isWide: Whether the page is wide enough for tables of a dozen columns.
    static func page(_ title: String, _ parts: [String], isWide: Bool = false) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(Markup.escaped(title))</title>
        <style>\(style)</style>
        </head>
        <body\(isWide ? " class=\"wide\"" : "")>
        \(parts.joined(separator: "\n"))
        </body>
        </html>

        """
    }

    /// A cell of a table.
    struct Cell {
        var text: String
        var detail: String?
        var isBold = false
        var isNumber = false

        init(_ text: String, detail: String? = nil, isBold: Bool = false, isNumber: Bool = false) {
            self.text = text
            self.detail = detail
            self.isBold = isBold
            self.isNumber = isNumber
        }

        var markup: String {
            let text = isBold ? Markup.tag("b", [], Markup.escaped(text)) : Markup.escaped(text)
            let detail = detail.map { Markup.tag("span", [("class", "small")], Markup.escaped($0)) } ?? ""
            return Markup.tag("td", isNumber ? [("class", "number")] : [], text + detail)
        }
    }

    /// A table; the columns after the first `textColumns` are right-aligned.
    static func table(_ heads: [String], _ rows: [[Cell]], textColumns: Int = 1) -> String {
        let head = heads.enumerated().map { index, text in
            Markup.tag("th", index < textColumns ? [] : [("class", "number")], Markup.escaped(text))
        }
        let body = rows.map { Markup.tag("tr", [], $0.map(\.markup).joined()) }
        return Markup.tag(
            "div", [("class", "scroll")],
            Markup.tag(
                "table", [],
                Markup.tag("thead", [], Markup.tag("tr", [], head.joined()))
                    + Markup.tag("tbody", [], body.joined(separator: "\n"))))
    }

    /// A heading within the page.
    static func heading(_ text: String) -> String { Markup.tag("h2", [], Markup.escaped(text)) }

    static func paragraph(_ text: String, class style: String = "") -> String {
        Markup.tag("p", style.isEmpty ? [] : [("class", style)], Markup.escaped(text))
    }

    private static let style = """
        :root{color-scheme:light dark;--back:#fff;--text:#222;--faint:#666;--line:#ddd;--warn:#8a5a00}
        @media(prefers-color-scheme:dark){:root{--back:#16181c;--text:#ddd;--faint:#9aa0a8;--line:#33373d;--warn:#f0c36d}}
        body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem;\
        background:var(--back);color:var(--text)}
        body.wide{max-width:72rem}
        body.wide table{font-size:.8rem}
        body.wide th,body.wide td{padding:.25rem .4rem}
        svg{max-width:100%;height:auto;display:block;margin:1rem 0}
        .scroll{overflow-x:auto}
        table{border-collapse:collapse;width:100%;font-size:.9rem}
        th,td{padding:.3rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
        .number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
        .small{font-size:.8rem;color:var(--faint)}
        td .small{display:block}
        .warning{color:var(--warn)}
        """
}
