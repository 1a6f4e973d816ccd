/** @module-tag slow */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyDraft } from '../../../src/answers/verification/verify-draft.ts'
import type { Evidence } from '../../../src/events/index.ts'
import { numbersIn } from '../../../src/library/language/numbers.ts'
import { sentences } from '../../../src/library/language/sentences.ts'
import { findQuote } from '../../../src/library/quote.ts'
import { openPapers, type Papers } from '../../fixtures/sample-papers.ts'
import { cited } from '../../fixtures/workflow.ts'
import { evidenceOf, observation } from '../agents/observation.ts'

// Every sentence of the sample papers, and of the papers in the development data where there are some.
const developmentPapers = join(process.env.QUAERO_DEV_DATA ?? '', 'pdf')
const folders = [
  undefined,
  ...(process.env.QUAERO_DEV_DATA && existsSync(developmentPapers) ? [developmentPapers] : []),
]
// So many cases of each kind, from this seed on; `QUAERO_TEST_CASES` and `QUAERO_TEST_SEED` ask for more, and for others.
const runs = Number(process.env.QUAERO_TEST_CASES ?? 40)
const firstSeed = Number(process.env.QUAERO_TEST_SEED ?? 7)

interface Statement {
  readonly page: string
  readonly text: string
  readonly start: number
  readonly evidence: readonly Evidence[]
}

let opened: Papers[] = []
let statements: Statement[] = []
let withNumbers: Statement[] = []

beforeAll(async () => {
  opened = await Promise.all(folders.map((folder) => openPapers(folder)))
  statements = opened.flatMap(({ pages }) => pages).flatMap(statementsOf)
  withNumbers = statements.filter(({ text }) => /(?<![\p{L}\d.,-])\d{2,}(?![\d.,-]|\p{L})/u.test(text) && isPlain(text))
})
afterAll(() => Promise.all(opened.map((papers) => papers.close())))

