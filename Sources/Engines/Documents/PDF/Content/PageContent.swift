/// A character on a page, in points from the page's top left corner; y grows downwards.
struct PageGlyph {
    /// The start on the base line.
    var x: Float
    var y: Float
    /// The advance along the base line.
    var dx: Float
    var dy: Float
    /// The height of the font.
    var size: Float
    /// As of ``TextPool``.
    var text: UInt32
    /// Nothing is painted: render mode 3, or a transparent colour.
    var isInvisible = false
}

/// What the content of a page shows, as far as text needs it.
struct PageContent {
    static let maxGlyphs = 1 << 20

    var glyphs: [PageGlyph] = []
    /// The characters without a known meaning.
    var unmapped = 0
    /// The characters that a reader does not see: white on white, tiny, off the page, clipped.
    var hidden = 0
    /// The sum of the images' areas, as a part of the page's area.
    var imageCoverage = 0.0
    /// The JPEG that covers the page.
    var cover: PDFValue?
    /// The content could not be read to its end.
    var isFailed = false
}
