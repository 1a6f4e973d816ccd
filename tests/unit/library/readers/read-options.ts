import type { Block, ReadDocument } from '../../../../src/library/port/document.ts'
import type { ReadOptions } from '../../../../src/library/readers/common/read-options.ts'

export const roomy: ReadOptions = { passwords: [], limits: { pages: 1000, characters: 10_000_000 } }

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** Kind and text of every block. */
export function blockTexts(document: ReadDocument): [Block['kind'], string][] {
  return document.blocks.map(({ kind, page, start, end }) => [
    kind,
    document.pages.find((each) => each.number === page)!.text.slice(start, end),
  ])
}
