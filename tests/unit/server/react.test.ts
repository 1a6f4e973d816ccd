import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import type { Quaero } from '../../../src/index.ts'
import { serve } from '../../../src/server/serve.ts'
import { speakingEndpoint, usualLines } from '../../fixtures/speaking-endpoint.ts'
import { gate, openQuaero } from '../../fixtures/workflow.ts'
import { sendingMail } from './served.ts'

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find(existsSync)
if (!executablePath) console.warn('Chromium is not installed: the examples for React are not tested.')

const folder = join(import.meta.dirname, '../../../examples/10-react')
const hooks = ['use-stream', 'langchain-react', 'use-chat'] as const
type Hook = (typeof hooks)[number]

const marble = 'How many pages does the Marble corpus hold?'
const token = 'a-token-for-this-test'

let browser: Browser
let pages: ReadonlyMap<string, string>
beforeAll(async () => {
  if (!executablePath) return
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const entryPoints = hooks.map((hook) => join(folder, `${hook}.tsx`))
  const built = await build({
    entryPoints,
    bundle: true,
    write: false,
    format: 'esm',
    outdir: '/',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  })
  pages = new Map(built.outputFiles.map(({ path, text }) => [path, text]))
}, 60_000)
afterAll(() => browser?.close())

/** The page of a hook on an origin of its own, over a server that allows it; the way of each request is noted. */
async function openPage(hook: Hook, quaero: Quaero) {
  const site = createServer((request, response) => {
    const script = pages.get(request.url ?? '')
    response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html')
    response.end(script ?? `<!doctype html><meta charset="utf-8"><script type="module" src="/${hook}.js"></script>`)
  })
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void site.close())
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const settings = loadConfig({ overrides: { server: { origins: [origin] } }, env: {} }).settings
  const openAt = async () => quaero
  const at = { dataDir: ':memory:', port: 0, host: '127.0.0.1' }
  const server = await serve({ quaero, openAt, version: '0', settings, ...at, token })
  onTestFinished(() => server.close(() => quaero.close()))
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  await page.goto(`${origin}/#server=${new URL(server.url).origin}&token=${token}`)
  await page.getByRole('textbox', { name: 'Question' }).waitFor()
  return { page, complaints }
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Question' }).fill(question)
  await page.keyboard.press('Enter')
}

const idle = (page: Page) => page.locator('main[aria-busy=false]').waitFor()
const said = (page: Page, role: 'user' | 'assistant') =>
  page.locator(`article[data-role=${role}] > p`).allTextContents()

/** An engine whose second half of the answer waits until the test lets it come. */
async function writingSlowly() {
  const rest = gate()
  const content = 'It holds 81.1 million pages.<cite id="P1">holds 81.1 million pages</cite>'
  const endpoint = await speakingEndpoint({
    synthesis: [{ content, secondHalf: rest.opened }, usualLines.synthesis],
  })
  const quaero = await openQuaero({ model: 'openai:test-model', settings: { endpoint: { baseUrl: endpoint.url } } })
  return { quaero, rest }
}

describe.skipIf(!executablePath).each(hooks)('the example with %s', { timeout: 60_000, tags: ['slow'] }, (hook) => {
  it('asks, shows the answer with its source, and keeps the conversation after a reload', async () => {
    const { page, complaints } = await openPage(hook, await openQuaero())
    await ask(page, marble)
    await page.getByText('81.1 million pages').first().waitFor()
    await idle(page)
    expect(await said(page, 'user')).toEqual([marble])
    const [answer = ''] = await said(page, 'assistant')
    expect(answer).toContain('81.1 million pages')
    expect(await page.locator('blockquote').first().textContent()).toContain('[1]')
    await page.reload()
    await page.getByText('81.1 million pages').first().waitFor()
    expect([await said(page, 'user'), await said(page, 'assistant')]).toEqual([[marble], [answer]])
    await ask(page, 'When was it released?')
    await page.getByText('2021').first().waitFor()
    await idle(page)
    expect(await said(page, 'user')).toEqual([marble, 'When was it released?'])
    expect(await said(page, 'assistant')).toEqual([answer, expect.stringContaining('2021')])
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('goes on after a reload in the middle of an answer, and shows all of it', async () => {
    const { quaero, rest } = await writingSlowly()
    const { page, complaints } = await openPage(hook, quaero)
    await ask(page, marble)
    // The hook of the AI SDK is given the text once it is verified.
    if (hook === 'use-chat') await page.locator('main[aria-busy=true]').waitFor()
    else await page.locator('article[data-role=assistant] > p', { hasText: 'It holds' }).waitFor()
    await expect.poll(() => page.url()).toContain('thread=')
    await page.reload()
    await page.locator('article[data-role=user]').waitFor()
    rest.open()
    await page.locator('article[data-role=assistant] > p', { hasText: '81.1 million pages' }).waitFor()
    await idle(page)
    expect(await said(page, 'user')).toEqual([marble])
    expect(await said(page, 'assistant')).toEqual([expect.stringMatching(/^It holds 81\.1 million pages\. ?\[1\]$/)])
    expect(complaints).toEqual([])
  })

  it('asks the person before a tool is used, and goes on with the decision', async () => {
    const { quaero, sent } = await sendingMail()
    const { page, complaints } = await openPage(hook, quaero)
    await ask(page, marble)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('81.1 million pages').first().waitFor()
    await idle(page)
    expect(sent).toEqual(['lund'])
    expect(await said(page, 'user')).toEqual([marble])
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
