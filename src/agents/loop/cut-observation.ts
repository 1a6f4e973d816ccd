import type { Observation, ToolResult } from '../../events/index.ts'
import { fencedText } from '../../library/fenced.ts'
import type { Tool } from '../../tools/tool.ts'

export interface CutOptions {
  /** Longer texts are cut in the middle. */
  readonly observationCharacters: number
  /** What the model may use to read on. */
  readonly tools: readonly Pick<Tool, 'name'>[]
}

/** Reads a passage by its id. */
const readingTool = 'read_passages'
/** A model that misses more has asked for too much at once. */
const mostNamed = 20

/**
 * What a tool found as the model reads it: of a long text its first and last part, how much stood between them, and
 * how to get at the passages that are not whole any more.
 */
export function cutObservation({ content, observations = [] }: ToolResult, options: CutOptions): string {
  const { observationCharacters: most, tools } = options
  if (content.length <= most) return content
  const half = Math.floor(most / 2)
  const [first, last] = [content.slice(0, half), content.slice(-half)]
  const isWhole = ({ text }: Observation) => [first, last].some((part) => part.includes(fencedText(text)))
  const missing = observations.filter((each) => each.origin === 'documents' && !isWhole(each))
  const note = `${content.length - 2 * half} characters left out`
  const canRead = missing.length > 0 && tools.some(({ name }) => name === readingTool)
  return `${first}\n[… ${note}${canRead ? pointer(missing) : ''} …]\n${last}`
}

function pointer(missing: readonly Observation[]): string {
  const ids = missing.slice(0, mostNamed).map(({ passageId }) => passageId)
  const more = missing.length > ids.length ? ` and ${missing.length - ids.length} more` : ''
  return `; call ${readingTool} with "passage" to read what is missing, one of: ${ids.join(', ')}${more}`
}
