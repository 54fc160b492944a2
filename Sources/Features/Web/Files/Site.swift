import CSite
import Cryptography

/// The files of the web client as they were when the program was built.
package struct Site: Sendable {
    /// The first 16 hexadecimal digits of the SHA-256 of all paths and contents. It changes with any file.
    package let hash: String
    private let files: [String: [UInt8]]

    /// The files that have a fixed address, because browsers ask for them by name. All others are found below ``base``.
    static let atRoot: Set<String> = ["index.html", "sw.js", "app.webmanifest"]

    /// The embedded files, scripts and styles without their comments.
    package static let embedded: Site = {
        var files: [String: [UInt8]] = [:]
        var number = 0
        while let file = unsafe selene_site(number) {
            let path = unsafe String(cString: file.pointee.path)
            let bytes = unsafe Array(UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.count))
            files[path] = BareSource.of(path, bytes)
            number += 1
        }
        return Site(files)
    }()

    /// Creates a site from files by path.
    package init(_ files: [String: [UInt8]]) {
        self.files = files
        var hasher = SHA256()
        for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
            hasher.update(data: Array("\(path)\0\(bytes.count)\0".utf8))
            hasher.update(data: bytes)
        }
        hash = hasher.finalize().prefix(8).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }

    /// The paths, in order.
    package var paths: [String] { files.keys.sorted() }

    /// The address below which the files are found. It changes with any file, so that they may be cached for good.
    package var base: String { "/app/\(hash)" }

    /// The bytes of a file; nil when there is none. In files with a fixed address, `{{base}}` and `{{hash}}` are replaced.
    package subscript(path: String) -> [UInt8]? {
        guard Self.atRoot.contains(path) else { return files[path] }
        return files[path].map { Self.replaced($0, base: base, hash: hash) }
    }

    /// The service worker with the hash `off`, with which it deletes its copies and itself; nil when there is none.
    var endOfWorker: [UInt8]? { files["sw.js"].map { Self.replaced($0, base: base, hash: "off") } }

    private static func replaced(_ bytes: [UInt8], base: String, hash: String) -> [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        return Array(text.replacing("{{base}}", with: base).replacing("{{hash}}", with: hash).utf8)
    }
}
