import { yearIn } from '../../language/characters.ts'
import type { ReadDocument } from '../../port/document.ts'
import { documentWriter, joinCaptions } from '../common/document-writer.ts'
import type { ReadOptions } from '../common/read-options.ts'
import { withoutPublisher } from '../common/stated.ts'
import { writeHtml } from '../html/html.ts'
import { elementsOf, pathFrom, readArchive, statedProperties, textOf, walkXml } from './archive.ts'

/** Reads the chapters of an e-book in the order in which it is read, divided by their headings. One page. */
export async function readEpub(bytes: Uint8Array, options: ReadOptions): Promise<ReadDocument> {
  return readArchive(bytes, 'EPUB e-book', async (file) => {
    let root = ''
    walkXml(await textOf(file, 'META-INF/container.xml'), {
      open: (name, attributes) => {
        if (name === 'rootfile' && root === '') root = attributes['full-path'] ?? ''
      },
    })
    const book = await textOf(file, root)
    const writer = joinCaptions(documentWriter(options.limits))
    writer.page(1)
    for (const path of chaptersOf(book, root)) writeHtml(await textOf(file, path), writer)
    return { format: 'epub', ...bookMetadata(book), ...writer.finish() }
  })
}

function chaptersOf(book: string, root: string): readonly string[] {
  const folder = root.slice(0, root.lastIndexOf('/') + 1)
  const files = new Map<string, string>()
  const chapters: string[] = []
  walkXml(book, {
    open: (name, { id = '', href = '', idref = '' }) => {
      if (name === 'item') files.set(id, pathFrom(folder, href))
      const path = name === 'itemref' ? files.get(idref) : undefined
      if (path) chapters.push(path)
    },
  })
  return chapters
}

function bookMetadata(book: string): Pick<ReadDocument, 'title' | 'authors' | 'year'> {
  const read = elementsOf(book)
  const title = withoutPublisher(read.get('dc:title')?.[0] ?? '', read.get('dc:publisher') ?? [])
  const year = yearIn(read.get('dc:date')?.[0] ?? '')
  const from = 'e-book metadata'
  return {
    ...statedProperties(title, read.get('dc:creator'), from),
    year: year === null ? null : { value: year, from },
  }
}
