import Foundation
import GatewayAPI
import GatewayTestSupport
import Storage
import TestSupport
import Testing

/// Reminders of goals through the routes and the notification outbox.
@Suite(.serialized) struct GoalReminderTests {
    private static func goal(_ reply: LiveGateway.Reply) throws -> GoalRecord {
        try JSONDecoder().decode(GoalRecord.self, from: reply.data)
    }

    /// Adds a goal of pages that is due each day.
    private static func add(_ title: String, _ reminder: String, _ gateway: LiveGateway) async throws -> GoalRecord {
        let body = """
            {"title":"\(title)","target":{"amount":10,"unit":"pages"},"start_date":"2026-01-01",
             "keywords":["\(title.lowercased())"],"rule":{"kind":"each","bound":"at_least","window":"day"}\(reminder)}
            """
        return try goal(try await gateway.done("POST", "/api/goals", body, 201))
    }

    /// The deliveries that the log of notifications has for titles with a text.
    private static func deliveries(_ text: String, _ gateway: LiveGateway) async throws -> [PushLogLine] {
        let log = try await gateway.done("GET", "/api/v1/log?limit=100")
        return try JSONDecoder().decode(PushLogPage.self, from: log.data).log.filter {
            $0.title?.contains(text) == true
        }
    }

    /// A window of quiet hours from an hour before now to two hours after it, in UTC.
    private static var quietNow: String {
        func clock(_ offset: TimeInterval) -> String {
            String(Date.now.addingTimeInterval(offset * 3600).ISO8601Format().dropFirst(11).prefix(5))
        }
        return #"{"zone":"UTC","quietHours":{"windows":[{"start":"\#(clock(-1))","end":"\#(clock(2))"}]}}"#
    }

    @Test func `a reminder is set, changed, seen as of earlier, undone and removed`() async throws {
        try await LiveGateway.with(settings: ["goals_zone": "UTC"]) { gateway in
            let goal = try await Self.add("Read", #","reminder":{"at":"19:30","weekdays":[3,1]}"#, gateway)
            #expect(goal.reminder == GoalReminder(at: "19:30", weekdays: [1, 3]))
            let path = "/api/goals/\(goal.id)"
            let changed = try Self.goal(
                try await gateway.done("PATCH", path, #"{"reminder":{"at":"07:05"},"reason":"earlier"}"#))
            #expect(changed.reminder == GoalReminder(at: "07:05") && changed.version > goal.version)
            let before = try Self.goal(try await gateway.done("GET", "\(path)?as_of=\(goal.version)"))
            #expect(before.reminder == goal.reminder)
            let history = try JSONDecoder().decode(
                GoalChangeList.self, from: try await gateway.done("GET", "/api/goals/history?id=\(goal.id)").data)
            let change = try #require(history.changes.first)
            #expect(change.table == "gateway_goal_reminders" && change.reason == "earlier")
            let turn = try #require(change.turn)
            try await gateway.done("POST", "/api/goals/undo", #"{"turn":"\#(turn)"}"#)
            #expect(try Self.goal(try await gateway.done("GET", path)).reminder == goal.reminder)
            #expect(try Self.goal(try await gateway.done("PATCH", path, #"{"reminder":null}"#)).reminder == nil)
            #expect(try await !gateway.done("GET", path).text.contains("reminder"))
            for wrong in [
                #"{"at":"24:00"}"#, #"{"at":"7:30"}"#, #"{"at":"٠٧:٣٠"}"#, #"{"at":""}"#, "{}", "7",
                #"{"at":"07:30","weekdays":[]}"#, #"{"at":"07:30","weekdays":[7]}"#,
                #"{"at":"07:30","weekdays":[1,1]}"#, #"{"at":"07:30","weekdays":"mon"}"#,
            ] {
                let reply = try await gateway.request("PATCH", path, #"{"reminder":\#(wrong)}"#)
                #expect(reply.status == 400 && reply.object["error"] is String, "\(wrong): \(reply.text)")
            }
            // What another program writes: a time that no clock shows is none, days that do not exist are left out.
            try await gateway.execute(
                "INSERT INTO gateway_goal_reminders (goal_id, at, weekdays) VALUES ('\(goal.id)', '99:99', 'x')")
            #expect(try Self.goal(try await gateway.done("GET", path)).reminder == nil)
            try await gateway.execute("UPDATE gateway_goal_reminders SET at = '08:00', weekdays = '[2, 9, 2]'")
            #expect(
                try Self.goal(try await gateway.done("GET", path)).reminder
                    == GoalReminder(at: "08:00", weekdays: [2]))
            let byOther = try JSONDecoder().decode(
                GoalChangeList.self, from: try await gateway.done("GET", "/api/goals/history?id=\(goal.id)").data)
            #expect(byOther.changes.first?.actor == nil && byOther.changes.first?.operation == "update")
        }
    }

    @Test(.slow) func `a reminder goes through the outbox, is held by quiet hours, and is quiet for what is logged`()
        async throws
    {
        // The person's day begins with the reminder's time, so it has come whenever this runs.
        try await LiveGateway.with(settings: ["goals_zone": "UTC"]) { gateway in
            try await gateway.done("POST", "/api/v1/devices", #"{"name":"awake","stream":true}"#, 201)
            try await gateway.done(
                "POST", "/api/v1/devices", #"{"name":"asleep","stream":true,"settings":\#(Self.quietNow)}"#, 201)
            _ = try await Self.add("Write", #","reminder":{"at":"00:00"}"#, gateway)
            try await gateway.done(
                "POST", "/api/actions", #"{"title":"Write","amounts":[{"amount":1,"unit":"pages"}]}"#, 201)
            _ = try await Self.add("Sing", "", gateway)
            _ = try await Self.add("Read", #","reminder":{"at":"00:00"}"#, gateway)
            try await waitUntil(within: .seconds(60)) { try await Self.deliveries("Read", gateway).count == 2 }
            try await waitUntil(within: .seconds(60)) {
                try await Self.deliveries("Read", gateway).contains { $0.rule == "quiet hours" }
            }
            let found = try await Self.deliveries("Read", gateway)
            #expect(found.count { $0.rule == "quiet hours" && $0.deviceName == "asleep" } == 1, "\(found)")
            // Those that looked at the same time: one has an entry, one has no reminder.
            #expect(try await Self.deliveries("Write", gateway).isEmpty)
            #expect(try await Self.deliveries("Sing", gateway).isEmpty)
        }
    }
}
