import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ConfigInvalid } from '../../../src/index.ts'
import { ownToken, usersIn } from '../../../src/server/access/users.ts'

describe('a file of users', () => {
  it('names a user and a token on each line, beside comments', () => {
    const users = usersIn('# who may ask\nalice 0123456789abcdef\n\n  bob fedcba9876543210  \n', 'users.txt')
    expect(users('0123456789abcdef')).toEqual({ name: 'alice' })
    expect(users('fedcba9876543210')).toEqual({ name: 'bob' })
    expect(users('0123456789abcde')).toBeNull()
    expect(users('')).toBeNull()
  })

  it.each([
    ['', 'names no user'],
    ['alice', 'line 1: a line is a name and a token'],
    ['\nalice 0123456789abcdef more', 'line 2: a line is a name and a token'],
    ['Al_ice 0123456789abcdef', 'line 1: a name has 1 to 32 small letters'],
    ['alice short', 'line 1: a token has at least 16'],
    ['alice 0123456789abcdef\nalice fedcba9876543210', 'the same name'],
    ['alice 0123456789abcdef\nbob 0123456789abcdef', 'the same token'],
  ])('like %j is refused without its tokens being said', (text, why) => {
    expect(() => usersIn(text, 'users.txt')).toThrow(ConfigInvalid)
    expect(() => usersIn(text, 'users.txt')).toThrow(why)
    expect(() => usersIn(text, 'users.txt')).not.toThrow('0123456789')
  })
})

describe('the token of one person', () => {
  it('is made once, kept in the data folder, and readable for that person alone', () => {
    const folder = mkdtempSync(join(tmpdir(), 'token-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const token = ownToken(folder, undefined)
    expect(token.length).toBeGreaterThan(30)
    expect(ownToken(folder, undefined)).toBe(token)
    expect(readFileSync(join(folder, 'server-token'), 'utf8').trim()).toBe(token)
    expect(statSync(join(folder, 'server-token')).mode & 0o777).toBe(0o600)
  })

  it('may be given, unless it can be guessed', () => {
    expect(ownToken('/nowhere', 'a-token-of-my-own')).toBe('a-token-of-my-own')
    expect(() => ownToken('/nowhere', 'short')).toThrow(ConfigInvalid)
  })
})
