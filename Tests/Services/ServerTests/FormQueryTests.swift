import Testing

@testable import Server

/// Queries as forms, `URLSearchParams` and programs that escape nothing write them.
struct FormQueryTests {
    static let cases: [(query: String, fields: [String])] = [
        ("title=Disk+full&message=red+alert", ["title=Disk full", "message=red alert"]),
        ("a=1%2B1&b=%2b", ["a=1+1", "b=+"]), ("a=x%20y+z", ["a=x y z"]), ("a+b=c", ["a b=c"]),
        ("a", ["a="]), ("a=", ["a="]), ("=a", ["=a"]), ("a=b=c", ["a=b=c"]), ("&&a=1&", ["a=1"]), ("", []),
        // Times keep their offset.
        ("since=2026-01-31T12:00:00+01:00", ["since=2026-01-31T12:00:00+01:00"]),
        ("since=2026-01-31T12:00:00.250+01:00", ["since=2026-01-31T12:00:00.250+01:00"]),
        ("since=2026-01-31T12:00:00%2B01:00", ["since=2026-01-31T12:00:00+01:00"]),
        ("q=from+12:00+to+13:00", ["q=from 12:00 to 13:00"]), ("q=a+01:00", ["q=a 01:00"]), ("q=+01:00", ["q= 01:00"]),
        ("q=1:+01:00", ["q=1: 01:00"]), ("q=1.+01:00", ["q=1. 01:00"]),
        // What is no escape stays as it came.
        ("a=100%&b=%zz+1&c=%C3%28", ["a=100%", "b=%zz 1", "c=%C3%28"]), ("a=%C3%A4+%F0%9F%98%80", ["a=ä 😀"]),
    ]

    @Test(arguments: cases)
    func `a query has the fields that its writer meant`(query: String, fields: [String]) {
        #expect(FormQuery.fields(of: query).map { "\($0.name)=\($0.value)" } == fields)
    }
}
