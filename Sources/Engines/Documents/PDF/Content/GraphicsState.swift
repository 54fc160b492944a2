/// The part of the graphics state that text depends on.
struct GraphicsState {
    var matrix: Matrix
    /// On the page; nil for the whole page.
    var clip: Rectangle?
    var isFillWhite = false
    var isTransparent = false
    /// How many components make white in the fill colour space, and their value.
    var white: WhiteColor = .ones

    var font: PDFFont?
    var size = 0.0
    var characterSpacing = 0.0
    var wordSpacing = 0.0
    var horizontalScale = 1.0
    var leading = 0.0
    var rise = 0.0
    var renderMode = 0

    init(matrix: Matrix) {
        self.matrix = matrix
    }
}

/// What is white in a colour space.
enum WhiteColor {
    /// Grey, RGB: all components are 1.
    case ones
    /// CMYK and inks: all components are 0.
    case zeros
    /// Palettes and patterns: not known.
    case unknown

    func isWhite(_ components: [Double]) -> Bool {
        switch self {
        case .ones where components.count != 4: !components.isEmpty && components.allSatisfy { $0 > 0.98 }
        case .ones, .zeros: !components.isEmpty && components.allSatisfy { $0 < 0.02 }
        case .unknown: false
        }
    }
}
