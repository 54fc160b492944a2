/// Reads PDF files.
enum PDFReader {
    static func read(_ bytes: [UInt8], limits: DocumentLimits) throws(DocumentError) -> Document {
        throw DocumentError(.unknownFormat, "PDF files are not read yet.")
    }
}
