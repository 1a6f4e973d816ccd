/** A TIFF's directories, one for each page, are a chain from its header: [TIFF 6.0, section 2](https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf). */
const headerOffset = 4
const entryLength = 12

/**
 * The file once for each of its pages, which a reader of single pictures then finds first; any other picture once. One array
 * in all: a page has to be used before the next is asked for.
 */
export function* tiffPages(bytes: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isLittle = bytes[0] === 0x49
  const isOrdered = bytes.length > 8 && bytes[0] === bytes[1] && (isLittle || bytes[0] === 0x4d)
  const isTiff = isOrdered && view.getUint16(2, isLittle) === 42
  // A hostile chain may lead back, or out of the file.
  const seen = new Set<number>()
  let at = isTiff ? view.getUint32(headerOffset, isLittle) : 0
  while (at > 0 && at + 2 <= bytes.length && !seen.has(at)) {
    seen.add(at)
    view.setUint32(headerOffset, at, isLittle)
    yield bytes
    const next = at + 2 + entryLength * view.getUint16(at, isLittle)
    at = next + 4 <= bytes.length ? view.getUint32(next, isLittle) : 0
  }
  if (seen.size === 0) yield bytes
}
