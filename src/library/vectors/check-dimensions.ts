import { EmbeddingInvalid } from '../../errors.ts'

/**
 * Throws `EmbeddingInvalid` for a vector that cannot be compared with those stored. One such reply may be a fault of the
 * endpoint, so it never takes the place of what was paid for: a person decides.
 */
export function checkDimensions(
  { length }: Float32Array,
  { model, dimensions }: { readonly model: string; readonly dimensions: number },
): void {
  if (length === dimensions) return
  throw new EmbeddingInvalid(
    `${model} gives vectors of ${length} dimensions instead of the ${dimensions} of those stored. If the model has ` +
      'changed for good, run: quaero library embed --anew',
  )
}
