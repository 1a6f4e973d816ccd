type Attributes = Readonly<Record<string, string>>

/** Whether an element shows nothing of its text, by its own attributes. */
export function isHidden(attributes: Attributes): boolean {
  if ('hidden' in attributes || attributes['aria-hidden'] === 'true') return true
  const style = declarations(attributes.style ?? '')
  const color = style.get('color')
  return (
    style.get('display') === 'none' ||
    ['hidden', 'collapse'].includes(style.get('visibility') ?? '') ||
    isZero(style.get('opacity')) ||
    isZero(style.get('font-size')) ||
    color === 'transparent' ||
    (color !== undefined &&
      colorOf(color) === colorOf(style.get('background-color') ?? style.get('background') ?? '')) ||
    ['left', 'top', 'right', 'text-indent', 'margin-left'].some((side) => isFarOff(style.get(side))) ||
    /^rect\(\s*[01](?:px)?\b/u.test(style.get('clip') ?? '')
  )
}

function declarations(style: string): ReadonlyMap<string, string> {
  const pairs = style
    .toLowerCase()
    .split(';')
    .map((each) => each.split(':'))
  return new Map(pairs.map(([name = '', value = '']) => [name.trim(), value.replace('!important', '').trim()]))
}

/** "0", "0.0", "0px", "0%". */
function isZero(value: string | undefined): boolean {
  return value !== undefined && value !== '' && Number.parseFloat(value) === 0
}

/** Beyond the edge of any page. */
function isFarOff(value: string | undefined): boolean {
  return value !== undefined && Number.parseFloat(value) <= -500
}

const names: ReadonlyMap<string, string> = new Map([
  ['white', '#ffffff'],
  ['black', '#000000'],
])

/** "#fff" is "#ffffff". */
function colorOf(value: string): string {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/u.exec(value)
  return short
    ? `#${short
        .slice(1)
        .map((digit) => digit + digit)
        .join('')}`
    : (names.get(value) ?? value.replaceAll(' ', ''))
}
