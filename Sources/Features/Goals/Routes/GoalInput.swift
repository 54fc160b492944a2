import Access
import Database
import GatewayAPI
import GoalRoom
import Goals
import HTTPTypes
import Hummingbird
import Server

/// The rows of a page at most.
enum GoalPage {
    static let most = 200
}

extension Request {
    /// A date parameter; nil when it is absent.
    func day(_ name: String) throws(GatewayError) -> LocalDay? {
        guard let text = try parameter(name) else { return nil }
        guard let day = LocalDay(parsing: text) else { throw .field(name, "expected a date such as 2026-11-22") }
        return day
    }

    /// A UUID parameter; nil when it is absent.
    func uuid(_ name: String) throws(GatewayError) -> String? {
        guard let text = try parameter(name) else { return nil }
        guard EntityID(text) != nil else { throw .field(name, "expected a UUID") }
        return text
    }

    /// Text of at most some bytes; nil when it is absent or empty.
    func bounded(_ name: String, maxBytes: Int) throws(GatewayError) -> String? {
        guard let text = try parameter(name) else { return nil }
        let checked = try FieldCheck.bounded(text, name, maxBytes: maxBytes)
        return checked.isEmpty ? nil : checked
    }

    /// The size of a page.
    func pageLimit() throws(GatewayError) -> Int { try wholeNumber("limit", default: 50, in: 1...GoalPage.most) }

    /// The moment of `as_of`: the number of a change, or a date.
    func moment() throws(GatewayError) -> GoalMoment? {
        guard let text = try parameter("as_of") else { return nil }
        if let number = Int64(text), number >= 0 { return .change(number) }
        guard let seconds = try FieldCheck.date(text, "as_of") else { return nil }
        // A date alone means its end.
        let isDay = text.utf8.count == 10
        let (milliseconds, overflow) = (seconds + (isDay ? 86_399 : 0)).multipliedReportingOverflow(by: 1000)
        return overflow ? nil : .time(milliseconds + 999)
    }
}

extension GatewayRequestContext {
    /// The UUID in the path.
    func uuid() throws(GatewayError) -> String {
        let text = parameters.get("id") ?? ""
        guard EntityID(text) != nil else { throw .field("id", "expected a UUID") }
        return text
    }

    /// The day in the path.
    func day() throws(GatewayError) -> LocalDay {
        guard let day = LocalDay(parsing: parameters.get("day") ?? "") else {
            throw .field("day", "expected a date such as 2026-11-22")
        }
        return day
    }

    /// Who writes, in which turn: the request, unless it names another.
    func writer(_ reason: FieldUpdate<String> = .keep, turn: String? = nil) throws(GatewayError) -> GoalContext {
        let reason = try FieldCheck.text(reason.value, "reason", maxBytes: 200)
        return GoalContext(turn: turn ?? "request \(requestID)", actor: identity.name, reason: reason)
    }
}
