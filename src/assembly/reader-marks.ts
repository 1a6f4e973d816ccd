import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ReaderMarks } from '../agents/second-reading.ts'
import { privateFile, privateFolder } from '../private-files.ts'

const file = 'readers.json'
const stored = z.record(z.string(), z.number().int().min(0))

/** The marks of examined readers, in `readers.json` of the data folder; of `:memory:` in memory. A file that cannot be read is made anew. */
export function readerMarks(dataDir: string): ReaderMarks {
  if (dataDir === ':memory:') return marksInMemory()
  const path = join(dataDir, file)
  const read = async () => {
    const text = await readFile(path, 'utf8').catch(() => '{}')
    return stored.safeParse(jsonOf(text)).data ?? {}
  }
  return {
    of: async (reader) => (await read())[reader] ?? null,
    async keep(reader, mark) {
      const marks = { ...(await read()), [reader]: mark }
      await mkdir(dataDir, { recursive: true, mode: privateFolder })
      // Runs of one process may be examined at the same time.
      const draft = `${path}.${randomUUID()}.part`
      await writeFile(draft, `${JSON.stringify(marks, null, 2)}\n`, { mode: privateFile })
      await rename(draft, path)
    },
  }
}

function marksInMemory(): ReaderMarks {
  const marks = new Map<string, number>()
  return { of: async (reader) => marks.get(reader) ?? null, keep: async (reader, mark) => void marks.set(reader, mark) }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
