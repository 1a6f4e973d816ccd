import type { Turn } from './turn.ts'

/**
 * What a screen reader hears of the last turn: what is being done, the answer sentence by sentence as it is written, and
 * how it ended. Always there, since only changes of what is there are read.
 */
export function LiveRegion({ turn }: { readonly turn: Turn | undefined }) {
  return (
    <div class="hidden" role="log" aria-label="Answer as it is written">
      {turn && heard(turn).map((sentence) => <p>{sentence}</p>)}
    </div>
  )
}

function heard({ text, doing, isWorking, isLost, isWatched, result }: Turn): readonly string[] {
  // A stored conversation is read, not announced.
  if (!isWorking && !isWatched) return []
  const written = sentencesOf(text, !isWorking)
  const now = isLost ? ['The server does not answer. Trying again.'] : doing && isWorking ? [doing] : []
  return [...written, ...now, ...(result ? [ending(result)] : [])]
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The sentences that have ended; the last one too, once no more comes. */
function sentencesOf(text: string, isWhole: boolean): readonly string[] {
  const plain = text.replace(/\[\d{1,3}\]|[*`]/g, '')
  const sentences = Array.from(segmenter.segment(plain), ({ segment }) => segment.trim()).filter((each) => each !== '')
  return isWhole ? sentences : sentences.slice(0, -1)
}

function ending({ status, abstained, citations, approvals, clarification }: NonNullable<Turn['result']>): string {
  if (status === 'requires_action')
    return `Waiting for your approval of ${approvals.map(({ tool }) => tool).join(', ')}.`
  if (clarification) return 'Please say what you mean.'
  if (abstained) return 'The documents hold no answer.'
  if (status !== 'completed') return 'The question was not answered.'
  return `The answer is complete, with ${citations.length === 1 ? 'one source' : `${citations.length} sources`}.`
}
