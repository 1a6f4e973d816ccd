import { InvalidToolInput } from '../errors.ts'

/** The documents that a tool may look into: what the model names can only narrow what the run is limited to. */
export function chosenDocuments(
  asked: readonly string[],
  allowed: readonly string[] | null,
  tool: string,
): readonly string[] | null {
  if (asked.length === 0) return allowed
  const refused = allowed ? asked.filter((documentId) => !allowed.includes(documentId)) : []
  if (allowed && refused.length > 0) {
    throw new InvalidToolInput(
      `${tool}: this question is limited to other documents than ${refused.join(', ')}; search ${allowed.join(', ')}.`,
    )
  }
  return [...new Set(asked)]
}
