import Access
import GatewayAPI
import HTTPTypes
import Hummingbird
package import Server

/// All routes for goals, actions, values, terms and measures.
package struct GoalsAPI: Sendable {
    /// The feature's part of the OpenAPI document, in UTF-8.
    package static let description = PackageResources.openapi_yaml

    private let service: GoalService
    private let proposals: GoalProposals
    private let reviews: GoalReviews
    private let bodyLimit: Int

    package init(service: GoalService, reviews: GoalReviews, bodyLimit: Int) {
        self.service = service
        proposals = GoalProposals(service)
        self.reviews = reviews
        self.bodyLimit = bodyLimit
    }

    /// Adds the routes. The router must require keys already.
    package func add(to router: GatewayRouter) {
        let goals = GoalRoutes(service: service, bodyLimit: bodyLimit)
        router.add(.get, "/api/goals", .requireScope(.notesRead), goals.list)
        router.add(.post, "/api/goals", .requireScope(.notesWrite), goals.add)
        router.add(.get, "/api/goals/today", .requireScope(.notesRead), goals.today)
        router.add(.get, "/api/goals/:id", .requireScope(.notesRead), goals.one)
        router.add(.patch, "/api/goals/:id", .requireScope(.notesWrite), goals.change)
        router.add(.delete, "/api/goals/:id", .requireScope(.notesWrite), goals.delete)
        router.add(.get, "/api/goals/:id/progress", .requireScope(.notesRead), goals.progress)
        router.add(.put, "/api/goals/:id/skips/:day", .requireScope(.notesWrite), takesFields: false, goals.skip)
        router.add(.delete, "/api/goals/:id/skips/:day", .requireScope(.notesWrite), goals.unskip)
        addTalk(to: router)
        let actions = ActionRoutes(service: service, proposals: proposals, bodyLimit: bodyLimit)
        router.add(.get, "/api/actions", .requireScope(.notesRead), actions.list)
        router.add(.post, "/api/actions", .requireScope(.notesWrite), actions.add)
        router.add(.post, "/api/actions/parse", .requireScope(.notesWrite), actions.parse)
        router.add(.get, "/api/actions/:id", .requireScope(.notesRead), actions.one)
        router.add(.patch, "/api/actions/:id", .requireScope(.notesWrite), actions.change)
        router.add(.delete, "/api/actions/:id", .requireScope(.notesWrite), actions.delete)
        let values = ValueRoutes(service: service, bodyLimit: bodyLimit)
        router.add(.get, "/api/values", .requireScope(.notesRead), values.list)
        router.add(.post, "/api/values", .requireScope(.notesWrite), values.add)
        router.add(.get, "/api/values/:id", .requireScope(.notesRead), values.one)
        router.add(.patch, "/api/values/:id", .requireScope(.notesWrite), values.change)
        router.add(.delete, "/api/values/:id", .requireScope(.notesWrite), values.delete)
        let terms = TermRoutes(service: service, bodyLimit: bodyLimit)
        router.add(.get, "/api/terms", .requireScope(.notesRead), terms.list)
        router.add(.post, "/api/terms", .requireScope(.notesWrite), terms.add)
        router.add(.get, "/api/terms/:id", .requireScope(.notesRead), terms.one)
        router.add(.patch, "/api/terms/:id", .requireScope(.notesWrite), terms.change)
        router.add(.delete, "/api/terms/:id", .requireScope(.notesWrite), terms.delete)
        let measures = MeasureRoutes(service: service, bodyLimit: bodyLimit)
        router.add(.get, "/api/measures", .requireScope(.notesRead), measures.list)
        router.add(.post, "/api/measures", .requireScope(.notesWrite), measures.add)
        router.add(.get, "/api/measures/:id", .requireScope(.notesRead), measures.one)
        router.add(.patch, "/api/measures/:id", .requireScope(.notesWrite), measures.change)
        router.add(.delete, "/api/measures/:id", .requireScope(.notesWrite), measures.delete)
    }

    private func addTalk(to router: GatewayRouter) {
        let talk = GoalTalkRoutes(service: service, proposals: proposals, bodyLimit: bodyLimit)
        router.add(.get, "/api/goals/proposals", .requireScope(.notesRead), talk.proposals)
        router.add(.get, "/api/goals/proposals/:id", .requireScope(.notesRead), talk.proposal)
        router.add(
            .post, "/api/goals/proposals/:id/confirm", .requireScope(.notesWrite), takesFields: false, talk.confirm)
        router.add(.delete, "/api/goals/proposals/:id", .requireScope(.notesWrite), talk.reject)
        router.add(.get, "/api/goals/questions", .requireScope(.notesRead), talk.questions)
        router.add(.post, "/api/goals/decisions", .requireScope(.notesWrite), talk.decide)
        let history = GoalHistoryRoutes(service: service, reviews: reviews, bodyLimit: bodyLimit)
        router.add(.get, "/api/goals/history", .requireScope(.notesRead), history.history)
        router.add(.post, "/api/goals/undo", .requireScope(.notesWrite), history.undo)
        router.add(.post, "/api/goals/reviews", .requireScope(.notesWrite), history.review)
        router.add(.post, "/api/goals/rebuild", .requireScope(.notesWrite), takesFields: false, history.rebuild)
        router.add(.get, "/api/goals/export", .requireScope(.notesRead), history.export)
        router.add(.post, "/api/goals/import", .requireScope(.notesWrite), history.importAll)
    }
}
