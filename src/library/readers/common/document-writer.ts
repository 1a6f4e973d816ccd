import type { Block, PageText } from '../../port/document.ts'
import { checkCharacters, type ReadLimits } from './read-options.ts'

/** Collects canonical text and its blocks, page by page, in reading order. */
export interface DocumentWriter {
  page(number: number, label?: string | null, header?: string | null): void
  /** The document's own title: a heading that no section stands under. */
  title(text: string): void
  /** `level` 1 is outermost. Text that follows stands under it, on later pages too. */
  heading(level: number, text: string): void
  paragraph(text: string): void
  /** One block: a caption and rows, one line each. */
  table(rows: readonly string[]): void
  /** Whether what is written now stands in the list of references. */
  inReferences(): boolean
  finish(): { readonly pages: PageText[]; readonly blocks: Block[] }
}

const longestHeading = 300
const referencesName =
  /^(?:[\dIVX]+\.?\s+)?(?:references|bibliography|literature cited|works cited|references and notes)\.?:?$/i

const fewestStrangers = 6

/** Entries hold a year, a link, pages or a volume. */
function looksLikeEntry(text: string): boolean {
  return /\b(?:1[89]|20)\d{2}[a-z]?\b|\bet al\b|https?:|\bdoi\b|\bpp?\.\s?\d|\bvol\.|\barxiv\b|^\[\w+\]/iu.test(text)
}

/** An empty document with page 1 open. `limits.characters` bounds the text of all pages together. */
export function documentWriter(limits: ReadLimits): DocumentWriter {
  const pages: PageText[] = []
  const blocks: Block[] = []
  let open: { number: number; label: string | null; header: string | null; text: string } | null = null
  let path: readonly { readonly level: number; readonly text: string }[] = []
  let section: readonly string[] = []
  let characters = 0

  const write = (kind: Block['kind'], text: string, under: readonly string[]): void => {
    if (text === '') return
    open ??= { number: 1, label: null, header: null, text: '' }
    characters += text.length + 1
    checkCharacters(characters, limits)
    const start = open.text === '' ? 0 : open.text.length + 1
    open.text += start === 0 ? text : `\n${text}`
    const last = blocks.at(-1)
    const extend = last && isRunning(kind) && last.kind === kind && last.page === open.number && last.section === under
    if (extend) blocks[blocks.length - 1] = { ...last, end: open.text.length }
    else blocks.push({ page: open.number, start, end: open.text.length, kind, section: under })
  }
  const closePage = (): void => {
    if (open) pages.push(open)
    open = null
  }

  /** Whether `section` stands in the list of references. */
  let inReferences = false
  /** Paragraphs of the list of references since the last that looks like an entry. */
  let strangers = 0

  return {
    inReferences: () => inReferences,
    page(number, label = null, header = null) {
      closePage()
      open = { number, label, header, text: '' }
    },
    title(text) {
      write('heading', text, [])
    },
    heading(level, text) {
      if (text === '') return
      strangers = 0
      path = [...path.filter((above) => above.level < level), { level, text: text.slice(0, longestHeading) }]
      section = path.map((above) => above.text)
      inReferences = section.some((name) => referencesName.test(name))
      write('heading', text, section)
    },
    paragraph(text) {
      if (inReferences) strangers = looksLikeEntry(text) ? 0 : strangers + 1
      if (inReferences && strangers >= fewestStrangers) {
        // The list ended without a heading that was recognised.
        path = path.slice(
          0,
          path.findIndex((above) => referencesName.test(above.text)),
        )
        section = path.map((above) => above.text)
        inReferences = false
      }
      write(inReferences ? 'references' : 'text', text, section)
    },
    table(rows) {
      write('table', rows.filter((row) => row !== '').join('\n'), section)
    },
    finish() {
      closePage()
      return { pages, blocks }
    },
  }
}

function isRunning(kind: Block['kind']): boolean {
  return kind === 'text' || kind === 'references'
}
