import { describe, expect, it } from 'vitest'
import { drawLines, makePdf } from '../fixtures/documents/make-pdf.ts'
import { folderOf, setUpPages } from '../fixtures/page-tests.ts'
import { browserPath } from '../fixtures/stage.ts'

const pages = setUpPages('uploads on the page are not tried.', {})

const text = (title: string) => `# ${title}\n\nThe ${title} stands in shallow water.\n`

async function upload(files: Readonly<Record<string, string | Uint8Array>>, held?: RegExp) {
  const { page, complaints } = await pages.open()
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const sent: string[] = []
  await page.route(/api\/documents\?name=/, async (route) => {
    const name = decodeURIComponent(new URL(route.request().url()).searchParams.get('name') ?? '')
    sent.push(name)
    if (held?.test(name)) await released
    await route.continue()
  })
  await page.getByRole('button', { name: 'Documents' }).click()
  await page.getByLabel('Files to add').setInputFiles(folderOf(files).paths)
  const row = (name: string) => page.locator('.uploads li', { hasText: name })
  const added = (name: string) => row(name).and(page.locator('.added')).waitFor()
  return { page, complaints, release, sent, row, added }
}

describe.skipIf(!browserPath)('files that are added on the page', { timeout: 120_000 }, () => {
  it('do not wait behind a slow one, and are few at once, the small ones first', async () => {
    const slow = text('stork').repeat(2000)
    const small = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e'].map((name, at) => [`${name}.md`, text('x'.repeat(9 - at))]),
    )
    const { page, release, row, sent, added } = await upload(
      { 'slow.md': slow, 'slow-too.md': `${slow}!`, ...small },
      /slow/,
    )
    await page.locator('.uploads .added').nth(4).waitFor()
    expect(sent.slice(0, 3)).toEqual(['e.md', 'd.md', 'c.md'])
    expect(await row('slow.md').locator('progress').count()).toBe(1)
    release()
    await added('slow.md')
    await added('slow-too.md')
  })

  it('that are encrypted ask for their password, until it is right', async () => {
    const locked = makePdf([drawLines(['On herons', 'A heron eats fish.'], { x: 72, y: 700 })], {
      userPassword: 'hérön %',
    })
    const { page, complaints, added, row } = await upload({ 'locked.pdf': locked })
    const password = page.getByLabel('Password of locked.pdf')
    await password.fill('duck')
    await password.press('Enter')
    await row('locked.pdf').getByText('This password does not open it.').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await password.fill('hérön %')
    await page.getByRole('button', { name: 'Open' }).click()
    await added('locked.pdf')
    expect(await row('locked.pdf').locator('small').textContent()).toBe('added')
    expect(complaints).toEqual([])
  })

  it('that cannot be read offer no second try, and can be dismissed', async () => {
    const { page, row } = await upload({ 'a.xyz': 'x', 'broken.pdf': '%PDF-1.4 and nothing more' })
    await row('broken.pdf')
      .getByText(/damaged/)
      .waitFor()
    await row('a.xyz').getByText('Files of this kind cannot be read.').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Dismiss a.xyz' }).click()
    expect(await page.locator('.uploads li').allTextContents()).toEqual([expect.stringContaining('broken.pdf')])
    await page.getByRole('button', { name: 'Dismiss broken.pdf' }).click()
    expect(await page.locator('.uploads').count()).toBe(0)
  })

  it('are sent again where they did not reach the server', async () => {
    const { page, added } = await upload({})
    let isCut = true
    await page.route(/api\/documents\?name=/, (route) => (isCut ? route.abort() : route.fallback()))
    await page
      .getByLabel('Files to add')
      .setInputFiles([{ name: 'heron.md', mimeType: 'text/markdown', buffer: Buffer.from(text('heron')) }])
    await page.getByText('The server does not answer.').waitFor()
    isCut = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await added('heron.md')
  })
})
