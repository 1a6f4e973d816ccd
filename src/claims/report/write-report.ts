import { RunUnfinished, UsageError } from '../../errors.ts'
import { type DocumentRecord, documentName } from '../../library/index.ts'
import { renderPrompt } from '../../prompts.ts'
import { cellThreads, logOf, type RunGroup, type RunResult, runIdOf, usageOf } from '../../runs/index.ts'
import { usualAtOnce } from '../asking/asking-request.ts'
import type { ModelCallOptions } from '../asking/call-model.ts'
import { type DocumentsAsked, documentsOf } from '../asking/documents.ts'
import { inParallel } from '../asking/in-parallel.ts'
import { knownRun, openedIn } from '../asking/known-runs.ts'
import { type Claim, type ClaimQuote, cardsIn, claimsOfAnswer, isKept } from '../cards/claim.ts'
import { contradictionsIn, isUnfinished, notFoundIn, numbered, pooled, reasonOf, unfinishedOf } from './findings.ts'
import { type Outline, plannedQuestions, plannedSections, readPlan } from './outline.ts'
import type { Report, ReportSection } from './report.ts'
import { checkReport, type ReportParts, type ReportRequest, type ReportStep, type ReportWork } from './request.ts'
import { namesIn, paragraphsFound, paragraphsOf, sentencesFor, withinLength } from './section-text.ts'

/** A report over the documents of an engine. Throws `UsageError`. */
export function writeReport(given: ReportRequest, parts: ReportParts): ReportWork {
  checkReport(given)
  const steps = (from = parts) => new Writing(given, from).steps()
  const whole = async (all: AsyncIterable<ReportStep>) => {
    for await (const each of all) if (each.step === 'report') return each.report
    throw new UsageError('The report was stopped before it was written.')
  }
  return {
    kind: parts.writes ? 'report' : 'digest',
    steps: () => steps(),
    async outline() {
      for await (const each of steps()) if (each.step === 'outline') return each.outline
      throw new UsageError('The report was stopped before its outline was there.')
    },
    result: () => whole(steps()),
    known: () => whole(steps({ ...parts, isOnlyRead: true })),
  }
}

interface Told {
  readonly result: RunResult
  readonly isKnown: boolean
}

/** A question to some documents: to all; or of a digest to one alone, since without a model one answer has few quotes. */
interface PlannedQuestion {
  /** In the order of the outline. */
  readonly place: number
  readonly section: number
  readonly question: string
  readonly documents: readonly DocumentRecord[]
}

/** What the documents say to a question. */
interface Finding extends PlannedQuestion, Told {}

/** One writing of a report; what was done before is read from the log. */
class Writing {
  readonly #given: ReportRequest
  #parts: ReportParts
  #made: Report | null = null
  #limitedTo: DocumentsAsked['limitedTo'] = null
  readonly #left = new AbortController()
  readonly #results = new Map<string, RunResult>()

  constructor(given: ReportRequest, parts: ReportParts) {
    this.#given = given
    this.#parts = parts
  }

