import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { quaero, startQuaero } from '../fixtures/command-line.ts'
import { libraryFolder } from '../fixtures/workflow.ts'

const question = 'How many pages does the Marble corpus hold?'

/** A library with one answer, and a browser that notes what it is to open. */
async function answered() {
  const cwd = await libraryFolder()
  const bin = join(cwd, 'bin')
  await mkdir(bin)
  const opened = join(cwd, 'opened')
  for (const name of ['xdg-open', 'open']) {
    await writeFile(join(bin, name), `#!/bin/sh\necho "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`, {
      mode: 0o755,
    })
  }
  const env = { PATH: `${bin}:${process.env.PATH}` }
  const asked = await quaero(['ask', question, '--json'], { cwd })
  const { runId } = JSON.parse(asked.out)
  return { cwd, env, runId, browser: () => vi.waitFor(() => readFile(opened, 'utf8'), { timeout: 10_000 }) }
}

describe('quaero open', { timeout: 60_000 }, () => {
  it('opens a footnote of the last answer in the server that runs, and of any run', async () => {
    const { cwd, env, runId, browser } = await answered()
    const server = startQuaero(['serve', '--port', '0', '--json'], { cwd })
    const { url, token } = JSON.parse(String((await once(server.child.stdout!, 'data'))[0]))
    const file = join(cwd, 'server.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const address = `${new URL(url).origin}/#/source/${runId}/1&token=${token}\n`
    for (const footnote of ['1', `${runId.slice(0, 8)}:1`]) {
      expect(await quaero(['open', footnote], { cwd, env })).toMatchObject({ code: 0, out: address, err: '' })
    }
    expect(await browser()).toBe(address)
    server.child.kill('SIGTERM')
    await server.ended
    expect(existsSync(file)).toBe(false)
  })

  it('serves the page itself if no server runs, also after one that was killed', { tags: ['slow'] }, async () => {
    const { cwd, env, runId, browser } = await answered()
    const killed = startQuaero(['serve', '--port', '0'], { cwd })
    await once(killed.child.stdout!, 'data')
    killed.child.kill('SIGKILL')
    await killed.ended
    expect(existsSync(join(cwd, 'server.json'))).toBe(true)
    const opening = startQuaero(['open', '1'], { cwd, env })
    await opening.says('Serving the page until Ctrl-C')
    const address = (await browser()).trim()
    expect(address).toContain(`/#/source/${runId}/1&token=`)
    expect((await fetch(new URL(address).origin)).status).toBe(200)
    opening.child.kill('SIGINT')
    expect((await opening.ended).code).toBe(0)
  })

  it.each([
    ['7', 'The answer has the footnotes 1; there is no 7 with a quote.'],
    ['first', '"first" is no footnote.'],
  ])('refuses the footnote %s', async (footnote, message) => {
    const { cwd, env } = await answered()
    const { code, err } = await quaero(['open', footnote], { cwd, env })
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })

  it('says that there is no answer yet', async () => {
    const { code, err } = await quaero(['open', '1'], { cwd: await libraryFolder() })
    expect([code, err]).toEqual([2, expect.stringContaining('There is no answer yet.')])
  })
})
