import { basename } from 'node:path'
import type { Observation } from '../tools/tool.ts'

const longestTitle = 60

/** How a footnote names its place: "Zhang et al., 2021, Table 2, p. 5"; without authors the title, then the file name. */
export function citationLabel(observation: Observation): string {
  const { year, page, section, kind, source, origin } = observation
  const table = kind === 'table' ? /^(Table|Tab\.)\s*[\w.]+/i.exec(section ?? observation.text)?.[0] : undefined
  const place = origin === 'web' ? [hostOf(source)] : [...(table ? [table] : []), `p. ${page}`]
  return [whose(observation), ...(year ? [String(year)] : []), ...place].join(', ')
}

function whose({ authors, title, source, origin }: Observation): string {
  const [first, second, ...rest] = authors.map(surname)
  if (first && !second) return first
  if (first && second && rest.length === 0) return `${first} and ${second}`
  if (first) return `${first} et al.`
  if (title) return title.length > longestTitle ? `${title.slice(0, longestTitle - 1).trimEnd()}…` : title
  return origin === 'web' ? source : basename(source)
}

function surname(name: string): string {
  if (name.includes(',')) return name.split(',')[0]?.trim() ?? name
  return name.trim().split(/\s+/).at(-1) ?? name
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
