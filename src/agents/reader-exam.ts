import { createHash } from 'node:crypto'
import { formatEvidence } from '../answers/evidence.ts'
import { formatClaims } from '../answers/judge/claims.ts'
import { examClaims, examEvidence, examMark } from '../answers/judge/exam.ts'
import { type Context, fact } from '../events/index.ts'
import { Fenced } from '../fenced.ts'
import { type Prompt, type RenderedPrompt, renderPrompt } from '../prompts.ts'
import { askModel } from './loop/model-call.ts'
import { type ModelAgentOptions, promptInUse, promptMessages } from './loop/prompted-call.ts'
import { survivable } from './loop/step.ts'

/** The marks of readers that were examined in a data folder. */
export interface ReaderMarks {
  of(reader: string): Promise<number | null>
  keep(reader: string, mark: number): Promise<void>
}

export interface ReaderExamOptions extends Omit<ModelAgentOptions, 'maxHistory'> {
  readonly marks: ReaderMarks
  /** So many of the claims a reader must judge rightly; 0: it is not examined. */
  readonly leastMark: number
}

const promptId = 'reader-exam'

/**
 * Examines the model of the second reading over claims of known truth, in one call, the first time that it reads in a data
 * folder. Returns why its verdicts do not count; null if they do.
 */
export function readerExam(options: ReaderExamOptions): (context: Context) => Promise<string | null> {
  const { chat, leastMark, marks, temperature } = options
  const underWay = new Map<string, Promise<number>>()
  const examine = async (context: Context, { prompt, reader }: ReturnType<typeof examOf>) => {
    const agentTask = { agent: 'secondReading', question: '' } as const
    const messages = promptMessages(prompt)
    const request = { chat, temperature, prompt, messages, agentTask, scope: 'scratch', optional: true } as const
    const mark = examMark((await askModel(context, request)).text)
    await marks.keep(reader, mark)
    return mark
  }
  return async (context) => {
    if (leastMark === 0) return null
    const exam = examOf(chat.name, promptInUse(context, options.prompt))
    const { reader } = exam
    const kept = await marks.of(reader)
    // A resumed run makes the calls of its first attempt again, whose replies it has.
    const isBegun = context.log?.().some((each) => each.type === 'model.started' && each.payload.promptId === promptId)
    // Runs that begin during an exam wait for its mark; if it fails, they examine themselves.
    const known = isBegun ? null : (kept ?? (await underWay.get(reader)?.catch(() => null)) ?? null)
    if (known !== null) return distrust(known, leastMark)
    try {
      const examination = examine(context, exam)
      underWay.set(reader, examination)
      const mark = await examination
      if (kept === null) await fact(context, 'notice', { code: 'reader_examined', message: told(chat.name, mark) })
      return distrust(mark, leastMark)
    } catch (thrown) {
      const { message } = survivable(thrown, context)
      return `the model of the second reading could not be examined: ${message}`
    }
  }
}

/** What a model is asked in its exam, and the name under which its mark is kept: the model with the words of its prompt. */
export function examOf(model: string, prompt: Prompt): { readonly prompt: RenderedPrompt; readonly reader: string } {
  const rendered = renderPrompt(prompt, {
    question: 'What do these documents say?',
    evidence: new Fenced(formatEvidence(examEvidence)),
    claims: new Fenced(formatClaims(examClaims)),
  })
  const hash = createHash('sha256').update(`${rendered.system}\n${rendered.user}`).digest('hex')
  return { prompt: { ...rendered, id: promptId }, reader: `${model} ${hash.slice(0, 16)}` }
}

/** The mark of a model, in a sentence. */
export function told(model: string, mark: number): string {
  return `${model}, which reads answers a second time, judged ${mark} of ${examClaims.length} claims of known truth rightly.`
}

function distrust(mark: number, leastMark: number): string | null {
  if (mark >= leastMark) return null
  return `the model of the second reading judged only ${mark} of ${examClaims.length} test claims rightly, and ${leastMark} are needed`
}
