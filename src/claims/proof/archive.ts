import { inflateRawSync } from 'node:zlib'
import { inPlace, proofIn } from './carriers.ts'
import { type Parts, type Proof, type Proven, provenBy } from './proof.ts'

// A part of its own for data of other programs, as Office Open XML has them: Word and Excel keep it when they save.
export const proofPart = 'customXml/item1.xml'
const place = { open: '<proof xmlns="urn:quaero:proof">', close: '</proof>' }
const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
/** What all files of an archive may take together, unpacked. */
const mostBytes = 100_000_000

export function proofInXml(proof: Proof): string {
  return `${head}${inPlace(place, proof)}`
}

/** What a document of Word or a workbook proves; null if it carries no proof. Throws for what is no whole archive. */
export function archiveProven(bytes: Uint8Array): Proven | null {
  const files = new Map(filesIn(bytes))
  for (const [name, file] of files) {
    // Another program may have numbered them anew.
    const found = /^customXml\/item\d+\.xml$/.test(name) && proofIn(file.toString(), place)
    if (!found) continue
    files.delete(name)
    return provenBy(found.proof, found.isAsWritten && found.before === head && name === proofPart, files)
  }
  return null
}

/**
 * The files in an archive. Of a loose one programs read different things (what stands twice, between two files, before or
 * behind all, a name that a field takes the place of), so that only one without any is read: files side by side, then their list.
 */
export function filesIn(bytes: Uint8Array): Parts {
  const archive = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = archive.length - 22
  const files = new Map<string, Buffer>()
  // Beside where the list begins stand its size, the numbers of its disk and the length of a comment behind it.
  const list = archive.readUInt32LE(end + 16)
  const isAlone = archive.readUInt32LE(end + 4) === 0 && archive.readUInt16LE(end + 20) === 0
  mustBe(isAlone && archive.readUInt32LE(end + 12) === end - list && archive.readUInt32LE(end - 20) !== 0x07064b50)
  let [at, from, count, left] = [list, 0, 0, mostBytes]
  while (at < end && count < 65_535) {
    const { name, file, ...next } = fileAt(archive, at, from, left)
    // Some programs list folders, which hold nothing.
    if (!name.endsWith('/') || file.length > 0) {
      mustBe(!files.has(name))
      files.set(name, file)
    }
    at = next.at
    from = next.from
    count += 1
    left -= file.length
  }
  mustBe(archive.readUInt32LE(end) === 0x06054b50 && at === end && from === list)
  mustBe(archive.readUInt16LE(end + 8) === count && archive.readUInt16LE(end + 10) === count)
  return files
}

/** The file that is listed at a place and begins at another, and where the next one is and does. */
function fileAt(archive: Buffer, at: number, from: number, most: number) {
  const [flags, method] = [archive.readUInt16LE(at + 8), archive.readUInt16LE(at + 10)]
  const size = archive.readUInt32LE(at + 24)
  const nameEnd = at + 46 + archive.readUInt16LE(at + 28)
  const extraEnd = nameEnd + archive.readUInt16LE(at + 30)
  const name = archive.subarray(at + 46, nameEnd)
  const localEnd = from + 30 + archive.readUInt16LE(from + 26)
  const begin = localEnd + archive.readUInt16LE(from + 28)
  const end = begin + archive.readUInt32LE(at + 20)
  mustBe(archive.readUInt32LE(at) === 0x02014b50 && archive.readUInt32LE(from) === 0x04034b50)
  mustBe(archive.readUInt32LE(at + 42) === from && name.equals(archive.subarray(from + 30, localEnd)))
  // Flags, method and checks are the same in both places; no comment stands in the list.
  const isSame = archive.subarray(at + 8, at + 12).equals(archive.subarray(from + 6, from + 10))
  mustBe(isSame && (method === 0 || method === 8) && (flags & ~knownFlags) === 0 && archive.readUInt16LE(at + 32) === 0)
  mustBe(!namesAnew(archive.subarray(nameEnd, extraEnd)) && !namesAnew(archive.subarray(localEnd, begin)))
  // What is marked as a folder is one.
  mustBe(size <= most && (isFolder(name) || (archive.readUInt32LE(at + 38) & 0x10) === 0))
  const checks = archive.subarray(at + 16, at + 28)
  const mark = archive.readUInt32LE(end) === 0x08074b50 ? 4 : 0
  const isBehind = (flags & 8) !== 0
  // Where they stand behind it, each may be 0 before it.
  const isTold = (each: number) => {
    const told = archive.readUInt32LE(from + 14 + each)
    return told === checks.readUInt32LE(each) || (isBehind && told === 0)
  }
  mustBe([0, 4, 8].every(isTold))
  mustBe(!isBehind || archive.subarray(end + mark, end + mark + 12).equals(checks))
  const file = unpacked(archive.subarray(begin, end), method, size)
  return { name: name.toString(), file, at: extraEnd, from: isBehind ? end + mark + 12 : end }
}

/** How well it was packed, that its checks stand behind it, that its name is in UTF-8. */
const knownFlags = 0x080e

function isFolder(name: Buffer): boolean {
  return name.at(-1) === 0x2f
}

/** All that is packed is the file: nothing stands behind the end of its stream, which without its last byte has none. */
function unpacked(packed: Buffer, method: number, size: number): Buffer {
  if (method === 0) {
    mustBe(packed.length === size)
    return packed
  }
  const options = { maxOutputLength: Math.max(size, 1) }
  const file = inflateRawSync(packed, options)
  mustBe(file.length === size && endsThere(packed, options))
  return file
}

function endsThere(packed: Buffer, options: { readonly maxOutputLength: number }): boolean {
  try {
    inflateRawSync(packed.subarray(0, -1), options)
    return false
  } catch {
    return true
  }
}

/** Whether one of the extra fields is another name, or other sizes. */
function namesAnew(extra: Buffer): boolean {
  for (let at = 0; at < extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if ([0x7075, 0x0001].includes(extra.readUInt16LE(at))) return true
  }
  return false
}

function mustBe(isSo: boolean): void {
  if (!isSo) throw new Error('no archive that can be read in one way only')
}
