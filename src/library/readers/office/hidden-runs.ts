import { markupParser } from '../common/markup.ts'

interface Run {
  readonly start: number
  isHidden: boolean
  isShaded: boolean
  isWhite: boolean
}

/** WordprocessingML without the runs that are hidden, white on white, or of no size. */
export function shownXml(xml: string): string {
  const open: Run[] = []
  let properties = 0
  let shown = ''
  let from = 0
  const parser = markupParser(
    {
      onopentag(name, attributes) {
        const run = open.at(-1)
        if (name === 'w:r') open.push({ start: parser.startIndex, isHidden: false, isShaded: false, isWhite: false })
        else if (name === 'w:rPr') properties += 1
        else if (run && properties > 0) note(run, name, attributes['w:val'], attributes['w:fill'])
      },
      onclosetag(name) {
        if (name === 'w:rPr') properties -= 1
        const run = name === 'w:r' ? open.pop() : undefined
        if (!run || run.start < from || !(run.isHidden || (run.isWhite && !run.isShaded))) return
        shown += xml.slice(from, run.start)
        from = parser.endIndex + 1
      },
    },
    { xmlMode: true },
  )
  parser.end(xml)
  return shown + xml.slice(from)
}

function note(run: Run, name: string, value = '', fill = ''): void {
  if (name === 'w:vanish' || name === 'w:webHidden') run.isHidden ||= !/^(?:0|false|off)$/u.test(value)
  // Half points.
  else if (name === 'w:sz') run.isHidden ||= Number(value) <= 2
  else if (name === 'w:color') run.isWhite = value.toUpperCase() === 'FFFFFF'
  else if (name === 'w:highlight') run.isShaded ||= value !== 'none' && value !== 'white'
  else if (name === 'w:shd') run.isShaded ||= !/^(?:auto|FFFFFF)?$/iu.test(fill)
}
