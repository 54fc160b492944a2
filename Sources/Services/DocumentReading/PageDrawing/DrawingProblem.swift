/// Why there is no image of a page, or no text of an image.
package enum DrawingProblem: Error, Sendable, Hashable {
    /// The program that draws cannot be started.
    case noProgram
    /// The program gave no image: the file is damaged, needs a password, or has no such page.
    case failed
    /// The page takes more time or memory than the limits allow, or its image is too large.
    case tooCostly
}
