/// Signs that an element of a page is not part of its article.
enum Boilerplate {
    enum Hint { case content, none, around }

    /// Elements that are around an article by their meaning.
    static let elements: Set<String> = ["nav", "footer", "aside", "form", "dialog", "menu", "search", "fieldset"]
    static let roles: Set<String> = [
        "navigation", "banner", "contentinfo", "complementary", "search", "dialog", "alertdialog", "menu", "menubar",
        "toolbar", "tablist", "alert",
    ]

    /// What the names of an element's class and id suggest.
    static func hint(_ node: MarkupTree.Node) -> Hint {
        var (isContent, isAround) = (false, false)
        for attribute in ["class", "id"] {
            guard let value = node[attribute], value.utf8.count < 1000 else { continue }
            let names = words(value)
            // An id of many words is the title of a section.
            if attribute == "id", names.count > 3 { continue }
            if names.contains(where: { content.contains($0) }) { isContent = true }
            if names.contains(where: { name in around.contains(name) || stems.contains { name.hasPrefix($0) } }) {
                isAround = true
            }
        }
        if isAround { return isContent ? .none : .around }
        return isContent ? .content : .none
    }

    /// The words of names in all common styles: `side-bar`, `sideBar`, `side_bar`.
    static func words(_ value: String) -> [String] {
        var (result, word, wasLower): ([String], String, Bool) = ([], "", false)
        func end() {
            if !word.isEmpty { result.append(word.lowercased()) }
            word = ""
        }
        for character in value.unicodeScalars {
            let isUpper = (65...90).contains(character.value)
            let isLower = (97...122).contains(character.value)
            if !isUpper && !isLower || isUpper && wasLower { end() }
            if isUpper || isLower { word.unicodeScalars.append(character) }
            wasLower = isLower
        }
        end()
        return result
    }

    private static let content: Set<String> = [
        "article", "articlebody", "body", "content", "contents", "entry", "main", "post", "story", "text", "blog",
        "page",
        "hentry", "column", "chapter", "prose", "markdown",
    ]
    /// Beginnings of words.
    private static let stems = [
        "advert", "breadcrumb", "comment", "newsletter", "recommend", "related", "sidebar", "sponsor", "subscri",
    ]
    private static let around: Set<String> = [
        "ad", "ads", "advert", "advertisement", "adsbygoogle", "agegate", "announcement", "author", "banner",
        "biography",
        "breadcrumb", "breadcrumbs", "byline", "combx", "comment", "comments", "community", "contact", "cookie",
        "cookies",
        "cover", "credit", "credits", "disqus", "dropdown", "extra", "facebook", "feedback", "follow", "footer",
        "footnav",
        "gdpr", "header", "hot", "legends", "login", "masthead", "menu", "meta", "metadata", "modal", "more", "most",
        "nav",
        "navbar", "navigation", "navbox", "newsletter", "outbrain", "pager", "pagination", "partner", "permalink",
        "popular",
        "popup", "print", "promo", "promotion", "rating", "recommend", "recommended", "related", "remark", "replies",
        "reply",
        "rss", "share", "shares", "sharing", "shoutbox", "sidebar", "signup", "sitemap", "skip", "skyscraper", "social",
        "sponsor", "sponsored", "subscribe", "supplemental", "taboola", "tags", "tag", "teaser", "toolbar", "tools",
        "toc",
        "topbar", "trending", "twitter", "utility", "widget", "yom", "editsection", "noprint", "catlinks", "jump",
        "hidden",
        "disclaimer", "copyright",
    ]
}
