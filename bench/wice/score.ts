/** Whether a claim is supported by its page, and what a reader said; null: it gave no verdict. */
export interface ReadClaim {
  readonly supported: boolean
  readonly said: boolean | null
}

export interface ReadingScore {
  readonly accuracy: number
  /** Of the claims that are supported, and of those that are not; without a verdict a claim counts as not said to be either. */
  readonly f1Supported: number
  readonly f1Not: number
}

/** Accuracy over all claims, and F1 of both answers. */
export function scoreOf(claims: readonly ReadClaim[]): ReadingScore {
  const right = claims.filter(({ supported, said }) => supported === said).length
  return { accuracy: share(right, claims.length), f1Supported: f1Of(claims, true), f1Not: f1Of(claims, false) }
}

function f1Of(claims: readonly ReadClaim[], which: boolean): number {
  const said = claims.filter((each) => each.said === which)
  const wanted = claims.filter(({ supported }) => supported === which)
  const right = said.filter(({ supported }) => supported === which).length
  return share(2 * right, said.length + wanted.length)
}

function share(part: number, all: number): number {
  return all === 0 ? Number.NaN : part / all
}
