import Foundation
import Gateway
import Server

/// What a system needs to know to run the gateway.
struct ServiceDescription {
    let binary: String
    let user: String?
    /// The configuration file; nil when there is none.
    let file: String?
    /// Settings from flags and the environment, by variable.
    let environment: [(name: String, value: String)]
    /// The database, when it was chosen; else it lies where the system keeps a service's state.
    let database: String?
    /// Seconds from the request to stop to the end.
    let stopSeconds: Int
    /// Descriptors for the connections and the rest.
    let openFiles: Int
    /// Whether the port is one that only a privileged process may take.
    let needsPrivilegedPort: Bool

    init(_ configuration: GatewayConfiguration, binary: String, user: String?) {
        self.binary = binary
        self.user = user
        file = configuration.file
        let chosen = configuration.effective.filter { ["flag", "environment"].contains($0.origin) }
        database =
            configuration.effective.first { $0.key == "database" }?.origin == "default"
            ? nil : configuration.databasePath
        environment = chosen.compactMap { setting in
            // What was masked is a secret, and stays where it is.
            guard let value = setting.value, value != "********", setting.key != "database" else { return nil }
            return (setting.environment, value)
        }
        // Drain, then what is left is cut; a service manager that is less patient would cut first.
        stopSeconds = Int(configuration.server.drainTimeout.components.seconds) + 5
        openFiles = max(65_536, configuration.server.maxConnections * 2 + 1024)
        needsPrivilegedPort = (1..<1024).contains(configuration.server.port)
    }

    private var arguments: [String] { [binary, "serve"] + (file.map { ["--config", $0] } ?? []) }

    // MARK: systemd

    /// A unit for systemd.
    var systemdUnit: String {
        var service = [
            "Type=exec", "ExecStart=" + arguments.map { Self.quoted($0, isCommand: true) }.joined(separator: " "),
            "ExecReload=/bin/kill -HUP $MAINPID",
        ]
        service += user.map { ["User=\($0)"] } ?? ["DynamicUser=yes"]
        service += ["StateDirectory=selene", "StateDirectoryMode=0700", "WorkingDirectory=%S/selene"]
        service += ["Environment=HOME=%S/selene"]
        if let database {
            service.append("Environment=" + Self.quoted("SELENE_DATABASE=" + database))
            service.append("ReadWritePaths=" + Self.quoted(URL(filePath: database).deletingLastPathComponent().path))
        } else {
            service.append("Environment=SELENE_DATABASE=%S/selene/selene.sqlite")
        }
        service += environment.map { "Environment=" + Self.quoted("\($0.name)=\($0.value)") }
        service += [
            "EnvironmentFile=-/etc/selene/selene.env", "Restart=on-failure", "RestartSec=3",
            "RestartPreventExitStatus=64", "TimeoutStopSec=\(stopSeconds)", "LimitNOFILE=\(openFiles)", "UMask=0077",
            "NoNewPrivileges=yes", "ProtectSystem=strict",
            "ProtectHome=\(touchesHome ? "read-only" : "yes")", "PrivateTmp=yes", "PrivateDevices=yes",
            "ProtectKernelTunables=yes", "ProtectKernelModules=yes", "ProtectKernelLogs=yes",
            "ProtectControlGroups=yes", "ProtectClock=yes", "ProtectHostname=yes", "ProtectProc=invisible",
            "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6", "RestrictNamespaces=yes", "RestrictRealtime=yes",
            "RestrictSUIDSGID=yes", "LockPersonality=yes", "MemoryDenyWriteExecute=yes", "RemoveIPC=yes",
            "SystemCallArchitectures=native", "SystemCallFilter=@system-service",
            "CapabilityBoundingSet=" + (needsPrivilegedPort ? "CAP_NET_BIND_SERVICE" : ""),
        ]
        if needsPrivilegedPort { service.append("AmbientCapabilities=CAP_NET_BIND_SERVICE") }
        return """
            [Unit]
            Description=Selene Gateway, an Ollama proxy and retrieval gateway
            After=network-online.target
            Wants=network-online.target

            [Service]
            \(service.joined(separator: "\n"))

            [Install]
            WantedBy=multi-user.target

            """
    }

    /// Whether something that the service reads lies where systemd's `ProtectHome` hides it.
    private var touchesHome: Bool {
        ([binary, file ?? "", database ?? ""] + environment.map(\.value)).contains { path in
            ["/home/", "/root/", "/run/user/"].contains { path.hasPrefix($0) }
        }
    }

    /// A word of a unit: `%` would be a specifier, `$` in a command a variable.
    static func quoted(_ word: String, isCommand: Bool = false) -> String {
        var text = ""
        for scalar in word.unicodeScalars {
            switch scalar {
            case "%": text += "%%"
            case "$" where isCommand: text += "$$"
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            default: text.unicodeScalars.append(scalar)
            }
        }
        let isPlain = text.utf8.allSatisfy {
            $0 > 0x20 && $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "\\") && $0 != 0x22
        }
        return isPlain && !text.isEmpty ? text : "\"\(text)\""
    }

    // MARK: launchd

    private struct PropertyList: Encodable {
        struct KeepAlive: Encodable { var SuccessfulExit = false }
        struct Limits: Encodable { var NumberOfFiles: Int }

        var Label = "selene.gateway"
        var ProgramArguments: [String]
        var EnvironmentVariables: [String: String]
        var RunAtLoad = true
        var KeepAlive = PropertyList.KeepAlive()
        var ThrottleInterval = 5
        var ExitTimeOut: Int
        var SoftResourceLimits: Limits
        var HardResourceLimits: Limits
        var ProcessType = "Interactive"
        var Umask = 0o077
        var StandardErrorPath = NSHomeDirectory() + "/Library/Logs/selene.gateway.log"
    }

    /// A property list for launchd.
    func launchdPropertyList() throws -> String {
        var variables = Dictionary(environment.map { ($0.name, $0.value) }) { first, _ in first }
        if let database { variables["SELENE_DATABASE"] = database }
        let limits = PropertyList.Limits(NumberOfFiles: openFiles)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        let list = PropertyList(
            ProgramArguments: arguments, EnvironmentVariables: variables, ExitTimeOut: stopSeconds,
            SoftResourceLimits: limits, HardResourceLimits: limits)
        return String(decoding: try encoder.encode(list), as: UTF8.self)
    }
}