  /** Ends early where the report is stopped. */
  async *steps(): AsyncGenerator<ReportStep> {
    try {
      const { documents, limitedTo } = await documentsOf(this.#given, this.#parts.library)
      this.#limitedTo = limitedTo
      yield* this.#groupOver(documents).during(this.#write(documents), wordsOfStep, this.#given.signal)
      if (this.#made) yield { step: 'report', report: this.#made }
    } catch (error) {
      if (!this.#given.signal?.aborted) throw error
    } finally {
      this.#left.abort()
    }
  }

  /** Makes its runs a group, from now on. */
  #groupOver(documents: readonly DocumentRecord[]): RunGroup {
    const { question, outline = null } = this.#given
    const { owner = '', ask, call, modelNames, group: groupOf } = this.#parts
    const key = [
      'report',
      owner,
      question,
      JSON.stringify(outline),
      ...documents.map(({ documentId }) => documentId).sort(),
    ]
    const group = groupOf([...key, ...modelNames], { kind: 'report', name: question, documents: documents.length })
    this.#parts = { ...this.#parts, ask: group.around(ask), call: group.around(call) }
    return group
  }

  async *#write(documents: readonly DocumentRecord[]): AsyncGenerator<ReportStep> {
    const planned = this.#given.outline ?? (await this.#plan(documents))
    yield { step: 'outline', outline: planned }
    const asked = this.#questionsOf(planned, documents)
    const found: Finding[] = []
    for await (const finding of inParallel(asked, this.#atOnce, (each) => this.#find(each, planned))) {
      found.push(finding)
      const { section, question, result, isKnown } = finding
      const isFound = cardsIn(result).length > 0
      yield { step: 'question', section, question, isFound, isKnown, done: found.length, total: asked.length }
    }
    // In the order of the outline: what a section is written from depends on it, and so does whether it is known.
    const findings = found.sort((a, b) => a.place - b.place)
    const sections: ReportSection[] = []
    const write = ([index, section]: readonly [number, Outline['sections'][number]]) => {
      const own = findings.filter((each) => each.section === index)
      return this.#section(planned, { ...section, index }, own, documents)
    }
    const written = [...planned.sections.entries()]
    let done = 0
    for await (const { index, section, isKnown } of inParallel(written, this.#atOnce, write)) {
      sections[index] = section
      done += 1
      const what = { section: index, heading: section.heading, sentences: section.paragraphs.flat().length }
      yield { step: 'section', ...what, isKnown, done, total: written.length }
    }
    this.#made = await this.#report(planned, { sections, findings, documents })
  }

  get #atOnce() {
    return this.#given.atOnce ?? usualAtOnce
  }

  /** The model's outline; without a model, or where its reply is none, the question alone. */
  async #plan(documents: readonly DocumentRecord[]): Promise<Outline> {
    const { question } = this.#given
    const alone = { title: question, sections: [{ heading: question, questions: [question] }] }
    if (!this.#parts.writes) return alone
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
    const { error } = result
    if (isUnfinished(result)) throw new RunUnfinished(`The outline was not written. ${reasonOf(result)}`, error?.code)
    const back = /^unclear:(.*)/i.exec(result.answer.trim())?.[1]?.trim()
    if (back) throw new UsageError(`It is not clear what the report is to be about. ${back}`)
    return readPlan(result.answer) ?? alone
  }

  #questionsOf({ sections }: Outline, documents: readonly DocumentRecord[]): readonly PlannedQuestion[] {
    const scopes = this.#parts.writes ? [documents] : documents.map((each) => [each])
    return sections
      .flatMap(({ questions }, section) =>
        questions.flatMap((question) => scopes.map((scope) => ({ section, question, documents: scope }))),
      )
      .map((each, place) => ({ ...each, place }))
  }

  /** Asks a question; once more in other words, where the documents do not answer it. */
  async #find(asked: PlannedQuestion, { sections }: Outline): Promise<Finding> {
    const { question, section, documents } = asked
    const first = await this.#ask(question, { documents, plan: true })
    const isFinal = cardsIn(first.result).length > 0 || isUnfinished(first.result)
    if (isFinal || !this.#parts.writes || question === this.#given.question) return { ...asked, ...first }
    const heading = sections[section]?.heading ?? ''
    return { ...asked, ...(await this.#ask(`${heading}: ${question}`, { documents, plan: true })) }
  }

  /** Writes a section from the passages that its findings cite; a digest, and what could not be written, has the findings. */
  async #section(
    { title }: Outline,
    { heading, questions, index }: Outline['sections'][number] & { readonly index: number },
    findings: readonly Finding[],
    documents: readonly DocumentRecord[],
  ) {
    const cards = withinLength(pooled(findings.flatMap(({ result }) => cardsIn(result))))
    const section = { heading, questions }
    const found = paragraphsFound(findings, !this.#parts.writes)
    if (!this.#parts.writes || cards.length === 0) {
      return { index, section: { ...section, paragraphs: found }, isKnown: findings.every(({ isKnown }) => isKnown) }
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
    const written = paragraphsOf(told.result)
    const paragraphs = isUnfinished(told.result) || written.length === 0 ? found : written
    return { index, section: { ...section, paragraphs }, isKnown: told.isKnown }
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
    { title, sections: planned }: Outline,
    done: {
      readonly sections: readonly ReportSection[]
      readonly findings: readonly Finding[]
      readonly documents: readonly DocumentRecord[]
    },
  ): Promise<Report> {
    const { sections, findings, documents } = done
    const { question } = this.#given
    const isDigest = !this.#parts.writes
    const cards = pooled(findings.flatMap(({ result }) => cardsIn(result)))
    const contradictions = isDigest ? [] : await this.#contradictions(cards, documents)
    const summary = isDigest
      ? []
      : sections.flatMap(({ paragraphs }) => paragraphs.flat().find(({ state }) => state === 'verified') ?? [])
    const results = [...this.#results.values()].sort((a, b) => (a.question < b.question ? -1 : 1))
    const unsupported = results.flatMap((result) => claimsOfAnswer(result).filter((each) => !isKept(each)))
    const opened = await this.#opened()
    const unopened = documents.filter(({ documentId }) => !opened.includes(`${documentId}.`))
    return {
      kind: isDigest ? 'digest' : 'report',
      title,
      question,
      summary,
      sections: [...sections],
      contradictions: [...contradictions],
      notFound: planned.flatMap(({ questions }, section) =>
        questions.flatMap((asked) => {
          const told = findings.filter((each) => each.section === section && each.question === asked)
          return notFoundIn(asked, told)
        }),
      ),
      unfinished: results.filter(isUnfinished).map(unfinishedOf),
      unsupported,
      unopened: unopened.map((each) => ({ documentId: each.documentId, document: documentName(each) })),
      documents: documents.length,
      limitedTo: this.#limitedTo,
      usage: usageOf(results.map(({ usage }) => usage)),
    }
  }

  async #opened(): Promise<string> {
    const logs = await Promise.all([...this.#results.keys()].map((runId) => logOf(runId, this.#parts.storage)))
    return logs.map(openedIn).join('\n')
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

  #ask(question: string, { documents, ...how }: Asked) {
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
    const { key, known, last } = await knownRun(asked, afresh, this.#parts.read)
    const stop = signal ? AbortSignal.any([signal, this.#left.signal]) : this.#left.signal
    stop.throwIfAborted()
    const options = { ...(limits && { limits }), ...(approve && { approve }), signal: stop }
    const place = { threadId: `${cellThreads}${runIdOf(key)}`, documentIds, idempotencyKey: key }
    const result = known ?? (this.#parts.isOnlyRead ? last : await run({ ...options, ...place }))
    if (!result) throw new RunUnfinished('It was not asked and written to its end yet.')
    // What it was stopped in is no finding.
    stop.throwIfAborted()
    this.#results.set(result.runId, result)
    return { result, isKnown: known !== null }
  }
}

/** Of a question, what came of it. */
function wordsOfStep(each: ReportStep): readonly string[] {
  return each.step === 'question' ? [each.isFound ? 'found' : 'not found'] : [each.step]
}

interface Asked {
  readonly documents: readonly DocumentRecord[]
  readonly form?: string
  readonly passages?: readonly string[]
  readonly plan?: boolean
}

/** A question names at most so many passages. */
const mostPassages = 40
