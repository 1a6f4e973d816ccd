import { ToolFailed } from '../../errors.ts'

/** Reads a response's body, decompressed, and gives up as soon as it is longer than `maxBytes`. Throws `ToolFailed`. */
export async function limitedBody(
  body: AsyncIterable<Uint8Array> | null,
  options: { readonly maxBytes: number; readonly host: string },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.byteLength
    if (length > options.maxBytes) {
      throw new ToolFailed(
        `${options.host} sent more than ${megabytes(options.maxBytes)}, which is the most that is read.`,
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

function megabytes(bytes: number): string {
  return `${Math.round((bytes / 1_000_000) * 10) / 10} MB`
}
