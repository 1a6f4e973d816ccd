import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** A question over the sample papers, and what the scripted model knows of it. */
export interface CostQuestion {
  readonly kind: 'simple' | 'unanswerable' | 'conversation' | 'hard'
  readonly question: string
  /** Asked before it in the same thread, with words of its answer. */
  readonly after?: { readonly question: string; readonly answers: readonly string[] }
  /** As the orchestrator's model rewrites it. */
  readonly standalone?: string
  /** What research's model searches for; else the question itself. */
  readonly queries?: readonly string[]
  /** One of these words is in a right answer; empty if there is none. `/…/` is an expression. */
  readonly answers: readonly string[]
}

const line = z.object({
  question: z.string(),
  expect: z.object({ answers: z.array(z.string()).default([]), abstain: z.boolean().default(false) }),
})

/** All questions: those of `examples/questions.jsonl`, follow-ups, and some in words that the papers do not use. */
export function costQuestions(): readonly CostQuestion[] {
  const file = join(import.meta.dirname, '..', '..', 'examples', 'questions.jsonl')
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const simple = lines.map((each): CostQuestion => {
    const { question, expect } = line.parse(JSON.parse(each))
    return { kind: expect.abstain ? 'unanswerable' : 'simple', question, answers: expect.answers }
  })
  return [...simple, ...followUps, ...hard]
}

const stock = { question: 'How many bytes did 200 turns cost in the stock arm?', answers: ['109,036,858'] }
const lease = { question: 'To whom is the idea of a lease due?', answers: ['Gray and Cheriton'] }
const backup = { question: 'At what time should the nightly backup be made?', answers: ['02:30'] }
const vacuum = { question: 'How large was the file after VACUUM with the default setting?', answers: ['921,600'] }

function followUp(after: CostQuestion['after'] & object, question: string, standalone: string, answer: string) {
  return { kind: 'conversation', after, question, standalone, answers: [answer] } as const
}

const followUps: readonly CostQuestion[] = [
  followUp(stock, 'And in the window arm?', 'How many bytes did 200 turns cost in the window arm?', '7,935,116'),
  followUp(
    stock,
    'How many messages does the other one with a window keep?',
    'How many messages does the window arm keep in the state?',
    '12',
  ),
  followUp(lease, 'When did they describe it?', 'When did Gray and Cheriton describe leases?', '1989'),
  followUp(
    lease,
    'What is its danger?',
    'What is the danger of a lease?',
    'slow holder may go on working after its lease has ended',
  ),
  followUp(backup, 'How many of them are kept?', 'How many backups are kept at most?', 'seventeen'),
  followUp(
    vacuum,
    'And with INCREMENTAL?',
    'How large was the file after VACUUM with the setting INCREMENTAL?',
    '925,696',
  ),
]

const hard: readonly CostQuestion[] = [
  {
    kind: 'hard',
    question: 'Which formatting decision wrecks nearly every lookup typed by a human?',
    queries: ['raw form query syntax error claims questions'],
    answers: ['syntax error'],
  },
  {
    kind: 'hard',
    question: 'How much disk did erasing most rows give back unless a special command ran?',
    queries: ['deleting four fifths of the events default setting gave back nothing VACUUM'],
    answers: ['gave back nothing'],
  },
  {
    kind: 'hard',
    question: 'What stops a late participant from overwriting newer data?',
    queries: ['fencing token refuse late write former holder'],
    answers: ['refuse a late write'],
  },
  {
    kind: 'hard',
    question: 'What fraction of promised entries vanished when replies preceded saving?',
    queries: ['writer that answered early lost of its answered events less than half a percent'],
    answers: ['less than half a percent'],
  },
  {
    kind: 'hard',
    question: 'Why is duplicating just the primary database insufficient?',
    queries: ['copy of the main file alone lacks the newest transactions'],
    answers: ['lacks the newest transactions'],
  },
  {
    kind: 'hard',
    question: 'What lets the receiving side notice the same submission twice?',
    queries: ['idempotency key identifier same request arrives twice'],
    answers: ['recognises the identifier', 'An identifier chosen by the sender'],
  },
]
