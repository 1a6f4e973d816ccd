import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../../src/config.ts'
import { AddressRefused } from '../../../../src/errors.ts'
import { type WebPage, webPageReader } from '../../../../src/library/ingestion/web-page.ts'
import { runTool } from '../../../../src/tools/tool.ts'
import type { FetchedPage } from '../../../../src/tools/web/guarded-fetch.ts'
import { readPage } from '../../../../src/tools/web/read-page.ts'
import { passage, toolContext } from '../tool-context.ts'

const found = 'https://found.example/page?a=1'
const article = `<!doctype html><html><head><title>On accuracy</title><script>track()</script></head><body>
  <nav><a href="/">Home</a></nav>
  <article><h1>On accuracy</h1>
  <p>The <b>model</b> reaches an_accuracy of 87.2&nbsp;%, see <a href="https://evil.example/?q=secret">the report</a>
  and <a href="/about">about us</a>.</p>
  <p><img src="https://evil.example/pixel.png?q=secret" alt="pixel">${'A sentence that fills the page. '.repeat(30)}</p>
  <h2>Results</h2>
  <table><tr><th>Model</th><th>F1</th></tr><tr><td>Small</td><td>0.71</td></tr></table>
  <p>${'Nothing to be seen here at all. '.repeat(60)}</p>
  <p>${'How accurate the model is depends on luck. '.repeat(10)}</p>
  </article></body></html>`

describe('read_page', () => {
  it('reads a page that a search of this run returned', { tags: ['R21'] }, async () => {
    const { tool, fetched, stored } = reader(article)
    const result = await runTool(tool, { url: `${found}#section` }, afterSearch())
    expect(fetched).toEqual([found])
    expect(stored[0]).toMatchObject({ url: 'https://found.example/final', title: 'On accuracy' })
    expect(result.content).toContain('passages of the page on found.example.')
    expect(result.content).toContain('url="https://found.example/final"')
  })

  it.each([
    'https://found.example/page?a=2',
    'https://evil.example/?q=what+the+user+asked',
    'http://169.254.169.254/',
    'papers/a.pdf',
    'javascript:alert(1)',
    '',
  ])('refuses %j, which no search returned, and opens no connection', { tags: ['S1'] }, async (url) => {
    const { tool, fetched } = reader(article)
    await expect(runTool(tool, { url }, afterSearch())).rejects.toThrow(AddressRefused)
    expect(fetched).toEqual([])
  })

  it('takes no address from a document of the library for one that was found', { tags: ['S1'] }, async () => {
    const { tool } = reader(article)
    const context = toolContext({ observations: [passage({ source: found, origin: 'documents' })] })
    await expect(runTool(tool, { url: found }, context)).rejects.toThrow(AddressRefused)
  })

  it('gives passages of at most 120 words, whose spans lead into the kept text', { tags: ['R18'] }, async () => {
    const { tool, stored } = reader(article)
    const { observations = [] } = await runTool(tool, { url: found }, afterSearch())
    const text = stored[0]?.text ?? ''
    expect(observations.length).toBeGreaterThan(4)
    for (const observation of observations) {
      expect(text.slice(observation.start, observation.end)).toBe(observation.text)
      expect(observation.text.split(/\s+/).length).toBeLessThanOrEqual(120)
      expect(observation).toMatchObject({ origin: 'web', source: 'https://found.example/final', documentId: 'kept' })
    }
    expect(observations.find(({ kind }) => kind === 'table')).toMatchObject({
      text: 'Results\nModel | F1\nSmall | 0.71',
      section: expect.stringContaining('Results'),
    })
  })

  it('returns the passages of a long page that hold most of the question, in reading order', async () => {
    const { tool } = reader(article, 2)
    const { content, observations = [] } = await runTool(tool, { url: found }, afterSearch())
    expect(content).toMatch(/^2 of \d+ passages/)
    expect(observations.map(({ text }) => /accura/.test(text))).toEqual([true, true])
    expect(observations[0]?.start).toBeLessThan(observations[1]?.start ?? 0)
  })

  it('reads the beginning of a page that is far too long', { tags: ['S19'] }, async () => {
    const text = `${'!'.repeat(100_000)} ${'word, '.repeat(1_000_000)}`
    const { tool, stored } = reader(text, 5, 'text/plain')
    const { content } = await runTool(tool, { url: found }, afterSearch())
    expect(content).toMatch(/^5 of \d+ passages/)
    expect(stored[0]?.text.length).toBeLessThanOrEqual(500_000)
  })

  it('reads plain text as it is, and says when there is none', async () => {
    const plain = await runTool(
      reader('Line one.\r\n\r\nLine\u0007 two.', 5, 'text/plain').tool,
      { url: found },
      afterSearch(),
    )
    expect(plain.observations?.map(({ text }) => text)).toEqual(['Line one.\nLine two.'])
    const empty = await runTool(reader('<p></p>').tool, { url: found }, afterSearch())
    expect(empty).toEqual({ content: 'The page on found.example has no text to read.', observations: [] })
  })
})

describe('the text of a web page', () => {
  it('holds no image, no markup and no address', { tags: ['S2'] }, async () => {
    const { title, text } = await read({ contentType: 'text/html', text: article }, unstopped)
    expect(title).toBe('On accuracy')
    expect(text).toContain('The model reaches an_accuracy of 87.2 %, see the report and about us.')
    expect(text).toContain('Results\nModel | F1\nSmall | 0.71')
    expect(text).not.toMatch(/pixel|secret|track|https?:|[*<>]/)
  })

  it('is decoded once, whatever encoding the page names', async () => {
    const html = '<meta charset="iso-8859-1"><p>Zürich — 87.2 %</p>'
    expect(await read({ contentType: 'text/html', text: html }, unstopped)).toMatchObject({ text: 'Zürich — 87.2 %' })
  })

  it('is given up with its abort signal', { tags: ['S19'] }, async () => {
    const stop = new AbortController()
    const attempt = read({ contentType: 'text/html', text: slow }, stop.signal)
    setImmediate(() => stop.abort(new Error('no longer wanted')))
    await expect(attempt).rejects.toThrow('no longer wanted')
  })

  it('does not block this process while it is read', { tags: ['S19'] }, async () => {
    let turns = 0
    const ticking = setInterval(() => (turns += 1), 10)
    await read({ contentType: 'text/html', text: slow }, unstopped)
    clearInterval(ticking)
    expect(turns).toBeGreaterThan(10)
  })
})

const read = webPageReader(loadConfig({ env: {} }).settings.library)
const unstopped = new AbortController().signal
/** Takes about a second: the parser moves its long stack of open elements at each tag. */
const slow = `<p>Found.</p>${'<div>'.repeat(24_000)}${'<i></i>'.repeat(10_000)}`

function afterSearch() {
  return toolContext({ observations: [passage(), passage({ origin: 'web', source: found })] })
}

function reader(text: string, passages = 20, contentType: FetchedPage['contentType'] = 'text/html') {
  const fetched: string[] = []
  const stored: WebPage[] = []
  const tool = readPage({
    fetch: async (url) => {
      fetched.push(url)
      return { url: 'https://found.example/final', contentType, text }
    },
    read,
    store: async (page) => {
      stored.push(page)
      return { documentId: 'kept' }
    },
    passages,
  })
  return { tool, fetched, stored }
}
