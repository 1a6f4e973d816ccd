import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Quaero } from '../../src/api.ts'
import { loadConfig } from '../../src/config.ts'
import { createQuaero } from '../../src/quaero.ts'
import { folderOf, openQuaero } from '../fixtures/workflow.ts'

const kestrel = `---
title: "Kestrel: A Compact Queue for Edge Devices"
authors: [Mara Ilves, Tom Oduya]
date: 2022-06-01
---
# Kestrel: A Compact Queue for Edge Devices

Mara Ilves and Tom Oduya

## Abstract

Edge devices lose messages when links fail. We present Kestrel, a message queue that survives power loss with 64 kB of memory. We show that Kestrel delivers 99.98 % of messages in a field trial of 14 months.

## 4 Evaluation

The median latency of Kestrel was 12 ms at 200 messages per second. Throughput reached 1,900 messages per second.

## 6 Conclusion

We conclude that a small queue can be durable. Kestrel needs no file system.
`
const heron = `# Heron: Durable Messaging without Brokers

By Li Wen

Published in June 2023.

## Abstract

Brokers are a single point of failure. This paper proposes Heron, a messaging layer without brokers. In our experiments, Heron lost no message in 30 days.

## 5 Results

Heron reached a throughput of 5,200 messages per second. Memory use was 8 MB per node. The median latency of Heron was 19 ms.
`
const hamlet = `<html><head><title>Hamlet</title><meta name="author" content="Jo Ferris"></head><body><h1>Hamlet</h1>
<p>By Jo Ferris</p>
<p>Hamlet was written by William Shakespeare between 1599 and 1601.</p>
<p>This article explains how the play was received on the continent.</p></body></html>`

const report = (year: number, revenue: string, served: number) => `# Tarn Water Cooperative: Annual Report ${year}

Published on 6 March ${year + 1}.

## Summary

The cooperative supplies drinking water to the valley. Revenue rose to ${revenue} million euros. The head office is in Lund.

## Key figures

| Measure | Value |
|---|---|
| Connections served | ${served} |
| Pumping stations | 12 |
`
const policy = (version: number, date: string, days: string) => `# Remote Work Policy

Version ${version}, approved on ${date}.

## Rules

Employees may work from home ${days} days per week. Requests are made five days ahead.
`

const library = {
  'kestrel.md': kestrel,
  'heron.md': heron,
  'hamlet.html': hamlet,
  'report-2022.md': report(2022, '8.1', 38_160),
  'report-2023.md': report(2023, '9.4', 43_200),
  'report-2024.md': report(2024, '11.2', 47_700),
  'policy-v1.md': policy(1, '14 January 2021', 'two'),
  'policy-v2.md': policy(2, '2 May 2023', 'three'),
}

let quaero: Quaero
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quaero-'))
  for (const [name, text] of Object.entries(library)) await writeFile(join(folder, name), text)
  const config = loadConfig({ env: {} })
  quaero = await createQuaero({ config, dataDir: ':memory:', documents: [folder], model: 'extractive' })
})

afterAll(async () => {
  await quaero.close()
  await rm(folder, { recursive: true, force: true })
})

const closing = '\n\nExtractive answer: quoted from the sources, with no language model.'

/** The answer without its closing line; every citation is checked against its page. */
async function ask(question: string, { threadId, of = quaero }: { threadId?: string; of?: Quaero } = {}) {
  const result = await of.ask(question, threadId === undefined ? {} : { threadId })
  for (const { documentId, page, start, end, quote } of result.citations) {
    expect((await of.library.text(documentId, page)).text.slice(start, end)).toBe(quote)
  }
  return { ...result, answer: result.answer.replace(closing, ''), quotes: result.citations.map(({ quote }) => quote) }
}

