import JSZip from 'jszip'
import { makeZip } from '../../../tests/fixtures/documents/make-docx.ts'
import type { Sound } from './documents.ts'

type Random = () => number

/** What a mutation may insert: what parsers look for, in numbers that they do not expect. */
const tokens = [
  ...[
    '> ',
    '- ',
    '[',
    '](',
    '![a](',
    '**',
    '_',
    '`',
    '<!--',
    '<![CDATA[',
    '&#x41;',
    '&',
    '|',
    '\t',
    '\r\n',
    '"',
    ',',
    '--b\r\n',
  ],
  ...[
    '<div>',
    '<table><tr><td>',
    '<ul><li>',
    '<b>',
    '</p>',
    '<a:t>',
    '<w:tbl><w:tr><w:tc>',
    '<w:r>',
    '<row r="1048576">',
    '<c r="XFD1048576">',
  ],
  ...[
    'obj\n<<',
    '/Kids [3 0 R]',
    '[',
    '<<',
    'stream\n',
    '(',
    '0 0 R ',
    'q ',
    'BT ',
    '/Filter [/FlateDecode]',
    '%PDF-',
    'PK\u0003\u0004',
  ],
  ...['\u0000', '\u202e', '\u200b', '\ufeff', 'e\u0301', '=?UTF-8?B?', '=3D', '{"lc":1}', '__proto__', '\u001b[2J'],
]
const numbers = ['0', '-1', '65536', '2147483648', '4294967295', '99999999999999999999', '1e309', 'NaN']

/** No mutant is larger. */
const largest = 2_000_000
const mostChanges = 8

/** The file with one to eight changes; of an archive most often to a file in it, since its checksums would give others away. */
export async function mutate(sound: Sound, others: readonly Sound[], random: Random): Promise<Buffer> {
  const archive = random() < 0.8 ? await entriesOf(sound.bytes) : null
  if (archive === null) return changed(sound.bytes, others, random)
  const name = pick(Object.keys(archive), random)
  const bytes = archive[name]
  return Buffer.from(makeZip(bytes === undefined ? archive : { ...archive, [name]: changed(bytes, others, random) }))
}

async function entriesOf(bytes: Uint8Array): Promise<Record<string, Uint8Array> | null> {
  if (Buffer.from(bytes.subarray(0, 2)).toString() !== 'PK') return null
  const files = Object.values((await JSZip.loadAsync(bytes)).files).filter(({ dir }) => !dir)
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file.name, await file.async('uint8array')])))
}

function changed(bytes: Uint8Array, others: readonly Sound[], random: Random): Buffer {
  const count = 1 + Math.floor(mostChanges * random() ** 2)
  let result: Buffer = Buffer.from(bytes)
  for (let at = 0; at < count; at += 1) {
    result = pick(changes, random)(result, random, pick(others, random).bytes).subarray(0, largest)
  }
  return result
}

type Change = (bytes: Buffer, random: Random, other: Uint8Array) => Buffer

const changes: readonly Change[] = [
  function flipBits(bytes, random) {
    const result = Buffer.from(bytes)
    for (let left = 1 + Math.floor(20 * random()); left > 0 && result.length > 0; left -= 1) {
      const at = Math.floor(result.length * random())
      result[at] = (result[at] ?? 0) ^ (1 << Math.floor(8 * random()))
    }
    return result
  },
  function cut(bytes, random) {
    return bytes.subarray(0, Math.floor(bytes.length * random()))
  },
  function leaveOut(bytes, random) {
    const { start, end } = stretch(bytes, random)
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
  },
  function repeat(bytes, random) {
    const { start, end } = stretch(bytes, random)
    const times = Math.ceil(1000 ** random())
    const fitting = Math.max(1, Math.min(times, Math.floor(largest / Math.max(1, end - start))))
    const copies = Array.from({ length: fitting }, () => bytes.subarray(start, end))
    return Buffer.concat([bytes.subarray(0, start), ...copies, bytes.subarray(start)])
  },
  function insertTokens(bytes, random) {
    const text = pick(tokens, random).repeat(Math.ceil(100_000 ** random()))
    return insert(bytes, Buffer.from(text).subarray(0, largest), random)
  },
  function insertOther(bytes, random, other) {
    const { start, end } = stretch(Buffer.from(other), random)
    return insert(bytes, Buffer.from(other).subarray(start, end), random)
  },
  function changeNumber(bytes, random) {
    // As latin1, so that every byte stays what it is.
    const text = bytes.toString('latin1')
    const found = [...text.matchAll(/\d+/g)]
    if (found.length === 0) return bytes
    const { 0: old, index } = pick(found, random)
    return Buffer.from(text.slice(0, index) + pick(numbers, random) + text.slice(index + old.length), 'latin1')
  },
  function overwrite(bytes, random) {
    const { start, end } = stretch(bytes, random)
    const noise = Buffer.from(Array.from({ length: end - start }, () => Math.floor(256 * random())))
    return Buffer.concat([bytes.subarray(0, start), noise, bytes.subarray(end)])
  },
]

/** A stretch of the file, most often a short one. */
function stretch(bytes: Buffer, random: Random): { readonly start: number; readonly end: number } {
  const start = Math.floor(bytes.length * random())
  const length = Math.floor((bytes.length - start) * random() ** 3)
  return { start, end: start + Math.min(length, 10_000) }
}

function insert(bytes: Buffer, inserted: Uint8Array, random: Random): Buffer {
  const at = Math.floor((bytes.length + 1) * random())
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)])
}

/** One of several; there must be one. */
export function pick<T>(items: readonly T[], random: Random): T {
  const item = items[Math.floor(items.length * random())]
  if (item === undefined) throw new RangeError('There is nothing to pick from')
  return item
}
