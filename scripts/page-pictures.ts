/**
 * Pictures of the page in each of its states, light and dark, wide and narrow: `npx tsx scripts/page-pictures.ts [folder]`.
 * Needs Chromium and the built package. Without a folder they are written to a new temporary one, which is printed.
 */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { visitStates } from '../tests/fixtures/page-states.ts'
import { browserPath } from '../tests/fixtures/stage.ts'

const folder = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'quaero-pictures-'))
mkdirSync(folder, { recursive: true })
if (!browserPath) throw new Error('Pictures need Chromium: apt-get install chromium')

const sizes = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } }
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
try {
  await visitStates(browser, async (state, page) => {
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.setViewportSize(viewport)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.screenshot({ path: join(folder, `${state}-${size}-${colorScheme}.png`) })
      }
    }
    await page.setViewportSize(sizes.wide)
    console.log(state)
  })
} finally {
  await browser.close()
}
console.log(folder)
