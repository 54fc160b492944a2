internal import CMarkdown

/// What a Markdown text consists of, in order.
enum MarkdownEvent: Equatable {
    enum Container: Equatable {
        case quote, item, footnote, image
        case paragraph
        case heading(level: Int)
        case table, row, cell
    }

    case enter(Container)
    case exit(Container)
    /// Text of a paragraph, a heading or a cell.
    case text(String)
    /// A line feed that counts.
    case lineBreak
    /// A line feed that is as good as a space.
    case softBreak
    case code(String)
    /// A block of HTML.
    case html(String)
    /// A line or a list begins or ends.
    case rule
}

/// Reads Markdown with GitHub's extensions (tables, strikethrough, task lists, footnotes) by cmark-gfm.
enum MarkdownEvents {
    private static let areExtensionsRegistered: Bool = {
        cmark_gfm_core_extensions_ensure_registered()
        return true
    }()

    /// Reads a text and hands over its events. Nothing that cmark allocates lives longer than the call.
    static func read(_ utf8: [UInt8], _ visit: (MarkdownEvent) -> Void) {
        guard areExtensionsRegistered, let parser = unsafe cmark_parser_new(CMARK_OPT_DEFAULT | CMARK_OPT_FOOTNOTES)
        else {
            return
        }
        defer { unsafe cmark_parser_free(parser) }
        for name in ["table", "strikethrough", "tasklist"] {
            if let found = unsafe cmark_find_syntax_extension(name) {
                unsafe cmark_parser_attach_syntax_extension(parser, found)
            }
        }
        unsafe utf8.withUnsafeBytes { raw in
            guard let start = raw.baseAddress else { return }
            unsafe cmark_parser_feed(parser, start.assumingMemoryBound(to: CChar.self), raw.count)
        }
        guard let root = unsafe cmark_parser_finish(parser) else { return }
        defer { unsafe cmark_node_free(root) }
        guard let iterator = unsafe cmark_iter_new(root) else { return }
        defer { unsafe cmark_iter_free(iterator) }
        while true {
            let step = unsafe cmark_iter_next(iterator)
            guard step == CMARK_EVENT_ENTER || step == CMARK_EVENT_EXIT else { return }
            guard let node = unsafe cmark_iter_get_node(iterator) else { return }
            if let event = unsafe event(of: node, isEnter: step == CMARK_EVENT_ENTER) { visit(event) }
        }
    }

    private static func event(of node: OpaquePointer, isEnter: Bool) -> MarkdownEvent? {
        guard let raw = unsafe cmark_node_get_type_string(node) else { return nil }
        let type = unsafe String(cString: raw)
        func literal() -> String { unsafe cmark_node_get_literal(node).map { unsafe String(cString: $0) } ?? "" }
        func container(_ kind: MarkdownEvent.Container) -> MarkdownEvent { isEnter ? .enter(kind) : .exit(kind) }
        switch type {
        case "block_quote": return container(.quote)
        case "item", "tasklist": return container(.item)
        case "paragraph": return container(.paragraph)
        case "heading": return container(.heading(level: Int(unsafe cmark_node_get_heading_level(node))))
        case "table": return container(.table)
        case "table_row", "table_header": return container(.row)
        case "table_cell": return container(.cell)
        case "image": return container(.image)
        case "list": return .rule
        default: break
        }
        // Footnotes have no type names.
        let number = unsafe cmark_node_get_type(node)
        if number == CMARK_NODE_FOOTNOTE_DEFINITION { return container(.footnote) }
        guard isEnter else { return nil }
        switch type {
        case "text": return .text(literal())
        case "code": return .text(literal())
        case "linebreak": return .lineBreak
        case "softbreak": return .softBreak
        case "code_block": return .code(literal())
        case "html_block": return .html(literal())
        case "html_inline": return literal().lowercased().hasPrefix("<br") ? .lineBreak : nil
        case "thematic_break": return .rule
        default: return nil
        }
    }
}