describe('a question about a document', () => {
  it('by whom it is, is answered with the line of its first page', async () => {
    const { answer, quotes, confidence } = await ask('Who wrote the Kestrel paper?')
    expect(answer).toBe('Mara Ilves and Tom Oduya [1]\n“Kestrel: A Compact Queue for Edge Devices” [2]')
    expect(quotes).toEqual(['Mara Ilves and Tom Oduya', 'Kestrel: A Compact Queue for Edge Devices'])
    expect(confidence).toBeGreaterThan(0.5)
  })

  it('is answered with the line as it stands, where the reader took no value from it', async () => {
    expect((await ask('Who are the authors of Heron?')).answer).toMatch(/^By Li Wen \[1\]\n“Heron/)
  })

  it('is answered beside the quotes with what only the file says, and with what a person set', async () => {
    const of = await openQuaero({ documents: [await folderOf({ 'kestrel.md': kestrel })], model: 'extractive' })
    const [{ documentId = '' } = {}] = await of.library.list()
    const year = await ask('When was Kestrel published?', { of })
    expect(year.answer).toMatch(/^“Kestrel: .+” \[1\]/)
    expect(year.answer).toMatch(/Note: “Kestrel: .+” is dated 2022, as the file says \(front matter\)/)
    await of.library.set(documentId, { authors: ['Ada Quist'] })
    const authors = await ask('Who wrote this?', { of })
    expect(authors.answer).toMatch(/^Mara Ilves and Tom Oduya \[1\]/)
    expect(authors.answer).toMatch(/Note: .+ is by Ada Quist, as was set in the library; its text does not say so\./)
    expect(authors.quotes.join()).not.toContain('Ada')
  })

  it('is asked back where several documents fit, and answered once one is chosen', async () => {
    const asked = await ask('What is the annual report about?', { threadId: 'reports' })
    expect(asked.status).toBe('clarification_needed')
    expect(asked.clarification).toMatch(/Annual Report 2022”, “.+ 2023” or “.+ 2024”/)
    expect((await ask('2023', { threadId: 'reports' })).answer).toMatch(/Revenue rose to 9\.4 million euros\. \[/)
  })

  it('offers documents of one title by what tells them apart', async () => {
    const { clarification } = await ask('Summarize the remote work policy')
    expect(clarification).toMatch(/“Remote Work Policy” \([^)]+\) or “Remote Work Policy” \([^)]+\)/)
  })

  it('is about the document that the conversation is about', async () => {
    await ask('What is the throughput of Heron?', { threadId: 'heron' })
    expect((await ask('What is the paper about?', { threadId: 'heron' })).answer).toMatch(/This paper proposes Heron/)
  })

  it('leaves what its text says of a thing to the text', async () => {
    expect((await ask('Who wrote Hamlet?')).answer).toMatch(/Hamlet was written by William Shakespeare/)
    expect((await ask('Who wrote the Hamlet article?')).answer).toMatch(/^By Jo Ferris \[1\]\n“Hamlet”/)
  })

  it.each([
    ['What is Heron about?', /This paper proposes Heron, a messaging layer without brokers\. \[\d\]/],
    ['What does Kestrel propose?', /We present Kestrel, [^.]+\. \[\d\]/],
    ['What does the Kestrel paper conclude?', /We conclude that a small queue can be durable\. \[\d\]/],
  ])('is answered from its abstract, or by a search for what it concludes: %s', async (question, expected) => {
    expect((await ask(question)).answer).toMatch(expected)
  })
})

describe('a question about the library', () => {
  it.each([
    'What are these documents about?',
    'What documents do I have?',
    'List my documents',
    'How many files are there?',
  ])('is answered with a line for each document: %s', async (question) => {
    const { answer, quotes } = await ask(question)
    const lines = answer.split('\n').filter((line) => line.startsWith('- '))
    expect(lines).toHaveLength(8)
    expect(lines).toContainEqual(expect.stringMatching(/^- (?:“Heron: .+” \[|.+This paper proposes Heron)/))
    expect(quotes.join()).toContain('Hamlet')
  })

  it('tells documents of one title apart, and says how many there are', async () => {
    const { answer } = await ask('Which documents do I have?')
    expect(answer).toMatch(/- “Remote Work Policy” Version 1, approved on 14 January 2021\. \[/)
    expect(answer).toMatch(/- “Remote Work Policy” Version 2, approved on 2 May 2023\. \[/)
    expect(answer).toContain('Note: There are 8 documents.')
  })
})
