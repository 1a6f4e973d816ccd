import { describe, expect, it } from 'vitest'
import { readHtml } from '../../../../src/library/readers/html.ts'
import { blockTexts, bytesOf, roomy } from './read-options.ts'

const page = `<!doctype html><html><head><title>Ponds &amp; lakes</title>
<meta name="citation_author" content="Duck, Ada"><meta name="citation_author" content="Heron, Bo">
<meta property="article:published_time" content="2019-05-01"><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a></nav><script>track()</script>
<h1>Ponds</h1><p>Water is <b>wet</b>;
  it&nbsp;is deep.<br>Next line.</p>
<h2>Depths</h2>
<table><caption>Table 1: Depths</caption><tr><th>Pond</th><th>Depth</th></tr>
<tr><td>North</td><td>$</td><td>1,234</td><td></td></tr><tr><td>South<td>(5<td>)</table>
<ul><li>one</li><li><p>two</p></li></ul>
<div style="display: none">hidden</div><p><b>Item 1. Business</b></p><p>We sell water.</p>
<pre>a = 1
b = 2</pre></body></html>`

describe('a web page', () => {
  it('is read without scripts, styles, navigation and hidden parts', async () => {
    expect(blockTexts(await readHtml(bytesOf(page), roomy))).toEqual([
      ['heading', 'Ponds'],
      ['text', 'Water is wet; it is deep.\nNext line.'],
      ['heading', 'Depths'],
      ['table', 'Table 1: Depths\nPond | Depth\nNorth | $1,234\nSouth | (5)'],
      ['text', '• one\n• two'],
      ['heading', 'Item 1. Business'],
      ['text', 'We sell water.\na = 1\nb = 2'],
    ])
  })

  it('says its title, authors and year, and where they stand', async () => {
    expect(await readHtml(bytesOf(page), roomy)).toMatchObject({
      title: { value: 'Ponds & lakes', from: 'title element' },
      authors: { value: ['Duck, Ada', 'Heron, Bo'], from: 'meta citation_author' },
      year: { value: 2019, from: 'meta article:published_time' },
    })
  })

  it('reads tables that lay out a page as text, and the tables in them as tables', async () => {
    const nested = `<table><tr><td>Menu</td></tr><tr><td><p>Text in a cell.</p>
      <table><tr><td>a</td><td>b</td></tr><tr><td>c|d</td><td>e</td></tr></table></td></tr></table>`
    expect(blockTexts(await readHtml(bytesOf(nested), roomy))).toEqual([
      ['text', 'Menu\nText in a cell.'],
      ['table', 'a | b\nc¦d | e'],
    ])
  })

  it('is decoded by the character set that it names', async () => {
    const latin = Buffer.from('<meta charset="iso-8859-1"><p>F\xe4rber</p>', 'latin1')
    expect((await readHtml(latin, roomy)).pages[0]?.text).toBe('Färber')
  })

  it('S8: is read although it is nested ten thousand deep', async () => {
    const deep = `${'<div><b>'.repeat(10_000)}core${'</b></div>'.repeat(10)}`
    expect((await readHtml(bytesOf(deep), roomy)).pages[0]?.text).toBe('core')
  })
})
