import { UsageError } from '../../errors.ts'
import { type DocumentRecord, documentName } from '../../library/index.ts'
import { renderPrompt } from '../../prompts.ts'
import { cellThreads, logOf, type RunResult, runIdOf } from '../../runs/index.ts'
import type { ModelCallOptions } from '../asking/call-model.ts'
import { documentsOf } from '../asking/documents.ts'
import { inParallel } from '../asking/in-parallel.ts'
import { hasResult, knownRun, runReader } from '../asking/known-runs.ts'
import { type Claim, type ClaimQuote, claimsOfAnswer, isKept } from '../cards/claim.ts'
import { contradictionsIn, numbered } from './contradictions.ts'
import { type Outline, parseOutline, plannedQuestions, plannedSections } from './outline.ts'
import { pooled } from './pool.ts'
import type { Report, ReportSection } from './report.ts'
import { checkReport, type ReportParts, type ReportRequest, type ReportStep, type ReportWork } from './request.ts'

const mostAtOnce = 4

/** A report over the documents of an engine. Throws `UsageError`. */
export function writeReport(given: ReportRequest, parts: ReportParts): ReportWork {
  checkReport(given)
  const steps = () => new Writing(given, parts).steps()
  return {
    steps,
    async outline() {
      for await (const each of steps()) if (each.step === 'outline') return each.outline
      throw new UsageError('The report was stopped before its outline was there.')
    },
    async result() {
      for await (const each of steps()) if (each.step === 'report') return each.report
      throw new UsageError('The report was stopped before it was written.')
    },
  }
}

/** A question, and what the documents say to it. */
interface Finding {
  readonly section: number
  readonly question: string
  readonly result: RunResult
  readonly isKnown: boolean
}

interface Told {
  readonly result: RunResult
  readonly isKnown: boolean
}

/** One writing of a report; what was done before is read from the log. */
class Writing {
  readonly #given: ReportRequest
  readonly #parts: ReportParts
  readonly #left = new AbortController()
  readonly #results: RunResult[] = []

  constructor(given: ReportRequest, parts: ReportParts) {
    this.#given = given
    this.#parts = parts
  }

