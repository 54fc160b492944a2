import Foundation
import GatewayTestSupport
import TestSupport
import Testing

/// What `selene service install` writes.
@Suite(.serialized) struct ServiceInstall {
    /// The values of a unit by section and key.
    private static func read(_ unit: String) -> [String: [String]] {
        var section = ""
        var values: [String: [String]] = [:]
        for line in unit.split(separator: "\n") {
            if line.hasPrefix("[") {
                section = String(line)
            } else if let equals = line.firstIndex(of: "=") {
                values[section + line[..<equals], default: []].append(String(line[line.index(after: equals)...]))
            }
        }
        return values
    }

    @Test func `the unit is hardened, and systemd finds nothing wrong with it`() async throws {
        let home = try SeleneHome()
        let outcome = try await home.run(
            ["service", "install", "--print", "--system", "--platform", "systemd", "--binary", "/bin/true"],
            [
                "SELENE_DATABASE": "", "SELENE_DRAIN_TIMEOUT": "40", "SELENE_API_TOKEN": "very-secret-token",
                "SELENE_GENERATE_MODEL": "odd %name \"x\"",
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let unit = Self.read(outcome.output)
        #expect(unit["[Service]ExecStart"] == ["/bin/true serve"])
        #expect(unit["[Service]ExecReload"] == ["/bin/kill -HUP $MAINPID"])
        #expect(unit["[Service]TimeoutStopSec"] == ["45"])
        for (key, value) in [
            ("DynamicUser", "yes"), ("StateDirectory", "selene"), ("NoNewPrivileges", "yes"),
            ("ProtectSystem", "strict"), ("Restart", "on-failure"), ("LimitNOFILE", "65536"), ("PrivateTmp", "yes"),
            ("CapabilityBoundingSet", ""), ("RestartPreventExitStatus", "64 65"),
        ] {
            #expect(unit["[Service]" + key] == [value], "\(key)")
        }
        #expect(unit["[Service]Environment"]?.contains(#""SELENE_GENERATE_MODEL=odd %%name \"x\"""#) == true)
        #expect(!outcome.output.contains("very-secret-token"))
        guard await Shell.has("systemd-analyze") else { return }
        let file = home.url.appending(path: "selene.service")
        try Data(outcome.output.utf8).write(to: file)
        let verdict = try await Shell.run(["systemd-analyze", "verify", "--man=no", file.path])
        #expect(verdict.status == 0 && !verdict.output.contains("selene.service"), "\(verdict.output)")
    }

    @Test func `without --system the service is this user's, on the database of this user's commands`() async throws {
        let home = try SeleneHome()
        let arguments = ["service", "install", "--print", "--platform", "systemd", "--binary", "/bin/true"]
        let unit = Self.read(try await home.run(arguments).output)
        let keys = try await home.run(["keys", "list"])
        let database = try #require(unit["[Service]Environment"]?.first { $0.hasPrefix("SELENE_DATABASE=") })
        #expect(keys.errors.contains("using the database \(database.dropFirst("SELENE_DATABASE=".count))"))
        #expect(unit["[Service]DynamicUser"] == nil && unit["[Service]User"] == nil)
        #expect(unit["[Install]WantedBy"] == ["default.target"])
        guard await Shell.has("systemd-analyze") else { return }
        let file = home.url.appending(path: "selene.service")
        try Data(try await home.run(arguments).output.utf8).write(to: file)
        let verdict = try await Shell.run(["systemd-analyze", "verify", "--user", "--man=no", file.path])
        #expect(!verdict.output.contains("selene.service"), "\(verdict.output)")
    }

    @Test func `a user, a database and a low port change the unit`() async throws {
        let home = try SeleneHome()
        let outcome = try await home.run(
            [
                "service", "install", "--print", "--platform", "systemd", "--user", "notes", "--database",
                "/srv/my notes/n.sqlite",
            ], ["SELENE_PORT": "443"])
        let unit = Self.read(outcome.output)
        #expect(unit["[Service]User"] == ["notes"])
        #expect(unit["[Service]DynamicUser"] == nil)
        #expect(unit["[Service]ReadWritePaths"] == [#""/srv/my notes""#])
        #expect(unit["[Service]AmbientCapabilities"] == ["CAP_NET_BIND_SERVICE"])
        #expect(unit["[Service]Environment"]?.contains(#""SELENE_DATABASE=/srv/my notes/n.sqlite""#) == true)
    }

    @Test func `the property list is one that property list readers read`() async throws {
        let home = try SeleneHome()
        let file = home.url.appending(path: "selene.plist")
        let arguments = [
            "service", "install", "--output", file.path, "--platform", "launchd", "--binary", "/opt/a & b",
        ]
        let outcome = try await home.run(arguments, ["SELENE_EMBED_MODEL": "<bge>"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let list = try #require(
            try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil) as? [String: Any])
        #expect(list["Label"] as? String == "selene.gateway")
        #expect(list["ProgramArguments"] as? [String] == ["/opt/a & b", "serve"])
        #expect((list["EnvironmentVariables"] as? [String: String])?["SELENE_EMBED_MODEL"] == "<bge>")
        #expect(list["ExitTimeOut"] as? Int == 35)
        // A file that is there is somebody's, and stays.
        #expect(try await home.run(arguments).status == 1)
        guard await Shell.has("python3") else { return }
        let read = try await Shell.run([
            "python3", "-c", "import plistlib,sys; print(plistlib.load(open(sys.argv[1],'rb'))['Label'])", file.path,
        ])
        #expect(read.output == "selene.gateway\n")
    }

    @Test(arguments: [
        [], ["--print", "--output", "x"], ["--print", "--platform", "windows"], ["--print", "--user", "a b"],
    ])
    func `wrong usage is refused`(arguments: [String]) async throws {
        #expect(try await SeleneHome().run(["service", "install"] + arguments).status == 64)
    }
}
