import Foundation

/// Glyphs on one base line without a wide gap, in a frame where text runs to the right and lines go down.
struct Fragment {
    /// The left and right ends.
    var u0: Float
    var u1: Float
    /// The base line.
    var v: Float
    var size: Float
    /// Places in the list of glyphs.
    var glyphs: [Int32]
    /// The number of characters, and of digits among them.
    var characters = 0
    var digits = 0

    var top: Float { v - size * 0.75 }
    var bottom: Float { v + size * 0.25 }

    /// The height that two share, as a part of the smaller one's.
    func overlap(_ other: Fragment) -> Float {
        let shared = min(bottom, other.bottom) - max(top, other.top)
        return shared / max(min(size, other.size), 0.01)
    }

    mutating func join(_ other: Fragment) {
        if other.size > size * 1.05 || characters < other.characters / 2 {
            v = other.v
            size = max(size, other.size)
        }
        u0 = min(u0, other.u0)
        u1 = max(u1, other.u1)
        glyphs += other.glyphs
        characters += other.characters
        digits += other.digits
    }
}

/// A direction of text: turns the page so that the text runs to the right.
struct Frame {
    let cosine: Float
    let sine: Float

    /// - Parameter degrees: Clockwise from the page's horizontal.
    init(degrees: Int) {
        switch degrees {
        case 0: (cosine, sine) = (1, 0)
        case 90: (cosine, sine) = (0, 1)
        case 180: (cosine, sine) = (-1, 0)
        case 270: (cosine, sine) = (0, -1)
        default:
            let angle = Double(degrees) * .pi / 180
            (cosine, sine) = (Float(cos(angle)), Float(sin(angle)))
        }
    }

    func u(_ x: Float, _ y: Float) -> Float { x * cosine + y * sine }
    func v(_ x: Float, _ y: Float) -> Float { y * cosine - x * sine }

    /// The upright box on the page around a rectangle of the frame.
    func box(u0: Float, u1: Float, v0: Float, v1: Float) -> DocumentBox {
        let xs = [(u0, v0), (u1, v0), (u0, v1), (u1, v1)].map { $0.0 * cosine - $0.1 * sine }
        let ys = [(u0, v0), (u1, v0), (u0, v1), (u1, v1)].map { $0.0 * sine + $0.1 * cosine }
        let x = xs.min() ?? 0
        let y = ys.min() ?? 0
        return DocumentBox(x: x, y: y, width: (xs.max() ?? 0) - x, height: (ys.max() ?? 0) - y)
    }
}
