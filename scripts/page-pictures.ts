/**
 * Pictures of the page in each of its states, light and dark, wide and narrow: `npx tsx scripts/page-pictures.ts [folder]`.
 * With `--docs` it writes those that docs/server.md shows. Needs Chromium and the built package. Without a folder the pictures
 * go to a new temporary one, which is printed.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { type Visit, visitStates } from '../tests/fixtures/page-states.ts'
import { browserPath } from '../tests/fixtures/stage.ts'

const [where] = process.argv.slice(2)
const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }

/** Pictures of the manual by state. */
const shown: Readonly<
  Record<string, readonly { readonly name: string; readonly dark?: true; readonly narrow?: true }[]>
> = {
  source: [{ name: 'page' }, { name: 'page-telephone', dark: true, narrow: true }],
  reading: [{ name: 'page-documents' }],
  timeline: [{ name: 'page-timeline' }],
  'table-source': [{ name: 'page-table' }],
  'report-source': [{ name: 'page-report' }],
  abstained: [{ name: 'page-abstained', dark: true }],
}

if (!browserPath) throw new Error('Pictures need Chromium: apt-get install chromium')
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
try {
  await visitStates(
    browser,
    where === '--docs' ? forTheManual : inAllForms(where ?? mkdtempSync(join(tmpdir(), 'quaero-'))),
  )
} finally {
  await browser.close()
}

/** Every state in both sizes and both colours. */
function inAllForms(folder: string): Visit {
  mkdirSync(folder, { recursive: true })
  console.log(folder)
  return async (state, page) => {
    for (const [size, viewport] of Object.entries(sizes)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(viewport)
        await take(page, colorScheme, join(folder, `${state}-${size}-${colorScheme}.png`))
      }
    }
    await page.setViewportSize(sizes.wide)
    console.log(state)
  }
}

async function forTheManual(state: string, page: Page): Promise<void> {
  for (const { name, dark, narrow } of shown[state] ?? []) {
    await page.setViewportSize(narrow ? sizes.narrow : { width: 1440, height: 800 })
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
    // A third of the bytes of a PNG.
    const session = await page.context().newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 })
    writeFileSync(join(import.meta.dirname, `../docs/pictures/${name}.webp`), Buffer.from(data, 'base64'))
  }
  await page.setViewportSize(sizes.wide)
}

async function take(page: Page, colorScheme: 'light' | 'dark', path: string): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await page.screenshot({ path })
}
