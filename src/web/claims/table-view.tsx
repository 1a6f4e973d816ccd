import type { AnswerCell, QuestionColumn } from 'quaero'
import { type Citation, citationOfQuote, isSame } from '../api/requests.ts'
import { count, Form, LimitedTo, Problem } from '../controls.tsx'
import { type AskingProps, Choice, Downloads, Progress, TextField } from './asking.tsx'
import { place, type TablePlan, type TableShown, useTable } from './use-table.ts'

/** Every document is asked the same questions: a grid that fills cell by cell, and each value opens its quote. */
export function TableView({ library, limits, source }: AskingProps) {
  const { questions, table, problem, write, plan, fill, stop, save } = useTable()
  const isFilling = table?.state === 'filling'
  return (
    <div class="documents tables">
      <h1>Table</h1>
      <p class="quiet">Every document is asked the same questions, and each value opens its quote.</p>
      <Form class="questions" onSend={() => void plan(library.choice)}>
        <TextField
          label="Questions, one a line"
          rows={5}
          aria-describedby="forms"
          placeholder={'How many took part? [number]\nWas it randomised? [yes/no]'}
          value={questions}
          onWrite={write}
        />
        <p class="quiet" id="forms">
          A line may end with what its cells hold: [number], [yes/no], [one of low | high].
        </p>
        {limits}
        <Choice {...library} />
        <div class="buttons">
          <button type="submit" class={table ? '' : 'primary'} disabled={isFilling || questions.trim() === ''}>
            Plan the table
          </button>
        </div>
      </Form>
      {problem && <Problem>{problem}</Problem>}
      {table && (
        <>
          <Progress
            status={isFilling ? 'The table is being filled.' : describe(table)}
            bar={isFilling ? barOf(table) : null}
            button={buttonOf(table)}
            onBegin={() => void fill(table)}
            onStop={stop}
          />
          <LimitedTo {...table.plan} />
          <Grid {...table} source={source} />
          <Downloads formats={formats} onSave={(format) => void save(table.request, format)} />
        </>
      )}
    </div>
  )
}

function buttonOf({ state, cells }: TableShown): string | null {
  if (state === 'planned') return 'Fill the table'
  const isDone =
    state === 'filled' && [...cells.values()].every((cell) => cell.state !== 'failed' && cell.state !== 'open')
  return isDone ? null : 'Continue'
}

function barOf({ plan: { open }, asked, elapsedMs }: TableShown) {
  const minutes = ((elapsedMs / asked) * (open - asked)) / 60_000
  const left = minutes < 1 ? ', less than a minute left' : `, about ${Math.ceil(minutes)} min left`
  return { label: 'Cells asked', done: asked, total: open, text: `${asked} of ${open} asked${asked < 2 ? '' : left}` }
}

function describe({ plan, state, cells }: TableShown): string {
  if (state === 'planned') return describePlan(plan)
  const states = Object.entries(marks).flatMap(([each, { name }]) => {
    const found = [...cells.values()].filter((cell) => cell.state === each).length
    return found > 0 ? [`${found} ${name}`] : []
  })
  const open = plan.columns.length * plan.documents.length - cells.size
  const left = open > 0 ? [`${open} not asked`] : []
  const end = state === 'stopped' ? 'Stopped; cells under way are kept as they end.' : 'Filled.'
  return `${end} ${[...states, ...left].join(', ')}.`
}

function describePlan({ columns, documents, known, open, perCell }: TablePlan): string {
  const size = `${count(documents.length, 'document')}, ${count(columns.length, 'question')}`
  const cells = known === 0 ? `${count(open, 'cell')} to ask` : `${count(known, 'cell')} known, ${open} to ask`
  if (!perCell) return `${size}: ${cells}.`
  const { modelCalls, tokens, costUsd } = perCell
  const cost = costUsd === null ? '' : `, ${costUsd.toFixed(4)} USD (about ${(costUsd * open).toFixed(2)} USD in all)`
  return `${size}: ${cells}. Each took about ${count(modelCalls, 'model call')}, ${tokens.toLocaleString('en')} tokens${cost} so far.`
}

const formats = { xlsx: 'Excel', csv: 'CSV', md: 'Markdown', html: 'HTML', json: 'JSON' }

/** The sign and the word of a cell's state: no state is told by its colour alone. */
const marks: Readonly<Record<AnswerCell['state'], { readonly sign: string; readonly name: string }>> = {
  verified: { sign: '✓', name: 'verified' },
  quoted: { sign: '“', name: 'quoted' },
  'not reported': { sign: '–', name: 'not reported' },
  open: { sign: '…', name: 'open' },
  failed: { sign: '!', name: 'failed' },
}

function Grid({ plan, cells, state, source }: TableShown & Pick<AskingProps, 'source'>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll what has the focus
    <section class="table" aria-label="Cells" tabIndex={0} aria-busy={state === 'filling'}>
      <table class="grid">
        <thead>
          <tr>
            <th scope="col">Document</th>
            {plan.columns.map((column) => (
              <th scope="col">
                {column.question} <FormNote {...column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {plan.documents.map(({ document, documentId }, row) => (
            <tr key={documentId}>
              <th scope="row">{document}</th>
              {plan.columns.map((_, column) => (
                <td>
                  <Cell cell={cells.get(place(row, column))} source={source} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function FormNote({ form }: QuestionColumn) {
  if (form === 'text') return null
  return <small>{typeof form === 'string' ? form : form.join(' | ')}</small>
}

/** A value that opens its quotes, or why there is none. */
function Cell({ cell, source }: Pick<AskingProps, 'source'> & { readonly cell: AnswerCell | undefined }) {
  if (!cell) return <small>not asked</small>
  const { value, state, quotes, reason } = cell
  const { sign, name } = marks[state]
  const mark = (
    <small data-state={state}>
      <span aria-hidden="true">{sign}</span> {name}
    </small>
  )
  if (value === null) {
    return (
      <details>
        <summary>{mark}</summary>
        <p class="quiet">{reason}</p>
      </details>
    )
  }
  const citations = quotes.map((quote, index) => citationOfQuote(quote, index + 1))
  const [first, ...others] = citations
  const opens = (citation: Citation) => ({
    'aria-pressed': isSame(citation, source.opened),
    title: `“${citation.quote}”`,
    onClick: () => source.open(citation),
  })
  return (
    <>
      {first ? (
        <button type="button" class="value" {...opens(first)}>
          {value}
        </button>
      ) : (
        value
      )}
      {mark}
      {reason && <small>{reason}</small>}
      {others.map((citation) => (
        <button
          type="button"
          class="more"
          aria-label={`Source ${citation.marker}: ${citation.label}`}
          {...opens(citation)}
        >
          {citation.marker}
        </button>
      ))}
    </>
  )
}
