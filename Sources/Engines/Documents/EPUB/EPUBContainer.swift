/// The files in `META-INF` of an EPUB file: where the package is, and what is encrypted.
struct EPUBContainer {
    /// Paths of the package documents, the preferred one first.
    var packages: [String] = []
    /// Paths of the files that only the vendor's reader can decrypt.
    var protected: Set<String> = []
    /// Whether the file carries the rights data of a shop.
    var hasRights = false

    /// Algorithms that only keep fonts from being copied; no text is encrypted by them.
    static let fontObfuscations: Set<String> = ["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]

    init(_ archive: ZipArchive) throws(DocumentError) {
        if let bytes = try archive.read("META-INF/container.xml"), let tree = MarkupParser.xml(bytes, isLenient: true) {
            for index in tree.all("rootfile") {
                let type = tree[index]["media-type"] ?? "application/oebps-package+xml"
                guard type == "application/oebps-package+xml", let link = tree[index]["full-path"] else { continue }
                packages.append(link)
                // Some writers escape the path, though it is no link.
                packages.append(ArchivePath.unescaped(link))
            }
        }
        // A file without its container still tells by its name.
        packages += archive.names.filter { $0.lowercased().hasSuffix(".opf") }
        hasRights = archive.contains("META-INF/rights.xml") || archive.contains("META-INF/sinf.xml")
        guard let bytes = try archive.read("META-INF/encryption.xml"),
            let tree = MarkupParser.xml(bytes, isLenient: true)
        else { return }
        for data in tree.all("enc:EncryptedData") {
            let algorithm = tree.child(data, "enc:EncryptionMethod").flatMap { tree[$0]["Algorithm"] } ?? ""
            guard !Self.fontObfuscations.contains(algorithm), let cipher = tree.child(data, "enc:CipherData"),
                let reference = tree.child(cipher, "enc:CipherReference"), let link = tree[reference]["URI"],
                let path = ArchivePath(link, from: "")
            else { continue }
            protected.insert(path.path)
        }
    }
}
