package import GatewayAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension NoteFields {
    /// A stored note under the names of the API.
    package init(_ note: Note) {
        self.init(
            id: note.id, title: note.title, content: note.content, createdAt: note.createdAt,
            noteType: note.noteType, actionability: note.actionability, primaryTheme: note.primaryTheme,
            concepts: note.concepts, tags: note.tags,
            threads: note.threads.map { ThreadReference(id: $0.id, name: $0.name) })
        conceptConfidence = note.conceptConfidence.flatMap {
            (try? JSONDocument(parsing: Array($0.utf8)))?.value
        }
        secondaryThemes = note.secondaryThemes.isEmpty ? nil : note.secondaryThemes
        overallSentiment = note.overallSentiment
        sentimentScore = note.sentimentScore
        emotionalTone = note.emotionalTone
        energyLevel = note.energyLevel
    }
}
