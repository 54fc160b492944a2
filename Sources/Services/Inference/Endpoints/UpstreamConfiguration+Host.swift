package import Transport

extension UpstreamConfiguration {
    /// Parses an address in every format that Ollama's own tools accept in `OLLAMA_HOST`.
    ///
    /// `127.0.0.1`, `host:8080`, `:11434`, `[::1]`, `http://host`, `https://host/prefix`. The default port is 11434, or
    /// the scheme's own when a scheme is given. `0.0.0.0` and `[::]` mean "all addresses" to a server and become
    /// loopback here.
    ///
    /// - Throws: ``UpstreamError`` with ``UpstreamError/Code/invalidAddress``.
    package init(host: String) throws(UpstreamError) {
        var rest = host.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }[...]
        var scheme = "http"
        var port = "11434"
        if let separator = rest.range(of: "://") {
            scheme = rest[..<separator.lowerBound].lowercased()
            rest = rest[separator.upperBound...]
            guard scheme == "http" || scheme == "https" else {
                throw UpstreamError(.invalidAddress, "\"\(host)\": expected the scheme http or https, got \(scheme)")
            }
            port = scheme == "http" ? "80" : "443"
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var path = String(rest[slash...])
        while path.hasSuffix("/") { path.removeLast() }
        let (name, givenPort) = try Self.split(rest[..<slash], of: host)
        if let givenPort { port = givenPort }
        guard let number = Int(port), (1...65_535).contains(number) else {
            throw UpstreamError(.invalidAddress, "\"\(host)\" has an invalid port; expected 1 to 65535")
        }
        let dialled =
            switch name {
            case "", "0.0.0.0": "127.0.0.1"
            case "[::]": "[::1]"
            default: name
            }
        let plain = dialled.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Array("@?#\\<>\"{}|^`%".utf8).contains($0) }
        guard plain else { throw UpstreamError(.invalidAddress, "\"\(host)\" is not a valid address") }
        self.init(baseURL: "\(scheme)://\(dialled):\(number)\(path)", peer: "Ollama")
    }

    private static func split(
        _ authority: Substring, of host: String
    ) throws(UpstreamError) -> (name: String, port: String?) {
        let colons = authority.filter { $0 == ":" }.count
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else {
                throw UpstreamError(.invalidAddress, "\"\(host)\" lacks the bracket that ends its IPv6 address")
            }
            let tail = authority[authority.index(after: end)...]
            return (String(authority[...end]), tail.hasPrefix(":") ? String(tail.dropFirst()) : nil)
        }
        // A bare IPv6 address has several colons and no port.
        if colons > 1 { return ("[\(authority)]", nil) }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        return (parts.first.map(String.init) ?? "", parts.count > 1 ? String(parts[1]) : nil)
    }
}

extension UpstreamConfiguration {
    /// The host in lower case, without brackets and port.
    package var host: String {
        let authority = authority
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
        return String(authority.prefix { $0 != ":" })
    }

    /// The port; the scheme's own when the address has none.
    package var port: Int {
        let last = authority.split(separator: ":", omittingEmptySubsequences: false).last ?? ""
        let isPart = !last.contains("]") && authority.contains(":")
        return (isPart ? Int(last) : nil) ?? (baseURL.hasPrefix("https:") ? 443 : 80)
    }

    /// Host and port in lower case, as the address has them.
    private var authority: String {
        let rest = baseURL.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let whole = rest.prefix { !Array("/?#".utf8).contains($0) }
        // What stands before an "@" is a user's name, whatever it looks like.
        let start = whole.lastIndex(of: UInt8(ascii: "@")).map { whole.index(after: $0) } ?? whole.startIndex
        return String(Substring(whole[start...])).lowercased()
    }

    /// Whether the host is an address of this machine or of a private network, or a name that only such a network
    /// resolves.
    package var isPrivateHost: Bool {
        let host = host
        if host.contains(":") {
            // fc00::/7 and fe80::/10; leading zeros of the first group may be left out.
            let first = UInt16(host.prefix { $0 != ":" }, radix: 16) ?? 0
            return host == "::1" || first >> 9 == 0x7E || first >> 6 == 0x3FA
        }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt8($0) }
        if parts.count == 4, numbers.count == 4 {
            switch (numbers[0], numbers[1]) {
            case (127, _), (10, _), (192, 168), (169, 254): return true
            case (172, let second): return (16...31).contains(second)
            // Shared address space (RFC 6598), which VPNs between a person's own machines use.
            case (100, let second): return (64...127).contains(second)
            default: return false
            }
        }
        // A name of one label has no place in the public DNS. Digits alone would be an address.
        if parts.count == 1 { return host.utf8.contains { (0x61...0x7A).contains($0) } && !host.hasPrefix("0x") }
        return [".localhost", ".local", ".lan", ".internal", ".home.arpa"].contains { host.hasSuffix($0) }
    }
}

extension Substring {
    fileprivate func range(of separator: String) -> (Range<Index>)? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(separator) { return start..<index(start, offsetBy: separator.count) }
            start = index(after: start)
        }
        return nil
    }
}
