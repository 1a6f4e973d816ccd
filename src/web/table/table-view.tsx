import type { AnswerCell, QuestionColumn } from 'quaero'
import { pageName } from '../../library/port/document.ts'
import { type Citation, isSame, type LibraryDocument } from '../api/requests.ts'
import { count, Form, Problem } from '../controls.tsx'
import type { Source } from '../source/use-source.ts'
import { type Format, formats, place, type TablePlan, type TableShown, useTable } from './use-table.ts'

export interface TableViewProps {
  readonly library: {
    readonly list: readonly LibraryDocument[] | null
    /** By id; empty means all. */
    readonly chosen: ReadonlySet<string>
    readonly choose: (chosen: ReadonlySet<string>) => void
  }
  readonly source: Pick<Source, 'opened' | 'open'>
}

/** Every document is asked the same questions: a grid that fills cell by cell, and each value opens its quote. */
export function TableView({ library, source }: TableViewProps) {
  const { questions, table, problem, write, plan, fill, stop, save } = useTable()
  const isFilling = table?.state === 'filling'
  return (
    <div class="documents tables">
      <h1>Table</h1>
      <p class="quiet">Every document is asked the same questions, and each value opens its quote.</p>
      <Form class="questions" onSend={() => void plan([...library.chosen])}>
        <label>
          Questions, one a line
          <textarea
            rows={5}
            required
            aria-describedby="forms"
            placeholder={'How many took part? [number]\nWas it randomised? [yes/no]'}
            value={questions}
            onInput={(event) => write(event.currentTarget.value)}
          />
        </label>
        <p class="quiet" id="forms">
          A line may end with what its cells hold: [number], [yes/no], [one of low | high].
        </p>
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
          <Progress table={table} onFill={() => void fill(table)} onStop={stop} />
          <Grid table={table} source={source} />
          <Downloads onSave={(format) => void save(table.request, format)} />
        </>
      )}
    </div>
  )
}

/** Which documents are asked: the ones that questions search. */
function Choice({ list, chosen, choose }: TableViewProps['library']) {
  if (!list) return null
  if (list.length === 0) return <p class="quiet">The library is empty. Add documents first.</p>
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    choose(next)
  }
  return (
    <details>
      <summary>
        Documents asked: {chosen.size === 0 ? `all ${list.length}` : `${chosen.size} of ${list.length}`}
      </summary>
      <fieldset class="choice">
        <legend class="quiet">Choose some to ask only these</legend>
        {list.map(({ documentId, title, source }) => (
          <label>
            <input type="checkbox" checked={chosen.has(documentId)} onChange={() => toggle(documentId)} />
            <span>{title ?? source}</span>
          </label>
        ))}
      </fieldset>
    </details>
  )
}

interface ProgressProps {
  readonly table: TableShown
  readonly onFill: () => void
  readonly onStop: () => void
}

/** What is known and what is to be asked, before and while the table is filled, and how to begin and stop that. */
function Progress({ table, onFill, onStop }: ProgressProps) {
  const { plan, asked, state } = table
  const isFilling = state === 'filling'
  const button = buttonOf(table)
  return (
    <div class="progress">
      <p role="status">{isFilling ? 'The table is being filled.' : describe(table)}</p>
      {isFilling && plan.open > 0 && (
        <p class="quiet">
          <progress aria-label="Cells asked" max={plan.open} value={asked} /> {asked} of {plan.open} asked
          {timeLeft(table)}
        </p>
      )}
      {button && (
        // One button, so that it keeps the focus.
        <button type="button" class={isFilling ? '' : 'primary'} onClick={isFilling ? onStop : onFill}>
          {button}
        </button>
      )}
    </div>
  )
}

function buttonOf({ state, cells }: TableShown): string | null {
  if (state === 'planned') return 'Fill the table'
  if (state === 'filling') return 'Stop'
  const isDone =
    state === 'filled' && [...cells.values()].every((cell) => cell.state !== 'failed' && cell.state !== 'open')
  return isDone ? null : 'Continue'
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

function timeLeft({ plan, asked, elapsedMs }: TableShown): string {
  if (asked < 2) return ''
  const minutes = ((elapsedMs / asked) * (plan.open - asked)) / 60_000
  return minutes < 1 ? ', less than a minute left' : `, about ${Math.ceil(minutes)} min left`
}

/** The sign and the word of a cell's state: no state is told by its colour alone. */
const marks: Readonly<Record<AnswerCell['state'], { readonly sign: string; readonly name: string }>> = {
  verified: { sign: '✓', name: 'verified' },
  quoted: { sign: '“', name: 'quoted' },
  'not reported': { sign: '–', name: 'not reported' },
  open: { sign: '…', name: 'open' },
  failed: { sign: '!', name: 'failed' },
}

interface GridProps extends Pick<TableViewProps, 'source'> {
  readonly table: TableShown
}

function Grid({ table: { plan, cells, state }, source }: GridProps) {
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
                  <Cell cell={cells.get(place(row, column))} document={document} source={source} />
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

interface CellProps extends Pick<TableViewProps, 'source'> {
  readonly cell: AnswerCell | undefined
  readonly document: string
}

/** A value that opens its quotes, or why there is none. */
function Cell({ cell, document, source }: CellProps) {
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
  const citations = quotes.map((quote, index) => citationOf(quote, document, index + 1))
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

function citationOf({ text, ...quote }: AnswerCell['quotes'][number], document: string, marker: number): Citation {
  return { ...quote, quote: text, marker, label: `${document}, ${pageName(quote.page)}`, verified: true }
}

function Downloads({ onSave }: { readonly onSave: (format: Format) => void }) {
  return (
    <p class="count downloads">
      Download as
      {(Object.keys(formats) as Format[]).map((format) => (
        <button type="button" onClick={() => onSave(format)}>
          {formats[format]}
        </button>
      ))}
    </p>
  )
}
