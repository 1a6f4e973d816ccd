import { describe, expect, it } from 'vitest'
import { postgresMissing } from '../../../../fixtures/storage/postgres-server.ts'
import { inOwnFolder, storages } from '../../../../fixtures/storage/storages.ts'

const open = storages.PostgreSQL

describe.skipIf(!open)(`vectors in PostgreSQL (${postgresMissing ?? 'installed'})`, () => {
  it('are worked on by one process at a time, and a stop ends the wait', async () => {
    if (!open) return
    const { folder, storage, close } = await inOwnFolder(open)
    const other = await open(folder)
    let release = () => {}
    let holding: Promise<void> | undefined
    await new Promise<void>((isHeld) => {
      holding = other.vectors.exclusively(() => {
        isHeld()
        return new Promise((resolve) => {
          release = resolve
        })
      })
    })
    const controller = new AbortController()
    let began = 0
    const begin = async () => {
      began += 1
    }
    const stopped = storage.vectors.exclusively(begin, controller.signal)
    controller.abort(new Error('stopped'))
    await expect(stopped).rejects.toThrow('stopped')
    const next = storage.vectors.exclusively(begin)
    expect(began).toBe(0)
    release()
    await Promise.all([holding, next])
    expect(began).toBe(1)
    await other.close()
    await close()
  })
})
