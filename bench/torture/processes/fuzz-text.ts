// Makes hostile texts, each from a seed, and calls the functions that read texts: `fuzz-text.ts <seed> <end, ms>`.
// Markdown, Word and PDF files are not among them: their parsers are not ours, and a file is read in a process of its own
// that is killed at a time limit (`src/library/ingestion/read-file.ts`).
import { setImmediate } from 'node:timers/promises'
import { mergeReply, resolvesNothing } from '../../../src/agents/clarification-reply.ts'
import { jsonIn } from '../../../src/agents/loop/json-in-text.ts'
import { afterReasoning } from '../../../src/agents/loop/stream-reply.ts'
import { searchesIn } from '../../../src/agents/loop/toolless.ts'
import { addressesIn, answerIn, harmless } from '../../../src/answers/draft/clean-draft.ts'
import { parseDraft } from '../../../src/answers/draft/parse-draft.ts'
import { citationFilter } from '../../../src/answers/draft/stream-filter.ts'
import { judgementIn } from '../../../src/answers/judge/reading.ts'
import { judgeDraft } from '../../../src/answers/verified-answer.ts'
import { plainText } from '../../../src/cli/output/plain-text.ts'
import { fencedText } from '../../../src/fenced.ts'
import { numbersIn } from '../../../src/library/arithmetic/numbers.ts'
import { webText } from '../../../src/library/ingestion/web-page.ts'
import { sentences } from '../../../src/library/language/sentences.ts'
import { queryTerms, stems, tokens } from '../../../src/library/language/terms.ts'
import { splitPassages } from '../../../src/library/passages/split.ts'
import { findQuote } from '../../../src/library/quote.ts'
import { authorNames } from '../../../src/library/readers/common/author-names.ts'
import { cleanLine, cleanLines } from '../../../src/library/readers/common/clean-text.ts'
import { readHtmlText } from '../../../src/library/readers/html/html.ts'
import { readText } from '../../../src/library/readers/text.ts'
import { answerByRule } from '../../../src/offline/answers/answer-by-rule.ts'
import { readDocumentQuestion } from '../../../src/offline/documents/document-question.ts'
import { standaloneQuestion } from '../../../src/offline/follow-up/standalone-question.ts'
import { namesIn } from '../../../src/offline/language/names.ts'
import { partsOver } from '../../../src/offline/parts/parts.ts'
import { readQuestion } from '../../../src/offline/ranking/question.ts'
import { rankSentences } from '../../../src/offline/ranking/rank-sentences.ts'
import { rowAt } from '../../../src/offline/ranking/table.ts'
import { redactor, shapeBegins } from '../../../src/redact.ts'
import { openSqliteStorage } from '../../../src/storage/sqlite/sqlite-storage.ts'
import { evidenceOf, observation } from '../../../tests/unit/agents/observation.ts'

// Makes hostile texts, each from a seed, and calls the functions that read texts: `fuzz-text.ts <seed> <end, ms>`.

const longestText = 50_000
/** What a question, a passage and a claim are cut to before they are read (`check-options`, `split`, `draft-limits`). */
const [ofQuestion, ofPassage, ofClaim, ofQuote] = [20_000, 3000, 4000, 2000]

const options = { passwords: [], limits: { pages: 1000, characters: 10_000_000 } }
const redact = redactor([])
const bytes = (text: string) => new TextEncoder().encode(text)
const passages = (text: string) => evidenceOf(observation({ text: text.slice(0, ofPassage) || 'x' }))
const history = (text: string) => [
  { role: 'user' as const, text: text.slice(0, ofQuestion) },
  { role: 'assistant' as const, text, question: text.slice(0, ofQuestion), cited: ['The Marble corpus'] },
]

const readings: Readonly<Record<string, (text: string) => unknown>> = {
  parseDraft,
  answerIn,
  addressesIn,
  harmless: (text) => harmless(text.slice(0, ofClaim), () => false),
  citationFilter: (text) => citationFilter().push(text),
  judgeDraft: (text) => verify(text, text),
  'judgeDraft, quoting': (text) =>
    verify(`${text.slice(0, ofClaim)}<cite id="P1">${text.slice(0, ofQuote)}</cite>`, text),
  judgementIn: (text) => judgementIn(text, 40),
  resolvesNothing,
  mergeReply: (text) => mergeReply(text.slice(0, ofQuestion), text.slice(0, ofQuestion), ['One (A, 2020)', 'Two']),
  jsonIn,
  searchesIn,
  afterReasoning,
  plainText,
  redact,
  shapeBegins,
  fencedText,
  sentences,
  splitPassages: (text) =>
    splitPassages('d', {
      format: 'text',
      title: null,
      authors: null,
      year: null,
      pages: [{ number: 1, label: null, text, header: null }],
      blocks: [{ page: 1, start: 0, end: text.length, kind: 'text', section: [] }],
    }),
  webText,
  cleanLine,
  cleanLines,
  authorNames,
  readText: (text) => readText(bytes(text), options),
  readHtmlText: (text) => readHtmlText(text, options),
  tokens,
  stems,
  queryTerms,
  findQuote: (text) => findQuote(text.slice(0, ofQuote), text),
  numbersIn: (text) => numbersIn(text.slice(0, ofClaim)),
  rowAt: (text) => rowAt(text.slice(0, ofPassage), 0, { start: 0, tables: [] }),
  readQuestion: (text) => readQuestion(text.slice(0, ofQuestion)),
  rankSentences: (text) =>
    rankSentences(
      readQuestion(text.slice(0, 300)),
      passages(text).map(({ passage }) => passage),
    ),
  namesIn: (text) => namesIn(text.slice(0, ofQuestion)),
  readDocumentQuestion: (text) => readDocumentQuestion(text.slice(0, ofQuestion)),
  standaloneQuestion: (text) => standaloneQuestion(text.slice(0, 300), history(text)),
  answerByRule: (text) => answerByRule(taskOf(text), partsOf(text)),
}

