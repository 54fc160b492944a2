/// The prefixes that elements and attributes of known namespaces have in a ``MarkupTree``.
enum MarkupNamespaces {
    /// The fixed prefix of a namespace, empty for none; nil for a namespace that documents do not use.
    static func prefix(of namespace: String) -> String? { prefixes[namespace] }

    private static let prefixes: [String: String] = [
        "http://www.w3.org/1999/xhtml": "",
        "http://www.idpf.org/2007/opf": "",
        "http://openebook.org/namespaces/oeb-package/1.0/": "",
        "http://www.daisy.org/z3986/2005/ncx/": "",
        "urn:oasis:names:tc:opendocument:xmlns:container": "",
        "http://www.w3.org/2001/04/xmlenc#": "enc",
        "http://www.idpf.org/2007/ops": "epub",
        "http://www.w3.org/XML/1998/namespace": "xml",
        "http://purl.org/dc/elements/1.1/": "dc",
        "http://purl.org/dc/terms/": "dcterms",
        "http://www.w3.org/2000/svg": "svg",
        "http://www.w3.org/1998/Math/MathML": "math",
        "http://www.w3.org/1999/xlink": "xlink",
        "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
        "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
        "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
        "http://schemas.openxmlformats.org/package/2006/relationships": "",
        "http://schemas.openxmlformats.org/package/2006/content-types": "",
        "http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp",
        "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
        "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
        "http://purl.oclc.org/ooxml/drawingml/main": "a",
        "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
        "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
        "http://purl.oclc.org/ooxml/officeDocument/math": "m",
        "urn:schemas-microsoft-com:vml": "v",
    ]
}
