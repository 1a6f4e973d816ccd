import { describe, expect, it } from 'vitest'
import { readHtml } from '../../../../src/library/readers/html/html.ts'
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

  it('is read although it is nested ten thousand deep', { tags: ['S8'] }, async () => {
    const deep = `${'<div><b>'.repeat(10_000)}core${'</b></div>'.repeat(10)}`
    expect((await readHtml(bytesOf(deep), roomy)).pages[0]?.text).toBe('core')
  })

  const table = '<table><tr><th>A<th>B</tr><tr><td>c<td>d</tr></table>'
  const caption = '<p><b>Table 1: Letters</b></p>'

  it('keeps a caption right above a table with it', async () => {
    expect(blockTexts(await readHtml(bytesOf(`<p>x</p>${caption}${table}<p>y</p>`), roomy))).toEqual([
      ['text', 'x'],
      ['table', 'Table 1: Letters\nA | B\nc | d'],
      ['text', 'y'],
    ])
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

  it.each([
    [
      'a header over several columns above each of them, one beside two lines of headers once',
      `<tr><th rowspan=2>Pond<th colspan=2>2020<th colspan=2>2021</tr><tr><th>min<th>max<th>min<th>max</tr>
       <tr><td>North<td>1<td>2<td>3<td>4</tr>`,
      'Pond | 2020 | 2020 | 2021 | 2021\n| min | max | min | max\nNorth | 1 | 2 | 3 | 4',
    ],
    [
      'a label beside several rows in each of them',
      '<tr><th>Region<th>Pond<th>Depth</tr><tr><td rowspan=2>East<td>A<td>1</tr><tr><td>B<td>2</tr>',
      'Region | Pond | Depth\nEast | A | 1\nEast | B | 2',
    ],
    [
      'an empty cell between others, so that values stay below their names',
      '<tr><th>Pond<th>2020<th>2021</tr><tr><td>North<td><td>3</tr><tr><td>South<td>4<td></tr>',
      'Pond | 2020 | 2021\nNorth |  | 3\nSouth | 4',
    ],
    [
      'no columns that hold only space and signs',
      `<tr><td><td><td colspan=2>2020<td><td colspan=2>2021</tr>
       <tr><td>Sales<td><td>$<td>5<td><td>$<td>6</tr><tr><td>Costs<td><td><td>(7<td>)<td colspan=2>8</tr>`,
      '| 2020 | 2021\nSales | $5 | $6\nCosts | (7) | 8',
    ],
    [
      'a row of one cell as a line of its own',
      '<tr><th colspan=3>All ponds</tr><tr><th>Pond<th>a<th>b</tr><tr><td>North<td>1<td>2</tr>',
      'All ponds\nPond | a | b\nNorth | 1 | 2',
    ],
  ])('keeps of a table %s', async (_, rows, text) => {
    expect(blockTexts(await readHtml(bytesOf(`<table>${rows}</table>`), roomy))).toEqual([['table', text]])
  })

  it('reads a table whose cells claim to span all there is, within its budget', { tags: ['S8'] }, async () => {
    const cells = '<td rowspan=99999 colspan=99999>x'.repeat(50)
    const rows = `<tr>${cells}</tr>`.repeat(50)
    const [[kind] = []] = blockTexts(await readHtml(bytesOf(`<table>${rows}</table>`), roomy))
    expect(kind).toBe('table')
  })

  it.each([
    ['elements', '<b>'.repeat(300_000)],
    ['lists', '<ul><li>'.repeat(100_000)],
    ['tables', '<table><tr><td>'.repeat(60_000)],
  ])('refuses %s within each other that nobody made', { tags: ['S7'] }, async (_, markup) => {
    await expect(readHtml(bytesOf(markup), roomy)).rejects.toMatchObject({ code: 'malformed_file' })
    const readable = `${'<div>'.repeat(9000) + markup.slice(0, 2000)}<tr><td>words`
    expect((await readHtml(bytesOf(readable), roomy)).pages[0]?.text).toContain('words')
  })

  it('reaches no further with a cell than a thousand places', { tags: ['S7', 'S8'] }, async () => {
    const rows = '<tr><td colspan=100 rowspan=100>wide<td>x'.repeat(20)
    const [[, text] = []] = blockTexts(await readHtml(bytesOf(`<table>${rows}</table>`), roomy))
    expect(text?.split('\n').at(-1)?.match(/wide/g)).toHaveLength(10)
  })

  it('tells a raised number from the digits before it', async () => {
    const text = '<p>10<sup>6</sup> ponds, 10<sup>−3</sup> each, in 2019<sup><a>[1]</a></sup> or m<sup>2</sup></p>'
    expect((await readHtml(bytesOf(text), roomy)).pages[0]?.text).toBe('10^6 ponds, 10^−3 each, in 2019[1] or m2')
  })

  it('keeps the numbers of its lists', async () => {
    const list = '<ol start="3"><li>one<ul><li>inner</li></ul></li><li><p>two</p></li><li value="9">nine</li></ol>'
    expect(blockTexts(await readHtml(bytesOf(list), roomy))).toEqual([['text', '3. one\n• inner\n4. two\n9. nine']])
  })
})
