import type { ReportStep } from 'quaero'
import { count, Form, LimitedTo, Problem } from '../controls.tsx'
import { type AskingProps, Choice, Downloads, Progress, TextField } from './asking.tsx'
import { asAnswer } from './report-text.ts'
import { type ReportShown, useReport } from './use-report.ts'

/** A report: its outline, planned and edited; its sections as they are written; its text, with footnotes that open. */
export function ReportView({ library, limits, kind, Answer }: AskingProps) {
  const { question, ask, outline, edit, isPlanning, shown, problem, ...ways } = useReport(library.choice)
  const isWriting = shown?.state === 'writing'
  return (
    <div class="documents tables">
      <h1>{kind === 'digest' ? 'Digest' : 'Report'}</h1>
      <p class="quiet">{about[kind]}</p>
      <Form class="questions" onSend={() => void ways.plan()}>
        <TextField label={`What the ${kind} is to answer`} rows={2} value={question} onWrite={ask} />
        {limits}
        <Choice {...library} />
        <div class="buttons">
          <button type="submit" class={outline ? '' : 'primary'} disabled={isPlanning || isWriting || !question.trim()}>
            {isPlanning ? 'Planning …' : `Plan the ${kind}`}
          </button>
        </div>
      </Form>
      {problem && <Problem>{problem}</Problem>}
      {outline !== '' && (
        <div class="questions">
          <TextField label="Outline" rows={9} aria-describedby="outline-form" value={outline} onWrite={edit} />
          <p class="quiet" id="outline-form">
            Edit it as you like: “# title”, “## section”, and below each section “- question”.
          </p>
          <Progress
            status={statusOf(shown, kind)}
            bar={isWriting ? barOf(shown) : null}
            button={buttonOf(shown, ways.isShown, kind)}
            onBegin={() => void ways.write()}
            onStop={ways.stop}
          />
        </div>
      )}
      {shown && !shown.report && <Sections {...shown} />}
      {shown?.report && (
        <article class="report">
          <h2>{shown.report.title}</h2>
          <LimitedTo {...shown.report} />
          <Answer result={asAnswer(shown.report)} />
          <Downloads formats={formats} onSave={(format) => void ways.save(shown.request, format)} />
        </article>
      )}
    </div>
  )
}

const about = {
  report: 'Every sentence of its sections rests on quotes of your documents, which its footnotes open.',
  digest: 'What each document says to each question, in its own words: there is no language model here that writes.',
}
const formats = { docx: 'Word', md: 'Markdown', html: 'HTML', tex: 'LaTeX', json: 'JSON', bib: 'BibTeX', csl: 'CSL' }

/** `isShown`: what stands in the fields is what is shown. */
function buttonOf(shown: ReportShown | null, isShown: boolean, kind: AskingProps['kind']): string | null {
  if (!isShown) return `Write the ${kind}`
  return shown?.report?.unfinished.length === 0 ? null : 'Continue'
}

function statusOf(shown: ReportShown | null, kind: AskingProps['kind']): string {
  if (!shown) return 'Nothing of it is asked before you write it.'
  if (shown.state === 'writing') return `The ${kind} is being written.`
  if (!shown.report) return 'Stopped; what is under way is kept as it ends.'
  const { sections, usage, unfinished } = shown.report
  const sentences = sections.flatMap(({ paragraphs }) => paragraphs.flat()).length
  const size = `${count(sections.length, 'section')}, ${count(sentences, 'sentence')}`
  const calls = kind === 'report' ? `, ${count(usage.modelCalls, 'model call')} in all` : ''
  return `Written: ${size}${calls}.${unfinished.length > 0 ? ` ${unfinished.length} not finished.` : ''}`
}

/** The steps of one kind. */
function stepsOf<Kind extends ReportStep['step']>({ steps }: ReportShown, kind: Kind) {
  return steps.filter((each): each is Extract<ReportStep, { readonly step: Kind }> => each.step === kind)
}

function barOf(shown: ReportShown) {
  const [asked, written] = [stepsOf(shown, 'question'), stepsOf(shown, 'section')]
  const done = asked.length + written.length
  // Until the first question was asked, nobody knows how often they are: a digest asks each document.
  const questions = asked[0]?.total ?? 0
  const total = questions && questions + (stepsOf(shown, 'outline')[0]?.outline.sections.length ?? 0)
  return { label: 'Questions asked and sections written', done, total, text: `${done} of ${total} steps` }
}

/** How far each section is. */
function Sections(shown: ReportShown) {
  const [planned] = stepsOf(shown, 'outline')
  const stateOf = (section: number) => {
    const written = stepsOf(shown, 'section').find((each) => each.section === section)
    if (written) return `written: ${count(written.sentences, 'sentence')}`
    const asked = stepsOf(shown, 'question').filter((each) => each.section === section)
    return `${asked.length} asked, ${asked.filter(({ isFound }) => isFound).length} found`
  }
  return (
    <ol class="rows" aria-label="Sections">
      {planned?.outline.sections.map(({ heading }, index) => (
        <li>
          <span class="what">{heading}</span>
          <small>{stateOf(index)}</small>
        </li>
      ))}
    </ol>
  )
}
