import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const built = join(import.meta.dirname, '../../dist/web')

describe('the page', () => {
  it('loads at most 26 KB of JavaScript and 8 KB of styles, compressed, before a source is opened', () => {
    const size = (name: string) => gzipSync(readFileSync(join(built, name))).length
    expect(size('theme.js') + size('app.js') + size('chunk.js')).toBeLessThanOrEqual(26 * 1024)
    expect(size('app.css')).toBeLessThanOrEqual(8 * 1024)
    // What the browser fetches at once stands in the page.
    const fetched = [...readFileSync(join(built, 'index.html'), 'utf8').matchAll(/(?:src|href)="([^"]+)"/g)]
    expect(fetched.map(([, address]) => address)).toEqual([
      '/assets/theme.js',
      '/assets/icon.svg',
      '/assets/app.css',
      '/assets/chunk.js',
      '/assets/app.js',
    ])
    const imported = [...readFileSync(join(built, 'app.js'), 'utf8').matchAll(/(?:from|import)\s*"([^"]+)"/g)]
    expect([...new Set(imported.map(([, address]) => address))]).toEqual(['./chunk.js'])
  })
})
