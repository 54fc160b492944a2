#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The addresses of this machine in its networks.
package enum NetworkAddresses {
    /// The IPv4 addresses and global IPv6 addresses of interfaces that are up, without loopback, in the system's order.
    /// Zero when the system does not say.
    package static var current: [String] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&first) == 0 else { return [] }
        defer { unsafe freeifaddrs(first) }
        var found: [String] = []
        var next = unsafe first
        while let entry = unsafe next {
            unsafe next = entry.pointee.ifa_next
            let flags = unsafe Int32(bitPattern: UInt32(entry.pointee.ifa_flags))
            guard flags & Int32(IFF_UP) != 0, flags & Int32(IFF_LOOPBACK) == 0,
                let address = unsafe entry.pointee.ifa_addr, let text = unsafe text(of: address)
            else { continue }
            if !found.contains(text) { found.append(text) }
        }
        return found
    }

    /// The machine's own name, as it calls itself; empty when the system does not say. Does not use the network.
    package static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The numbers of an address; nil for another family and for addresses that are valid on one link only.
    private static func text(of address: UnsafeMutablePointer<sockaddr>) -> String? {
        let length: Int
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var buffer = [CChar](repeating: 0, count: 64)
        let status = unsafe getnameinfo(
            address, socklen_t(length), &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
        guard status == 0 else { return nil }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return text.hasPrefix("fe80:") || text.hasPrefix("169.254.") ? nil : text
    }
}
