import Testing

@testable import CLI

/// `selene doctor` says how to update a program, by where it is and by files of its package.
@Suite struct Installations {
    private func update(_ binary: String, _ files: String...) -> String {
        Installation(binary: binary, exists: files.contains).text
    }

    @Test func `package, image, Homebrew and source are updated in their own ways`() {
        let listed = "/var/lib/dpkg/info/selene.list"
        #expect(update("/usr/bin/selene", listed).contains("apt install ./selene_"))
        // The image has the package, too.
        #expect(update("/usr/bin/selene", listed, "/usr/lib/selene/image").contains("build the newer image"))
        #expect(update("/opt/homebrew/Cellar/selene/0.2.0/bin/selene").contains("brew upgrade selene"))
        #expect(update("/usr/local/bin/selene").contains("git pull && make install"))
    }

    @Test func `a binary elsewhere is not the installed package's`() {
        let files = ["/var/lib/dpkg/info/selene.list", "/usr/lib/selene/image"]
        #expect(Installation(binary: "/usr/local/bin/selene", exists: files.contains).text.contains("from source"))
    }
}
