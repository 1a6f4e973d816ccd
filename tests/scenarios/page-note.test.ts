import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { papers, setUpPages } from '../fixtures/page-tests.ts'
import { askOn, browserPath } from '../fixtures/stage.ts'

const pages = setUpPages('notes on the page are not written.', { documents: [join(papers, 'lost-updates.pdf')] })

const text = 'Seen in print.\n<img src=x onerror="alert(1)"><script>alert(1)</script>'

describe.skipIf(!browserPath)('a note on the page', { timeout: 120_000, tags: ['Q21', 'slow'] }, () => {
  it('is written below the answer, stays with it, is written again, and removed', async () => {
    const { page, complaints } = await pages.open()
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = page.getByRole('textbox', { name: 'Your note' })
    const note = page.locator('.tools .box')
    await askOn(page, 'What share of the messages is lost when ten runs start at once?')
    await button('Add a note').click()
    await page.keyboard.insertText(text)
    await button('Back').click()
    expect(await note.count()).toBe(0)
    await button('Add a note').click()
    await page.keyboard.insertText(text)
    await button('Save').click()
    await button('Edit the note').waitFor()
    expect(await note.textContent()).toMatch(/^Note, \d{4}-\d\d-\d\d:\nSeen in print\.\n<img .*<\/script>$/)
    expect(await note.locator('*').count()).toBe(0)

    // It stays where the conversation is left and opened again.
    await button('Documents').click()
    await button('Documents').click()
    expect(await note.textContent()).toContain(text)
    const downloading = page.waitForEvent('download')
    await button('Export').click()
    expect(await readFile(await (await downloading).path(), 'utf8')).toMatch(
      /\n\n> Note, .*:\n> Seen in print\.\n> <img/,
    )
    await page.reload()
    await button('Edit the note').click()
    expect(await field.inputValue()).toBe(text)
    await field.fill('Checked again')
    await button('Save').click()
    await page.getByText('Checked again').waitFor()
    await page.reload()
    await page.getByText('Checked again').waitFor()
    expect(complaints).toEqual([])

    await button('Edit the note').click()
    await field.fill('x'.repeat(4001))
    await button('Save').click()
    expect(await page.getByRole('alert').textContent()).toContain('at most 4000 characters')
    await field.fill('')
    await button('Save').click()
    await button('Add a note').waitFor()
    await page.reload()
    await button('Add a note').waitFor()
    // The browser says that the long one was refused; nothing else.
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([])
  })
})
