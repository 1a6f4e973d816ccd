import { structuredPatch } from 'diff'

/** So many lines that both texts have stand around one that they do not share. */
const around = 2

/**
 * What must be taken out of one text (`- …`) and put in (`+ …`) to make the other, with a few of the lines around it, and
 * "…" where lines are left out; empty for the same text.
 */
export function lineDiff(before: string, after: string): string {
  // Without an end of line, the last line would count as unlike one that goes on.
  const { hunks } = structuredPatch('', '', `${before}\n`, `${after}\n`, undefined, undefined, { context: around })
  return hunks.flatMap(({ oldStart, lines }) => [...(oldStart > 1 ? ['…'] : []), ...lines.map(spaced)]).join('\n')
}

/** A space behind the sign. */
function spaced(line: string): string {
  return `${line.slice(0, 1)} ${line.slice(1)}`.trimEnd()
}