  async *steps(): AsyncGenerator<ReportStep> {
    try {
      const documents = await documentsOf(this.#given, this.#parts.library)
      const planned = this.#given.outline ?? (await this.#plan(documents))
      yield { step: 'outline', outline: planned }
      const findings: Finding[] = []
      for await (const finding of this.#research(planned, documents)) {
        findings.push(finding)
        const isFound = keptIn(finding.result).length > 0
        yield { step: 'question', question: finding.question, isFound, isKnown: finding.isKnown }
      }
      const sections: ReportSection[] = []
      const written = planned.sections.map((section, index) => ({ section, index }))
      const write = ({ section, index }: (typeof written)[number]) =>
        this.#section(
          planned,
          { ...section, index },
          findings.filter((each) => each.section === index),
          documents,
        )
      for await (const { index, section, isKnown } of inParallel(written, this.#atOnce, write)) {
        sections[index] = section
        const sentences = section.paragraphs.flat().length
        yield { step: 'section', heading: section.heading, sentences, isKnown }
      }
      yield { step: 'report', report: await this.#report(planned, { sections, findings, documents }) }
    } finally {
      this.#left.abort()
    }
  }

  get #atOnce() {
    return this.#given.atOnce ?? mostAtOnce
  }

  /** The model's outline; without a model, each document is asked. */
  async #plan(documents: readonly DocumentRecord[]): Promise<Outline> {
    const { question } = this.#given
    if (!this.#parts.writes) {
      return { title: question, sections: [{ heading: question, questions: [question] }] }
    }
    const listed = documents.map(
      (each) => `- ${[documentName(each), each.authors[0], each.year].filter((part) => part).join(', ')}`,
    )
    const prompt = renderPrompt(this.#parts.prompts('report-outline'), {
      question,
      documents: listed.join('\n'),
      sections: `${plannedSections}`,
      questions: `${plannedQuestions}`,
    })
    const { result } = await this.#call(`Outline: ${question}`, `${prompt.system}\n\n${prompt.user}`, documents)
    const back = /^\s*unclear:\s*(.*\S)/i.exec(result.answer)?.[1]
    if (back) throw new UsageError(`It is not clear what the report is to be about. ${back}`)
    return parseOutline(result.answer)
  }

  /** Asks each question; once more in other words, where the documents do not answer it. */
  async *#research({ sections }: Outline, documents: readonly DocumentRecord[]): AsyncGenerator<Finding> {
    const asked = sections.flatMap(({ questions }, section) => questions.map((question) => ({ section, question })))
    const { question: topic } = this.#given
    yield* inParallel(asked, this.#atOnce, async ({ section, question }) => {
      const first = await this.#ask(question, { documents })
      if (keptIn(first.result).length > 0 || !hasResult(first.result.status) || question === topic) {
        return { section, question, ...first }
      }
      const heading = sections[section]?.heading ?? ''
      return { section, question, ...(await this.#ask(`${heading}: ${question}`, { documents })) }
    })
  }

  /** Writes a section from the passages that its findings cite; a digest has the findings themselves. */
  async #section(
    { title }: Outline,
    { heading, questions, index }: Outline['sections'][number] & { readonly index: number },
    findings: readonly Finding[],
    documents: readonly DocumentRecord[],
  ) {
    const cards = pooled(findings.flatMap(({ result }) => keptIn(result)))
    const section = { heading, questions }
    if (!this.#parts.writes || cards.length === 0) {
      const paragraphs = findings.map(({ result }) => keptIn(result)).filter((each) => each.length > 0)
      return { index, section: { ...section, paragraphs }, isKnown: findings.every(({ isKnown }) => isKnown) }
    }
    const prompt = renderPrompt(this.#parts.prompts('report-section'), {
      title,
      heading,
      questions: questions.map((each) => `- ${each}`).join('\n'),
      found: cards.map((card) => `- ${card.text} (${namesIn(card, documents)})`).join('\n'),
      sentences: sentencesFor(cards.length),
    })
    const passages = await this.#passagesOf(cards)
    const told = await this.#ask(`${title}: ${heading}. ${questions.join(' ')}`, {
      documents,
      form: prompt.user,
      passages,
    })
    return { index, section: { ...section, paragraphs: paragraphsOf(told.result) }, isKnown: told.isKnown }
  }

  /** The passages of all quotes, each once, in the order of the cards. */
  async #passagesOf(cards: readonly Claim[]): Promise<readonly string[]> {
    const quotes = cards.flatMap((card) => card.quotes)
    const found = await Promise.all(quotes.map((quote) => this.#passageOf(quote)))
    return [...new Set(found.flatMap((id) => id ?? []))].slice(0, mostPassages)
  }

  async #passageOf({ documentId, page, start }: ClaimQuote): Promise<string | null> {
    const passages = await this.#parts.storage.library.passagesOf(documentId, page)
    return passages.find((each) => each.start <= start && start < each.end)?.passageId ?? null
  }

  async #report(
    { title }: Outline,
    done: {
      readonly sections: readonly ReportSection[]
      readonly findings: readonly Finding[]
      readonly documents: readonly DocumentRecord[]
    },
  ): Promise<Report> {
    const { sections, findings, documents } = done
    const { question } = this.#given
    const isDigest = !this.#parts.writes
    const cards = pooled(findings.flatMap(({ result }) => keptIn(result)))
    const contradictions = isDigest ? [] : await this.#contradictions(cards, documents)
    const summary = isDigest
      ? []
      : sections.flatMap(({ paragraphs }) => paragraphs.flat().find(({ state }) => state === 'verified') ?? [])
    const unsupported = this.#results.flatMap((result) => claimsOfAnswer(result).filter((each) => !isKept(each)))
    const opened = await this.#opened()
    const unopened = documents.filter(({ documentId }) => !opened.includes(`${documentId}.`))
    const notFound = findings.filter(({ result }) => keptIn(result).length === 0)
    return {
      kind: isDigest ? 'digest' : 'report',
      title,
      question,
      summary,
      sections: [...sections],
      contradictions: [...contradictions],
      notFound: notFound.map(({ question: asked, result }) => ({ question: asked, reason: reasonOf(result) })),
      unsupported,
      unopened: unopened.map((each) => ({ documentId: each.documentId, document: documentName(each) })),
      documents: documents.length,
      usage: usageOf(this.#results),
    }
  }

  /** What tools have returned to the runs of the report: it names the ids of all passages that were found or read. */
  async #opened(): Promise<string> {
    const logs = await Promise.all(this.#results.map(({ runId }) => logOf(runId, this.#parts.storage)))
    return logs
      .flat()
      .flatMap((event) => (event.type === 'tool.completed' ? event.payload.content : []))
      .join('\n')
  }

  async #contradictions(cards: readonly Claim[], documents: readonly DocumentRecord[]) {
    if (new Set(cards.flatMap(({ quotes }) => quotes.map(({ documentId }) => documentId))).size < 2) return []
    const claims = numbered(cards, (card) => namesIn(card, documents))
    const prompt = renderPrompt(this.#parts.prompts('report-contradictions'), { claims })
    const { result } = await this.#call(
      `Contradictions: ${this.#given.question}`,
      `${prompt.system}\n\n${prompt.user}`,
      documents,
    )
    return contradictionsIn(result.answer, cards)
  }

  #ask(question: string, { documents, ...how }: Asked): Promise<Told> {
    const what = ['question', question, how.form ?? '', ...(how.passages ?? [])]
    return this.#told(what, documents, (options) => this.#parts.ask(question, { ...options, ...how }))
  }

  #call(question: string, prompt: string, documents: readonly DocumentRecord[]): Promise<Told> {
    return this.#told(['call', prompt], documents, (options) => this.#parts.call(question, { ...options, prompt }))
  }

  /** A run that was asked for before is read, or resumed. */
  async #told(
    what: readonly string[],
    documents: readonly DocumentRecord[],
    run: (options: Omit<ModelCallOptions, 'prompt'>) => Promise<RunResult>,
  ): Promise<Told> {
    const { limits, approve, signal, afresh = false } = this.#given
    const documentIds = documents.map(({ documentId }) => documentId)
    const asked = [...what, ...[...documentIds].sort(), ...this.#parts.modelNames]
    const { key, known } = await knownRun(asked, afresh, runReader(this.#parts.storage))
    const stop = signal ? AbortSignal.any([signal, this.#left.signal]) : this.#left.signal
    const options = { ...(limits && { limits }), ...(approve && { approve }), signal: stop }
    const place = { threadId: `${cellThreads}${runIdOf(key)}`, documentIds, idempotencyKey: key }
    const result = known ?? (await run({ ...options, ...place }))
    this.#results.push(result)
    return { result, isKnown: known !== null }
  }
}

interface Asked {
  readonly documents: readonly DocumentRecord[]
  readonly form?: string
  readonly passages?: readonly string[]
}

/** A question names at most so many passages. */
const mostPassages = 40

function keptIn(result: RunResult) {
  return result.abstained || result.clarification !== null ? [] : claimsOfAnswer(result).filter(isKept)
}

function reasonOf({ answer, clarification, error, status }: RunResult): string {
  return clarification ?? error?.message ?? (answer || `The run is ${status}.`)
}

function namesIn({ quotes }: Claim, documents: readonly DocumentRecord[]): string {
  const ids = [...new Set(quotes.map(({ documentId }) => documentId))]
  const named = ids.map((id) => documents.find(({ documentId }) => documentId === id))
  return named.flatMap((each) => (each ? documentName(each) : [])).join('; ')
}

/** So many sentences are worth writing from so many cards. */
function sentencesFor(cards: number): string {
  const fewest = Math.min(12, Math.max(3, cards))
  return `${fewest} to ${fewest + 4}`
}

/** The sentences of an answer that are kept, parted where it has an empty line. */
function paragraphsOf(result: RunResult): Claim[][] {
  const paragraphs: Claim[][] = []
  let at = 0
  for (const claim of keptIn(result)) {
    const begins = result.answer.indexOf(claim.text.slice(0, 40), at)
    const isNew = begins >= 0 && result.answer.slice(at, begins).includes('\n\n')
    if (isNew || paragraphs.length === 0) paragraphs.push([])
    paragraphs.at(-1)?.push(claim)
    if (begins >= 0) at = begins + claim.text.length
  }
  return paragraphs
}

function usageOf(results: readonly RunResult[]): Report['usage'] {
  const runs = [...new Map(results.map((result) => [result.runId, result.usage])).values()]
  const sum = (of: (usage: RunResult['usage']) => number) => runs.reduce((total, usage) => total + of(usage), 0)
  return {
    modelCalls: sum(({ modelCalls }) => modelCalls),
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    costUsd: runs.every(({ costUsd }) => costUsd !== null) ? sum(({ costUsd }) => costUsd ?? 0) : null,
  }
}
