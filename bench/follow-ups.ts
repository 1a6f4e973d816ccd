// Puts the questions that a follow-up leans on before it, over written conversations: is it seen that it leans on others, are
// the words there that it takes from them, and is a question that needs no conversation left as it is?
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mergeReply } from '../src/agents/clarification-reply.ts'
import { contentStems } from '../src/library/language/terms.ts'
import type { HistoryMessage } from '../src/models/port/model.ts'
import { standaloneQuestion } from '../src/offline/follow-up/standalone-question.ts'

const SETS = { development: 'development.jsonl', 'held out': 'held-out.jsonl', 'second held out': 'held-out-2.jsonl' }
const FOLDER = join(import.meta.dirname, '..', 'tests', 'fixtures', 'follow-ups')

/** One line of the fixtures. */
interface Exchange {
  /** What was asked and answered before, oldest first, with the titles that each answer cites. */
  readonly before: readonly (readonly [question: string, answer: string, cited?: readonly string[]])[]
  readonly ask: string
  /** The question as it stands alone. */
  readonly expect?: string
  /** The question needs no conversation, and must stay as it is. */
  readonly alone?: true
}

export async function run(args: readonly string[]): Promise<void> {
  for (const [name, file] of Object.entries(SETS)) report(name, readExchanges(file), args.includes('--all'))
}

function readExchanges(file: string): readonly Exchange[] {
  const lines = readFileSync(join(FOLDER, file), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Exchange)
}

function report(name: string, exchanges: readonly Exchange[], showAll: boolean): void {
  const judged = exchanges.map((exchange) => {
    const { question } = standaloneQuestion(exchange.ask, historyOf(exchange))
    return { exchange, question, right: exchange.alone ? question === exchange.ask : isRight(exchange, question) }
  })
  // Held-out questions are counted, not read, so that no rule is written for them.
  const shown = judged.filter(({ right }) => showAll || (name === 'development' && !right))
  for (const { exchange, question, right } of shown) {
    const wanted = exchange.alone ? 'unchanged' : exchange.expect
    console.log(`${right ? 'right' : 'WRONG'}: ${exchange.ask}\n  said:   ${question}\n  wanted: ${wanted}`)
  }
  const followUps = judged.filter(({ exchange }) => !exchange.alone)
  const alone = judged.filter(({ exchange }) => exchange.alone)
  const seen = followUps.filter(({ exchange, question }) => question !== exchange.ask).length
  console.log(
    `${name}: ${seen} of ${followUps.length} seen, ${shareRight(followUps)} with all words, ${shareRight(alone)} left alone that stand alone`,
  )
}

function shareRight(judged: readonly { readonly right: boolean }[]): string {
  const right = judged.filter((each) => each.right).length
  return `${right} of ${judged.length} (${(right / judged.length).toFixed(3)})`
}

/** The conversation as a run stores it: each answer with its question as it stood alone, each question back with its choices. */
function historyOf({ before }: Exchange): readonly HistoryMessage[] {
  const history: HistoryMessage[] = []
  let open: { readonly question: string; readonly candidates: readonly string[] } | null = null
  for (const [said, text, cited] of before) {
    const question: string = open
      ? mergeReply(open.question, said, open.candidates)
      : standaloneQuestion(said, history).question
    const candidates = Array.from(text.matchAll(/“([^“”]+)”/g), ([, title = '']) => title)
    open = text.endsWith('?') ? { question, candidates } : null
    history.push(
      { role: 'user', text: said },
      { role: 'assistant', text, question, ...(cited && { cited }), ...(open && { candidates }) },
    )
  }
  return history
}

/** It is asked with others, and so has the words that it takes from them. */
function isRight({ expect = '', ask }: Exchange, question: string): boolean {
  const said = new Set(contentStems(question))
  return question !== ask && contentStems(expect).every((word) => said.has(word))
}