/** Whole sentences of running text, each in a passage with its neighbours. */
function statementsOf({ documentId, page, text }: Papers['pages'][number]): readonly Statement[] {
  const spans = sentences(text)
  return spans.flatMap(({ start, end }, at) => {
    const sentence = text.slice(start, end)
    if (!/^\p{Lu}.*\.$/u.test(sentence) || !/^(?:\S+ ){5,39}\S+$/.test(sentence) || /[<>[\]|*_`]/.test(sentence))
      return []
    const from = spans[at - 1]?.start ?? start
    const to = spans[at + 1]?.end ?? end
    const passage = observation({
      documentId,
      page,
      text: text.slice(from, to),
      start: from,
      section: null,
      title: null,
    })
    return [{ page: text, text: sentence, start, evidence: evidenceOf(passage) }]
  })
}

/** Its digits are numbers, not names, references or dates. */
function isPlain(text: string): boolean {
  return !/\b(?:tables?|figures?|fig|sections?|et al|pp?|notes?|steps?)\b/i.test(text)
}

const verify = ({ evidence, page }: Statement, draft: string, pageText = page) =>
  verifyDraft({ draft, question: '', evidence, pageTextOf: async () => pageText })

/** Alters some sentence in each run; an alteration that says what the page says too is none. */
async function everyRun(
  of: () => readonly Statement[],
  check: (statement: Statement, seed: number) => Promise<'checked' | 'skipped'>,
): Promise<void> {
  let checked = 0
  const numbers = fc.tuple(fc.nat(), fc.nat())
  const all = of()
  const places = fc
    .sample(numbers, { numRuns: 6 * runs, seed: firstSeed })
    .map(([at, seed]) => [at % all.length, seed] as const)
  // Statements of one page in a row: its text is read once.
  const step = Math.max(1, Math.floor(places.length / runs / 2))
  const inOrder = [...places].sort(([a], [b]) => (a % step) - (b % step) || a - b)
  for (const [at, seed] of inOrder) {
    const statement = all[at]
    if (statement && (await check(statement, seed)) === 'checked') checked += 1
    if (checked === runs) return
  }
  throw new Error(`Only ${checked} cases could be made.`)
}

/** Another sentence with the same quote, or the same sentence with another quote, must not get through. */
async function isCaught(statement: Statement, sentence: string, quote: string): Promise<'checked' | 'skipped'> {
  const { text, citations, dropped } = await verify(statement, cited(sentence, 'P1', quote))
  expect({ sentence, quote, text, citations }).toEqual({ sentence, quote, text: '', citations: [] })
  expect(dropped).toHaveLength(1)
  return 'checked'
}

/** Whatever quote is given for a sentence, only words of its page are shown. */
async function pageIsShown(statement: Statement, quote: string): Promise<'checked' | 'skipped'> {
  // What is left out behind the end is no alteration.
  if (statement.page.replace(/\s+/g, ' ').includes(quote.replace(/[\s.,;:]+$/, ''))) return 'skipped'
  const { citations } = await verify(statement, cited(statement.text, 'P1', quote))
  for (const each of citations) {
    expect(each.quote).toBe(statement.page.slice(each.start, each.end))
    expect(each.quote).not.toBe(quote)
  }
  return 'checked'
}

const pick = <T>(list: readonly T[], seed: number): T | undefined => list[seed % list.length]
const wordsOf = (text: string) => text.split(' ')
const withWord = (text: string, seed: number, change: (word: string) => readonly string[]) => {
  const words = wordsOf(text)
  // Neither the first word nor the last, which a writer may cut off.
  const at = 1 + (seed % (words.length - 2))
  return [...words.slice(0, at), ...change(words[at] ?? ''), ...words.slice(at + 1)].join(' ')
}

describe('a sentence whose number was altered', () => {
  const numberIn = (text: string, seed: number) =>
    pick(
      numbersIn(text).filter(({ written, unit }) => /^\d{2,}$/.test(written) && unit === null),
      seed,
    )
  const replaceNumber = (text: string, seed: number, by: (digits: string) => string) => {
    const number = numberIn(text, seed)
    return number ? text.slice(0, number.start) + by(number.written) + text.slice(number.end) : text
  }
  const states = (text: string, value: number) =>
    numbersIn(text).some((number) => Math.abs(number.value) === value || number.also.includes(value))

  it('is caught with another digit', { tags: ['Q2', 'S3'] }, () =>
    everyRun(
      () => withNumbers,
      async (statement, seed) => {
        const altered = replaceNumber(statement.text, seed, (digits) => {
          const at = seed % digits.length
          return digits.slice(0, at) + ((Number(digits[at]) + 1 + (seed % 8)) % 10 || 9) + digits.slice(at + 1)
        })
        const now = numbersIn(altered).filter(({ value }) => !states(statement.text, Math.abs(value)))
        return now.length > 0 ? isCaught(statement, altered, statement.text) : 'skipped'
      },
    ),
  )

  it('is caught with another number of its page', { tags: ['Q2', 'S3'] }, () =>
    everyRun(
      () => withNumbers,
      async (statement, seed) => {
        const others = numbersIn(statement.page).filter(({ written }) => /^\d+$/.test(written))
        const other = pick(
          others.filter(({ value }) => !states(statement.text, value)),
          seed,
        )
        if (!other) return 'skipped'
        const altered = replaceNumber(statement.text, seed, () => other.written)
        return numbersIn(altered).some(({ value }) => value === other.value)
          ? isCaught(statement, altered, statement.text)
          : 'skipped'
      },
    ),
  )

  it('is caught with another unit or scale', { tags: ['Q2', 'S3'] }, () =>
    everyRun(
      () => withNumbers,
      async (statement, seed) => {
        const [right, wrong] = pick(
          [
            ['million', 'billion'],
            ['thousand', 'million'],
            ['%', 'percentage points'],
            ['ms', 's'],
            ['MB', 'GB'],
            ['days', 'weeks'],
            ['seconds', 'minutes'],
          ] as const,
          seed,
        ) ?? ['', '']
        const { end, value } = numberIn(statement.text, seed) ?? {}
        const same = numbersIn(statement.text).filter((each) => each.value === value)
        if (end === undefined || same.length > 1) return 'skipped'
        const next = /^\s?\S+/.exec(statement.text.slice(end))?.[0] ?? ''
        if (!/^\s\p{Ll}/u.test(next) || /^\s(?:to|and|or|times|ms|million|thousand|hundred|billion)\b/.test(next))
          return 'skipped'
        const written = (unit: string) => `${statement.text.slice(0, end)} ${unit}${statement.text.slice(end)}`
        const page = statement.page.replace(statement.text, () => written(right))
        const set = {
          ...statement,
          page,
          evidence: evidenceOf(observation({ text: written(right), start: statement.start })),
        }
        expect((await verify(set, cited(written(right), 'P1', written(right)))).dropped).toEqual([])
        return isCaught(set, written(wrong), written(right))
      },
    ),
  )

  it('is shown with a quote that states its number, though the writer’s leaves it out', { tags: ['Q2'] }, () =>
    everyRun(
      () => withNumbers,
      async (statement, seed) => {
        const { start = 0, written: number = '' } = numberIn(statement.text, seed) ?? {}
        const quote = statement.text.slice(0, start).trim()
        if (wordsOf(quote).length < 3 || states(quote, Number(number)) || !findQuote(quote, statement.page))
          return 'skipped'
        const { citations } = await verify(statement, cited(statement.text, 'P1', quote))
        expect(citations.length === 0 || citations.some((each) => states(each.quote, Number(number)))).toBe(true)
        return 'checked'
      },
    ),
  )
})

describe('a quote that was altered', () => {
  const kinds: Readonly<Record<string, (text: string, seed: number) => string>> = {
    'a word replaced': (text, seed) =>
      withWord(text, seed, () => [pick(['violet', 'marginal', 'Utrecht', 'seldom'], seed) ?? '']),
    'a word inserted': (text, seed) =>
      withWord(text, seed, (word) => [word, pick(['often', 'new', 'two', 'clearly'], seed) ?? '']),
    'a word left out': (text, seed) => withWord(text, seed, () => []),
    'a negation': (text, seed) => withWord(text, seed, (word) => [word, pick(['not', 'never', 'hardly'], seed) ?? '']),
    'words in another order': (text, seed) => {
      const words = wordsOf(text)
      const at = 1 + (seed % (words.length - 3))
      return [...words.slice(0, at), words[at + 1], words[at], ...words.slice(at + 2)].join(' ')
    },
    'another case': (text, seed) =>
      withWord(text, seed, (word) => [word === word.toUpperCase() ? `${word}x` : word.toUpperCase()]),
    'other punctuation': (text, seed) =>
      withWord(text, seed, (word) => [/[,;:]$/.test(word) ? word.slice(0, -1) : `${word},`]),
    'a letter changed': (text, seed) => {
      const at = 1 + (seed % (text.length - 2))
      return /[a-z]/.test(text.charAt(at))
        ? text.slice(0, at) + (text[at] === 'e' ? 'a' : 'e') + text.slice(at + 1)
        : text
    },
  }
  it.each(Object.entries(kinds))('is never shown with %s', { tags: ['Q1', 'S3'] }, (_, alter) =>
    everyRun(
      () => statements,
      async (statement, seed) => {
        const quote = alter(statement.text, seed)
        return quote === statement.text ? 'skipped' : pageIsShown(statement, quote)
      },
    ),
  )

  it(
    'is not shown when it is of a page, or names a passage, that was not found in this run',
    { tags: ['Q3', 'S3'] },
    () =>
      everyRun(
        () => statements,
        async (statement, seed) => {
          const other = pick(statements, seed)
          if (!other || other.page === statement.page) return 'skipped'
          await pageIsShown(statement, other.text)
          const id = pick(['P2', 'P0', 'P11', 'halden.0'], seed) ?? ''
          const { text, citations } = await verify(statement, cited(statement.text, id, statement.text))
          expect({ text, citations }).toEqual({ text: '', citations: [] })
          return 'checked'
        },
      ),
  )
})

describe('an honest sentence', () => {
  /** How a page may have been set, and how a quote may have been copied. */
  const settings: Readonly<Record<string, (text: string, seed: number) => string>> = {
    'line ends and double spaces': (text) =>
      text.replace(/ /g, (_, at: number) => [' ', '\n', '  ', ' \n'][at % 4] ?? ' '),
    'spaces that do not break, and thin ones': (text) =>
      text.replace(/ /g, (_, at: number) => '\u00a0\u2009\u202f'[at % 3] ?? ' '),
    'hyphens at line ends': (text, seed) =>
      withWord(text, seed, (word) => [word.replace(/^(\p{L}{3})(?=\p{Ll}{3})/u, '$1-\n')]),
    'kept hyphens at line ends': (text) => text.replace(/(?<=\p{L})-(?=\p{Ll})/gu, '-\n'),
    ligatures: (text) => text.replaceAll('ffi', 'ﬃ').replaceAll('fi', 'ﬁ').replaceAll('fl', 'ﬂ').replaceAll('ff', 'ﬀ'),
    'curly quotation marks': (text) => text.replaceAll("'", '’').replaceAll('"', '”'),
    'straight quotation marks': (text) => text.replace(/[‘’′]/g, "'").replace(/[“”″]/g, '"'),
    'soft hyphens': (text) => text.replace(/(?<=\p{L}{3})(?=\p{Ll}{4})/gu, '\u00ad'),
    'characters without width': (text) => text.replace(/(?<=\p{L}{4})(?=\p{L}{2})/gu, '\u200b'),
    'parted accents': (text) => text.normalize('NFD'),
    'long dashes': (text) => text.replace(/–|—/g, '-'),
    'full-width forms': (text) =>
      text.replace(/[A-Za-z0-9%]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0)),
    'marks of emphasis': (text, seed) => withWord(text, seed, (word) => [`**${word}**`]),
    'quotation marks around it': (text) => `“${text}”`,
    'nothing changed': (text) => text,
  }

  it.each(Object.entries(settings))('is kept where its quote has %s', { tags: ['Q1'] }, (_, set) =>
    everyRun(
      () => statements,
      async (statement, seed) => {
        const { dropped, citations } = await verify(statement, cited(statement.text, 'P1', set(statement.text, seed)))
        expect({ dropped, quote: citations[0]?.quote }).toEqual({ dropped: [], quote: expect.any(String) })
        const [citation] = citations
        expect(statement.page.slice(citation?.start, citation?.end)).toBe(citation?.quote)
        return 'checked'
      },
    ),
  )

  it.each(Object.entries(settings).slice(0, -3))('is kept where its page has %s', { tags: ['Q1'] }, (_, set) =>
    everyRun(
      () => statements,
      async (statement, seed) => {
        const { start, text } = statement
        const page = statement.page.slice(0, start) + set(text, seed) + statement.page.slice(start + text.length)
        const { dropped, citations } = await verify(statement, cited(text, 'P1', text), page)
        expect(dropped).toEqual([])
        expect(page.slice(citations[0]?.start, citations[0]?.end)).toBe(citations[0]?.quote)
        return 'checked'
      },
    ),
  )

  it('is kept with a phrase, or two, as its quotes', { tags: ['Q1'] }, () =>
    everyRun(
      () => statements,
      async (statement, seed) => {
        const words = wordsOf(statement.text)
        const cut = 3 + (seed % (words.length - 5))
        const quotes = [words.slice(0, cut).join(' '), words.slice(cut).join(' ')]
        // A phrase may not cut a number in two ("four | fifths"), nor from its sign, nor a word from its hyphen.
        const at = quotes[0]?.length ?? 0
        const isCut = numbersIn(statement.text).some(({ start, end }) => start < at && at < end)
        if (isCut || quotes.some((quote) => !findQuote(quote, statement.page))) return 'skipped'
        const draft = statement.text + quotes.map((quote) => cited('', 'P1', quote)).join('')
        expect((await verify(statement, draft)).dropped).toEqual([])
        return 'checked'
      },
    ),
  )
})
