import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigInvalid } from '../../index.ts'

/** Who sends a request. The name is null where there is one person, who owns all that is stored. */
export interface User {
  readonly name: string | null
}

/** Finds the user of a token; null for a token that nobody has. */
export type Users = (token: string) => User | null

/** A name that may begin a thread id, before an underscore. */
const userName = /^[a-z0-9-]{1,32}$/
const shortestToken = 16

/** One person with one token. */
export function onePerson(token: string): Users {
  return usersOf([{ token, user: { name: null } }])
}

/**
 * Reads users from lines `name token`; empty lines and lines that begin with `#` are ignored. Throws `ConfigInvalid`, without
 * the token in its message.
 */
export function usersIn(text: string, file: string): Users {
  const lines = text.split('\n').map((line, index) => ({ words: line.trim().split(/\s+/), at: index + 1 }))
  const given = lines.filter(({ words: [first = ''] }) => first !== '' && !first.startsWith('#'))
  if (given.length === 0) throw new ConfigInvalid(`${file} names no user. Write one a line: a name and a token.`)
  const users = given.map(({ words, at }) => {
    const [name = '', token = ''] = words
    const problem = faultOfLine(words, name, token)
    if (problem) throw new ConfigInvalid(`${file}, line ${at}: ${problem}`)
    return { token, user: { name } }
  })
  for (const [what, values] of [
    ['name', users.map(({ user }) => user.name)],
    ['token', users.map(({ token }) => token)],
  ] as const) {
    if (new Set(values).size < values.length) throw new ConfigInvalid(`${file}: two users have the same ${what}.`)
  }
  return usersOf(users)
}

function faultOfLine(words: readonly string[], name: string, token: string): string | null {
  if (words.length !== 2) return 'a line is a name and a token, with a space between them.'
  if (!userName.test(name)) return 'a name has 1 to 32 small letters, digits and hyphens.'
  return token.length < shortestToken ? `a token has at least ${shortestToken} characters.` : null
}

/** Compares digests, so that the time of a comparison tells nothing of a token. */
function usersOf(users: readonly { readonly token: string; readonly user: User }[]): Users {
  const known = new Map(users.map(({ token, user }) => [digestOf(token), user]))
  return (token) => known.get(digestOf(token)) ?? null
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('base64')
}

/** The token of the person who runs the server; made at the first start, and readable for that person alone. */
export function ownToken(dataDir: string, given: string | undefined): string {
  if (given !== undefined) {
    if (given.length >= shortestToken) return given
    throw new ConfigInvalid(`QUAERO_TOKEN must have at least ${shortestToken} characters.`)
  }
  if (dataDir === ':memory:') return newToken()
  const file = join(dataDir, 'server-token')
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim()
    if (kept.length >= shortestToken) return kept
  }
  const token = newToken()
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(file, `${token}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
  return token
}

function newToken(): string {
  return randomBytes(24).toString('base64url')
}
