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

  const table = '<table><tr><th>A<th>B</tr><tr><td>c<td>d</tr></table>'
  const caption = '<p><b>Table 1: Letters</b></p>'

  it.each([
    ['before', `<p>x</p>${caption}${table}<p>y</p>`],
    ['after', `<p>x</p>${table}${caption}<p>y</p>`],
  ])('keeps a caption right %s a table with it', async (_, html) => {
    expect(blockTexts(await readHtml(bytesOf(html), roomy))).toEqual([
      ['text', 'x'],
      ['table', 'Table 1: Letters\nA | B\nc | d'],
      ['text', 'y'],
    ])
  })

  it('gives a caption between two tables to the one below, unless captions stand below here', async () => {
    const other = '<p>Table 2: More</p>'
    const above = blockTexts(await readHtml(bytesOf(`${caption}${table}${other}${table}`), roomy))
    expect(above.map(([, text]) => text.split('\n')[0])).toEqual(['Table 1: Letters', 'Table 2: More'])
    const below = blockTexts(await readHtml(bytesOf(`${table}${caption}<p>x</p>${table}${other}${table}`), roomy))
    expect(below.map(([, text]) => text.split('\n')[0])).toEqual(['Table 1: Letters', 'x', 'Table 2: More', 'A | B'])
  })

  it('keeps a caption without a table as text', async () => {
    expect(blockTexts(await readHtml(bytesOf('<p>Table 1: Letters</p><p>x</p>'), roomy))).toEqual([
      ['text', 'Table 1: Letters\nx'],
    ])
  })

  it('keeps the empty corner of a table, so that names stay above their columns', async () => {
    const corner = '<table><tr><th></th><th>A</th><th>B</th></tr><tr><td>c</td><td>1</td><td>2</td></tr></table>'
    expect(blockTexts(await readHtml(bytesOf(corner), roomy))).toEqual([['table', '| A | B\nc | 1 | 2']])
  })

  it('keeps the numbers of its lists', async () => {
    const list = '<ol start="3"><li>one<ul><li>inner</li></ul></li><li><p>two</p></li><li value="9">nine</li></ol>'
    expect(blockTexts(await readHtml(bytesOf(list), roomy))).toEqual([['text', '3. one\n• inner\n4. two\n9. nine']])
  })
})
