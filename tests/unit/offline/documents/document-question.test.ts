import { describe, expect, it } from 'vitest'
import { meansSeveral, readDocumentQuestion, withoutKind } from '../../../../src/offline/documents/document-question.ts'

describe('a question about a document', () => {
  it.each([
    ['Who wrote the Kestrel paper?', 'authors', 'the Kestrel paper'],
    ['authors of Attention is all you need', 'authors', 'Attention is all you need'],
    ['Could you tell me who the authors are?', null, ''],
    ['Who are the authors?', 'authors', ''],
    ["Who are Kestrel's authors?", 'authors', 'Kestrel'],
    ['And its authors?', 'authors', 'its'],
    ['By whom was the report written?', 'authors', 'the report'],
    ['When was Kestrel published?', 'year', 'Kestrel'],
    ['In what year was the report issued?', 'year', 'the report'],
    ['What is Kestrel about?', 'topic', 'Kestrel'],
    ['Please summarize the paper.', 'topic', 'the paper'],
    ['Could you summarise the moss report for me?', 'topic', 'the moss report'],
    ['Give me a short summary of Kestrel', 'topic', 'Kestrel'],
    ['What are these documents about?', 'topic', 'these documents'],
    ['What documents do I have?', 'inventory', 'documents'],
    ["What's in my library?", 'inventory', 'my library'],
    ['How many documents do I have?', 'inventory', 'documents'],
    ['List all my papers', 'inventory', 'papers'],
    ['Give me the titles of the documents', 'inventory', 'documents'],
    ['What are the documents?', 'inventory', 'documents'],
    ['What does Kestrel propose?', 'topic', 'Kestrel'],
    ['What is the main contribution of the paper?', 'topic', 'the paper'],
  ])('is read: %s', (question, aspect, object) => {
    expect(readDocumentQuestion(question)).toEqual(aspect && { aspect, object, topic: null })
  })

  it.each([
    'How many pages does the paper have?',
    'What does the paper conclude?',
    'What is the title of the report by Dahl?',
    'How many pages does the Marble corpus hold?',
    'How long is the warranty?',
    'How long is the contract?',
    'What is the purpose of the filter?',
    'What are the results of the Halden filter?',
    'What does the Halden filter do?',
    'What does Kestrel find about memory?',
    'When was the Halden filter released?',
    'What is the name of the landlord?',
    'What is Kestrel?',
    'What does the policy say about laptops?',
    'How many papers are in the corpus?',
    'How many documents were submitted?',
    'Which documents must be kept?',
    'What is the latest departure?',
    'Which method is the newest?',
  ])('is not one about what stands in documents: %s', (question) => {
    expect(readDocumentQuestion(question)).toBeNull()
  })

  it('carries what the conversation is about', () => {
    expect(readDocumentQuestion('Who wrote the paper (Kestrel)?')).toEqual({
      aspect: 'authors',
      object: 'the paper',
      topic: 'Kestrel',
    })
  })
})

describe('the words for a document', () => {
  it.each([
    ['the paper', ''],
    ['this', ''],
    ['the Kestrel paper', 'Kestrel'],
    ['the report by Dahl', 'Dahl'],
  ])('say which one apart from its kind: %s', (object, rest) => {
    expect(withoutKind(object)).toBe(rest)
  })

  it.each([
    ['these documents', true],
    ['my library', true],
    ['the studies', true],
    ['the study', false],
    ['this', false],
  ])('tell one from several: %s', (object, several) => {
    expect(meansSeveral(object)).toBe(several)
  })
})
