import { describe, expect, it, vi } from 'vitest'
import type { Quaero } from '../../../src/index.ts'
import { TooManyRequests } from '../../../src/server/access/refusals.ts'
import { OwnLibraries, type OwnLibrariesOptions } from '../../../src/server/user/libraries.ts'

/** Libraries whose engines only tell when they are opened and closed. */
function libraries(options: Partial<OwnLibrariesOptions> = {}) {
  const told: string[] = []
  const open = async (name: string) => {
    told.push(`open ${name}`)
    const close = async () => void told.push(`close ${name}`)
    return { quaero: { close } as Partial<Quaero> as Quaero, dataDir: `/data/${name}` }
  }
  return { told, own: new OwnLibraries({ open, most: 2, ...options }) }
}

const [alice, bob, carol] = ['alice', 'bob', 'carol'].map((name) => ({ name })) as [
  { name: string },
  { name: string },
  { name: string },
]

describe('libraries of users', () => {
  it('are opened once, when they are first used', async () => {
    const { told, own } = libraries()
    expect(told).toEqual([])
    const [first, second] = await Promise.all([own.of(alice), own.of(alice)])
    expect([first.library === second.library, first.library.dataDir, told]).toEqual([
      true,
      '/data/alice',
      ['open alice'],
    ])
  })

  it('are closed when another needs the place, the one that was used least recently first', async () => {
    const { told, own } = libraries()
    for (const user of [alice, bob, alice, carol]) (await own.of(user)).release()
    await vi.waitFor(() => expect(told).toEqual(['open alice', 'open bob', 'close bob', 'open carol']))
  })

  it('are not closed while a request or a run holds them: the next user is refused', async () => {
    const { told, own } = libraries({ most: 1 })
    const { library, release } = await own.of(alice)
    const leave = library.hold()
    release()
    await expect(own.of(bob)).rejects.toThrow(TooManyRequests)
    leave()
    await own.of(bob)
    expect(told).toEqual(['open alice', 'close alice', 'open bob'])
  })

  it('are closed once nobody has used them for a while, and opened again only after that', async () => {
    const { told, own } = libraries({ idleMs: 5 })
    ;(await own.of(alice)).release()
    await vi.waitFor(() => expect(told).toEqual(['open alice', 'close alice']))
    const { release } = await own.of(alice)
    expect(told).toEqual(['open alice', 'close alice', 'open alice'])
    release()
    await own.close()
    expect(told.at(-1)).toBe('close alice')
  })

  it('that cannot be opened are tried again by the next request', async () => {
    let isBroken = true
    const { own } = libraries({
      open: async () => {
        if (isBroken) throw new Error('The folder cannot be read.')
        return { quaero: {} as Quaero, dataDir: '/data/alice' }
      },
    })
    await expect(own.of(alice)).rejects.toThrow('cannot be read')
    isBroken = false
    expect((await own.of(alice)).library.dataDir).toBe('/data/alice')
  })
})
