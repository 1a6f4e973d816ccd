import { inflateRawSync } from 'node:zlib'
import { DocumentUnreadable } from '../../errors.ts'

/** One file of a ZIP archive, still packed. */
export interface ZipEntry {
  readonly name: string
  readonly packed: Uint8Array
  readonly isDeflated: boolean
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const mostEntries = 10_000

/** Lists what a ZIP archive holds. Throws `DocumentUnreadable` (`malformed_file`) if it is none. */
export function zipEntries(bytes: Uint8Array): ZipEntry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const end = findEnd(view)
    const count = Math.min(view.getUint16(end + 10, true), mostEntries)
    const entries: ZipEntry[] = []
    let at = view.getUint32(end + 16, true)
    for (let index = 0; index < count && view.getUint32(at, true) === entrySignature; index++) {
      entries.push(readEntry(bytes, view, at))
      at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
    }
    return entries
  } catch (cause) {
    throw new DocumentUnreadable('malformed_file', 'It is damaged: its ZIP container cannot be read. Export it again', {
      cause,
    })
  }
}

function findEnd(view: DataView): number {
  for (let at = view.byteLength - 22; at >= Math.max(0, view.byteLength - 65_557); at--) {
    if (view.getUint32(at, true) === endSignature) return at
  }
  throw new RangeError('no end of central directory')
}

function readEntry(bytes: Uint8Array, view: DataView, at: number): ZipEntry {
  const nameLength = view.getUint16(at + 28, true)
  const header = view.getUint32(at + 42, true)
  const start = header + 30 + view.getUint16(header + 26, true) + view.getUint16(header + 28, true)
  return {
    name: new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + nameLength)),
    packed: bytes.subarray(start, start + view.getUint32(at + 20, true)),
    isDeflated: view.getUint16(at + 10, true) === 8,
  }
}

const mostRatio = 100
const ratioMatters = 1_000_000

/**
 * Unpacks one file. Throws `DocumentUnreadable`: `over_budget` if it grows more than a hundredfold (and beyond 1 MB)
 * or beyond `mostBytes`, whatever size its header claims; `malformed_file` if it is damaged.
 */
export function unzip(entry: ZipEntry, mostBytes: number): Uint8Array {
  if (!entry.isDeflated) return entry.packed
  const limit = Math.min(mostBytes, Math.max(ratioMatters, entry.packed.length * mostRatio))
  try {
    return inflateRawSync(entry.packed, { maxOutputLength: limit })
  } catch (cause) {
    if (cause instanceof RangeError) {
      throw new DocumentUnreadable(
        'over_budget',
        `It is packed like a ZIP bomb: ${entry.name} grows beyond ${limit} bytes. Open it in a word processor and save it again`,
        { cause },
      )
    }
    throw new DocumentUnreadable('malformed_file', `It is damaged: ${entry.name} cannot be unpacked. Export it again`, {
      cause,
    })
  }
}
