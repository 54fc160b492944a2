import Access
import Database
import GatewayAPI
import GoalRoom
import Goals
import HTTPTypes
import Hummingbird
import Server

/// Proposals, and the questions that only a person can answer.
struct GoalTalkRoutes: Sendable {
    let service: GoalService
    let proposals: GoalProposals
    let bodyLimit: Int

    /// `GET /api/goals/proposals`
    func proposals(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let state = try request.word("state", of: ["open", "confirmed", "rejected", "expired"])
        let page = try await proposals.page(state: state, after: request.cursor(), limit: request.pageLimit())
        return JSONReply.response(GoalProposalList(proposals: page.items, nextCursor: page.next?.text))
    }

    /// `GET /api/goals/proposals/:id`
    func proposal(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await proposals.find(context.uuid()))
    }

    /// `POST /api/goals/proposals/:id/confirm`
    func confirm(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await proposals.confirm(context.uuid(), actor: context.identity.name))
    }

    /// `DELETE /api/goals/proposals/:id`
    func reject(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        JSONReply.response(try await proposals.reject(context.uuid()))
    }

    /// `GET /api/goals/questions`
    func questions(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let (goal, cursor, limit) = (try request.uuid("goal"), try request.cursor(), try request.pageLimit())
        let (page, matching) = try await context.scan {
            let matching = try await service.matching()
            return (try await service.questions(goal: goal, after: cursor, limit: limit), matching)
        }
        return JSONReply.response(
            GoalQuestionList(questions: page.items, nextCursor: page.next?.text, matching: matching))
    }

    /// `POST /api/goals/decisions`
    func decide(_ request: Request, _ context: GatewayRequestContext) async throws -> Response {
        let decision = try await JSONRequest.decode(GoalDecision.self, from: request, limit: bodyLimit, in: context)
        guard EntityID(decision.action) != nil else { throw GatewayError.field("action", "expected a UUID") }
        guard EntityID(decision.goal) != nil else { throw GatewayError.field("goal", "expected a UUID") }
        return JSONReply.response(try await service.decide(decision, context.writer()))
    }
}
