/** Runs in a process of its own, started by `readable-text.ts`: turns one HTML page into text and ends. */
import { htmlToText } from './html-to-text.ts'
import type { PageToRead } from './readable-text.ts'

// Only `readableText` starts this file, and it sends nothing but its page.
process.once('message', (page) => {
  const { html, url } = page as PageToRead
  process.send?.(htmlToText(html, url), () => process.disconnect())
})
