/// Pages that keep their text from programs.
enum BlockedPage {
    static let noText = DocumentError(
        .empty, "The page has no text. If it needs JavaScript, save it from your browser and add the file.")

    /// Less text than this may be a form for signing in, a check for robots or a frame for a script.
    private static let fewBytes = 1500

    /// Why a page has no text worth reading; nil for a page that has.
    static func error(_ tree: MarkupTree, textBytes: Int, title: String?) -> DocumentError? {
        if textBytes == 0 { return noText }
        guard textBytes < fewBytes else { return nil }
        let title = title?.lowercased() ?? ""
        let asksPassword = tree.nodes.contains { $0.name == "input" && $0["type"]?.lowercased() == "password" }
        if asksPassword {
            return DocumentError(
                .empty, "The page asks to sign in. Open it in your browser, save it there and add the file.")
        }
        if ["just a moment", "attention required", "are you a robot", "captcha", "access denied"].contains(
            where: title.contains)
        {
            return DocumentError(
                .empty,
                "The site let no program read the page. Open it in your browser, save it there and add the file.")
        }
        let asksScript = tree.all("noscript").contains { tree.line($0).lowercased().contains("javascript") }
        return asksScript && textBytes < 200 ? noText : nil
    }
}
