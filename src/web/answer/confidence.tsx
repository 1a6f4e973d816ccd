import type { RunResult } from '../api/requests.ts'

const levels = [
  { from: 0.8, word: 'High' },
  { from: 0.5, word: 'Medium' },
  { from: 0, word: 'Low' },
]

/** How probably the answer is right: in a word, as a meter, and on demand what it was computed from. */
export function Confidence({ value, result }: { readonly value: number; readonly result: RunResult }) {
  const word = levels.find(({ from }) => value >= from)?.word ?? 'Low'
  const percent = Math.round(100 * value)
  return (
    <details class="confidence">
      <summary>
        <meter min={0} max={100} value={percent} aria-label="Confidence" />
        {word} confidence, {percent}%
      </summary>
      <ul>
        {reasons(result).map((each) => (
          <li>{each}</li>
        ))}
      </ul>
    </details>
  )
}

function reasons({ citations, sentences, unsupported, model }: RunResult): readonly string[] {
  const documents = new Set(citations.map(({ documentId }) => documentId)).size
  const found = `${count(citations.length, 'quote')} from ${count(documents, 'document')}, found word for word on the page.`
  const lost = `${count(unsupported.length, 'sentence')} could not be verified and ${unsupported.length === 1 ? 'is' : 'are'} shown apart, which lowers it.`
  const how =
    model === 'extractive'
      ? 'No language model was used: it says how probably the first quote answers the question, by how well it matches and how far it is ahead of the others.'
      : 'It is computed from the check of the answer: the share of sentences that quotes support, and how much of their words the quotes contain. No model is asked how sure it is.'
  return [found, ...statesOf(sentences), ...(unsupported.length > 0 ? [lost] : []), how]
}

/** How many sentences are verified, and how many only quoted. */
function statesOf(sentences: RunResult['sentences']): readonly string[] {
  const among = (wanted: string) => sentences.filter(({ state }) => state === wanted).length
  const [verified, quoted] = [among('verified'), among('quoted')]
  const be = (number: number) => (number === 1 ? 'is' : 'are')
  return [
    ...(verified > 0 ? [`${count(verified, 'sentence')} ${be(verified)} verified.`] : []),
    ...(quoted > 0 ? [`${count(quoted, 'sentence')} ${be(quoted)} only quoted, not read again, which lowers it.`] : []),
  ]
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
