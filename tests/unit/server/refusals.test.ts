import { describe, expect, it } from 'vitest'
import { NoDocuments, RunNotFound, ThreadNotFound } from '../../../src/errors.ts'
import { problemOf } from '../../../src/server/access/refusals.ts'

const said = (error: Error) => problemOf(error).message

describe('an error of the engine that a server tells its users', () => {
  it.each([
    [new RunNotFound('There is no run "r1". "quaero runs list" lists those that exist.'), 'There is no run "r1".'],
    [
      new NoDocuments(
        'The library is empty. Add documents with "quaero add <path>" or -d <path>, or set TAVILY_API_KEY.',
      ),
      'The library is empty.',
    ],
    [new NoDocuments('They are gone. Name others with -d <path>, or ask in a new thread.'), 'They are gone.'],
    [
      new ThreadNotFound('There is no thread "Mr. Ed". Ask in a new one.'),
      'There is no thread "Mr. Ed". Ask in a new one.',
    ],
    [new RunNotFound('See "quaero runs list" for /var/lib/quaero/r1.'), 'See "quaero runs list" for r1.'],
  ])('names no commands and folders: %s', (error, message) => {
    expect(said(error)).toBe(message)
  })
})
