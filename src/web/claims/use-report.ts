import { useState } from 'preact/hooks'
import type { Report, ReportRequest, ReportStep } from 'quaero'
import { body, send } from '../api/requests.ts'
import type { QuestionChoice } from '../api/run-events.ts'
import { useKept } from '../controls.tsx'
import { cut, eventsOf, useWork } from './use-work.ts'

/** A report as its server names it; its outline as a person edits it. */
type Request = Pick<ReportRequest, 'question'> & QuestionChoice & { readonly outline?: string }

/** The report that is shown. */
export interface ReportShown {
  readonly request: Request
  readonly steps: readonly ReportStep[]
  /** Null until all of it is there. */
  readonly report: Report | null
  readonly state: 'writing' | 'stopped' | 'written'
}

/** A report that is planned, edited, written section by section, stopped, and gone on with. */
export function useReport(choice: QuestionChoice) {
  const [question, ask] = useKept('quaero report question')
  const [outline, edit] = useKept('quaero report outline')
  const [isPlanning, setPlanning] = useState(false)
  const { shown, problem, attempt, run, stop, save } = useWork<ReportShown>((last) => ({ ...last, state: 'stopped' }))
  const request: Request = { question, ...choice }
  const isShown = JSON.stringify(shown?.request) === JSON.stringify({ ...request, outline })
  return {
    ...{ question, ask, outline, edit, isPlanning, shown, isShown, problem, stop },
    plan: () =>
      attempt(async () => {
        setPlanning(true)
        const planned = await send('/api/reports/outline', body(request)).finally(() => setPlanning(false))
        edit((await planned.json()).text)
      }),
    write: () => run((signal) => writing({ ...request, outline }, signal)),
    save: (written: Request, format: string) => save(`/api/reports/file?format=${format}`, written),
  }
}

async function* writing(request: Request, signal: AbortSignal): AsyncGenerator<ReportShown> {
  let shown: ReportShown = { request, steps: [], report: null, state: 'writing' }
  yield shown
  for await (const { data } of eventsOf<ReportStep>('/api/reports', request, signal)) {
    shown = { ...shown, steps: [...shown.steps, data] }
    if (data.step === 'report') return yield { ...shown, report: data.report, state: 'written' }
    yield shown
  }
  throw new Error(cut)
}
