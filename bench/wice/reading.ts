import { promptMessages } from '../../src/agents/loop/prompted-call.ts'
import { formatEvidence } from '../../src/answers/evidence.ts'
import { examClaims, examEvidence, examMark } from '../../src/answers/judge/exam.ts'
import { formatClaims, judgementIn, type Verdict } from '../../src/answers/judge/reading.ts'
import { loadConfig } from '../../src/config.ts'
import type { Evidence } from '../../src/events/index.ts'
import { Fenced } from '../../src/fenced.ts'
import type { ChatModel } from '../../src/models/port/model.ts'
import { resolveModel } from '../../src/models/resolve-model.ts'
import { loadPrompt, renderPrompt } from '../../src/prompts.ts'
import { patient } from '../drafts/ask.ts'
import { MissingData } from '../question-sets.ts'

export type Claims = Parameters<typeof formatClaims>[0]

/** Puts claims beside passages, as the second reading does, and returns the reply. */
export type Reader = (question: string, evidence: readonly Evidence[], claims: Claims) => Promise<string>

/** The reader by this name, at the endpoint if one is given. Throws `MissingData` for a rule. */
export async function readerNamed(name: string, endpoint: string | null): Promise<Reader> {
  const overrides = { ...patient, endpoint: { ...patient.endpoint, ...(endpoint !== null && { baseUrl: endpoint }) } }
  const config = loadConfig({ overrides })
  const rule = (): ChatModel => {
    throw new MissingData('A second reading takes a language model: --reader openai:<name>.')
  }
  const { model } = await resolveModel(name, { config, extractive: rule, agent: 'secondReading' })
  const prompt = loadPrompt(config.settings.agents.secondReading.prompt, config.settings.promptsDir)
  return async (question, evidence, claims) => {
    const variables = {
      question,
      evidence: new Fenced(formatEvidence(evidence)),
      claims: new Fenced(formatClaims(claims)),
    }
    const reply = await model.invoke(promptMessages(renderPrompt(prompt, variables)))
    return reply.text
  }
}

/** How many of the claims of the exam it judges rightly. */
export async function markOf(read: Reader): Promise<number> {
  return examMark(await read('What do these documents say?', examEvidence, examClaims))
}

/** Its verdict on one claim; null if there is none in its reply. */
export async function verdictOn(claim: string, evidence: readonly Evidence[], read: Reader): Promise<Verdict | null> {
  const sentence = { text: claim, under: null, kind: 'sentence', formulas: [], notes: [] } as const
  return judgementIn(await read('What does this page say?', evidence, [sentence]), 1).verdicts.get(1) ?? null
}
