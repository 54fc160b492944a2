import Foundation
import Gateway
import Server

/// Builds the systemd unit or launchd property list of the gateway.
struct ServiceDescription {
    let binary: String
    let user: String?
    /// The configuration file; nil when there is none.
    let file: String?
    /// Whether systemd runs the service for the machine; else it runs for this user, on this user's database.
    let isForMachine: Bool
    /// Settings from flags and the environment, under the names of their variables.
    let environment: [(name: String, value: String)]
    /// The database, when it is set; nil puts it where the system keeps a service's state.
    let database: String?
    /// Seconds that the service manager waits for a stop.
    let stopSeconds: Int
    /// The limit of open file descriptors.
    let openFiles: Int
    /// Whether only a privileged process may listen on the port.
    let needsPrivilegedPort: Bool

    /// The database that commands of this user use.
    private let ownDatabase: String

    init(_ configuration: GatewayConfiguration, binary: String, user: String?, isForMachine: Bool) {
        self.binary = binary
        self.user = user
        self.isForMachine = isForMachine
        ownDatabase = URL(filePath: configuration.databasePath).standardizedFileURL.path
        file = configuration.file
        let chosen = configuration.effective.filter { ["flag", "environment"].contains($0.origin) }
        database =
            configuration.effective.first { $0.key == "database" }?.origin == "default"
            ? nil : configuration.databasePath
        environment = chosen.compactMap { setting in
            // A masked value is a secret, which the file must not contain.
            guard let value = setting.value, value != "********", setting.key != "database" else { return nil }
            return (setting.environment, value)
        }
        // Longer than the drain: otherwise the service manager would kill requests that are still draining.
        stopSeconds = Int(configuration.server.drainTimeout.components.seconds) + 5
        openFiles = max(65_536, configuration.server.maxConnections * 2 + 1024)
        needsPrivilegedPort = (1..<1024).contains(configuration.server.port)
    }

    private var arguments: [String] { [binary, "serve"] + (file.map { ["--config", $0] } ?? []) }

    // MARK: systemd

    /// Where the service's database is, for people.
    var place: String { isForMachine ? database ?? "/var/lib/selene/selene.sqlite" : ownDatabase }

    var systemdUnit: String { isForMachine ? machineUnit : userUnit }

    /// The unit of a service of this user. Much of what hardens a machine's service needs rights that a user's has not.
    private var userUnit: String {
        let service =
            [
                "Type=exec", "ExecStart=" + arguments.map { Self.quoted($0, isCommand: true) }.joined(separator: " "),
                "ExecReload=/bin/kill -HUP $MAINPID", "Environment=" + Self.quoted("SELENE_DATABASE=" + ownDatabase),
            ] + environment.map { "Environment=" + Self.quoted("\($0.name)=\($0.value)") }
            + [
                "EnvironmentFile=-%E/selene.env", "Restart=on-failure", "RestartSec=3",
                "RestartPreventExitStatus=64 65",
                "TimeoutStopSec=\(stopSeconds)", "LimitNOFILE=\(openFiles)", "UMask=0077", "NoNewPrivileges=yes",
                "RestrictRealtime=yes", "RestrictSUIDSGID=yes", "LockPersonality=yes", "MemoryDenyWriteExecute=yes",
                "SystemCallArchitectures=native", "SystemCallFilter=@system-service",
            ]
        return """
            [Unit]
            Description=Selene Gateway, an Ollama proxy and retrieval gateway

            [Service]
            \(service.joined(separator: "\n"))

            [Install]
            WantedBy=default.target

            """
    }

    private var machineUnit: String {
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
            "RestartPreventExitStatus=64 65", "TimeoutStopSec=\(stopSeconds)", "LimitNOFILE=\(openFiles)", "UMask=0077",
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

    /// Whether the service reads a path that systemd's `ProtectHome` hides.
    private var touchesHome: Bool {
        ([binary, file ?? "", database ?? ""] + environment.map(\.value)).contains { path in
            ["/home/", "/root/", "/run/user/"].contains { path.hasPrefix($0) }
        }
    }

    /// Quotes a word for a unit: `%` would be a specifier, and `$` in a command a variable.
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

    /// Encodes the launchd property list, as XML.
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