const storage = await openSqliteStorage({ path: ':memory:' })

/** The question begins as people ask, so that each rule is tried. */
function taskOf(text: string) {
  const begins = ['', 'How many ', 'What is ', 'Who wrote ', 'Compare ', 'How do I '][text.length % 6] ?? ''
  return {
    agent: 'synthesis',
    question: `${begins}${text.slice(0, 300)}`,
    evidence: passages(text).map(({ passage }) => passage),
  } as const
}

/** A library of two documents that share the text. */
function partsOf(text: string) {
  const documents = ['halden', 'marble'].map((documentId) => ({
    documentId,
    title: text.slice(0, 200),
    authors: [text.slice(0, 80)],
    year: 2021,
    source: `papers/${documentId}.pdf`,
  }))
  const stated = <T>(value: T) => [{ value, from: 'heading' }]
  const facts = {
    title: stated(text.slice(0, 200)),
    authors: stated([text.slice(0, 80)]),
    year: stated(2021),
    pages: 1,
    firstPage: text.slice(0, ofPassage),
  }
  return {
    ...partsOver(storage.library, { documentGap: 0.1 }),
    documents: async () => documents,
    facts: async () => facts,
  }
}

function verify(draft: string, text: string) {
  return judgeDraft({
    draft,
    judge: null,
    question: text.slice(0, 300),
    evidence: passages(text),
    pageTextOf: async () => text.slice(0, ofPassage),
    hasTime: yielded,
  })
}

let longestSlice = 0
let sliceBegan = process.cpuUsage()

/** Work that yields between its steps is measured by its longest step. */
async function yielded(): Promise<boolean> {
  const { user, system } = process.cpuUsage(sliceBegan)
  longestSlice = Math.max(longestSlice, (user + system) / 1000)
  await setImmediate()
  sliceBegan = process.cpuUsage()
  return true
}

/** Pieces that expressions begin with, go on with, or fail at. */
const pieces =
  `tions s les p tab fig page table section appendix A a x I II IV é ª 漢 の 字 ไทย ſ 0 1 9 12 1,000 3.5 1. , . ; : ! ? …
  - – — _ ( ) [ ] { } < > </ <a <b> <cite id="P1"> </cite> <think> </think> <abstain/> \`\`\` \` * ** # | |-| --- " ' ’ “ ” = & && %
  [1] [1, ( 1( ]( http:// https://a.b/ www. @ /// \\ \\" \\\\ key= token: api_key= Bearer sk- "a": Mr. Dr. e.g. et al. no not
  n't and or of the The who when what is are which compare versus between per cent % million 2020 2021 1 January May 5
  \u00ad \u200b \u2028 \u001b[ \u001b] \u0301 😀 \ud83d`
    .split(/\s+/)
    .concat([
      ' ',
      '  ',
      '\n',
      '\n\n',
      '\t',
      '\r\n',
      ' and ',
      ', ',
      '. ',
      '? ',
      ' the ',
      '\n- ',
      '\n# ',
      '\n| a | b |\n|---|---|\n',
    ])

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Some pieces, a few of them pumped, up to the longest text. */
function hostileText(random: () => number): string {
  const pick = () => pieces[Math.floor(random() * pieces.length)] ?? ''
  const some = (most: number) => Array.from({ length: 1 + Math.floor(random() * most) }, pick).join('')
  const parts: string[] = []
  let left = longestText
  for (let part = Math.ceil(random() * 4); part > 0; part -= 1) {
    const pumped = some(4) || 'a'
    const times = Math.floor((random() < 0.5 ? left : Math.min(left, 3000)) / pumped.length)
    parts.push(some(3), random() < 0.15 ? some(Math.min(times, 4000)) : pumped.repeat(times), some(2))
    left = longestText - parts.join('').length
    if (left < 100) break
  }
  return parts.join('').slice(0, longestText)
}

const [from = 1, end = 0] = process.argv.slice(2).map(Number)
for (let seed = from; Date.now() < end; seed += 1) {
  const text = hostileText(randomFrom(seed))
  const shown = `seed ${seed}: ${JSON.stringify(text.slice(0, 120))} (${text.length})`
  for (const [name, read] of Object.entries(readings)) {
    process.send?.({ seed, name, ms: -1, text: shown })
    // The message is on its way before what may not end begins.
    await setImmediate()
    longestSlice = 0
    sliceBegan = process.cpuUsage()
    await read(text)
    await yielded()
    process.send?.({ seed, name, ms: longestSlice, text: shown })
  }
}
process.disconnect?.()
