import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { citation, type RunResult, runResult, UsageError } from '../../index.ts'
import { documentName } from '../../library/document-name.ts'
import { pageName } from '../../library/port/document.ts'
import { describeError } from '../access/refusals.ts'
import { questionText } from '../api/shapes.ts'
import { finishedRun } from '../user/finished-run.ts'
import type { UserDocuments } from '../user/user-documents.ts'
import type { UserEngine } from '../user/user-engine.ts'

export interface McpServerParts {
  readonly engine: UserEngine
  readonly documents: UserDocuments
  readonly version: string
}

/** Names of files would do too, and tell which files lie where. */
const documentId = z.string().regex(/^[0-9a-f]{4,64}$/)

const readOnly = { readOnlyHint: true, openWorldHint: false } as const

const answered = z.object({
  runId: z.string(),
  threadId: z.string(),
  status: z.string(),
  answer: z.string(),
  abstained: z.boolean(),
  confidence: z.number().nullable(),
  clarification: z.string().nullable(),
  citations: z.array(citation),
  sentences: runResult.shape.sentences,
})

const found = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string(), url: z.string(), text: z.string() })),
})

/** The workflow and the library as tools and resources of the Model Context Protocol. */
export function mcpServer({ engine, documents, version }: McpServerParts): McpServer {
  const server = new McpServer({ name: 'quaero', version })
  addAsk(server, engine)
  addSearch(server, documents)
  addReadPassages(server, documents)
  addDocuments(server, documents)
  return server
}

function addAsk(server: McpServer, engine: UserEngine): void {
  server.registerTool(
    'ask',
    {
      description:
        'Answers a question from the documents of the library. Each statement has a footnote with a verbatim quote that was found on its page. Pass the threadId of an earlier answer to ask a follow-up.',
      inputSchema: z.object({
        question: questionText,
        threadId: z.string().optional(),
        documentIds: z.array(documentId).optional(),
      }),
      outputSchema: answered,
      annotations: readOnly,
    },
    told(async ({ question, threadId, documentIds }) => {
      const options = { approve: 'none', ...(threadId && { threadId }), ...(documentIds && { documentIds }) } as const
      const result = await finishedRun(engine, question, options)
      return { structuredContent: answered.parse(result), content: contentOf(result) }
    }),
  )
}

/** Search, and the whole page of what it finds. */
function addSearch(server: McpServer, documents: UserDocuments): void {
  server.registerTool(
    'search',
    {
      description: 'Finds passages of the library that hold what a query asks for.',
      inputSchema: z.object({ query: z.string().min(1).max(10_000) }),
      outputSchema: found,
      annotations: readOnly,
    },
    told(async ({ query }) => {
      const hits = await documents.search(query, { limit: 10 })
      const results = hits.map((hit) => ({
        id: hit.passageId,
        title: `${documentName(hit)}, ${pageName(hit.page, hit.pageLabel)}`,
        url: pageUri(hit.documentId, hit.page),
        text: hit.text,
      }))
      return textAndStructure({ results })
    }),
  )
  server.registerTool(
    'fetch',
    {
      description: 'The whole page that a search result stands on.',
      inputSchema: z.object({ id: z.string() }),
      outputSchema: z.object({ id: z.string(), title: z.string(), text: z.string(), url: z.string() }),
      annotations: readOnly,
    },
    told(async ({ id }) => {
      const [passage] = await documents.passages(id, { before: 0, after: 0 })
      if (!passage) throw new UsageError(`There is no passage "${id}"`)
      const { documentId, page } = passage
      const title = documentName(await documents.document(documentId))
      const { text } = await documents.text(documentId, page)
      return textAndStructure({ id, title, text, url: pageUri(documentId, page) })
    }),
  )
}

function addReadPassages(server: McpServer, documents: UserDocuments): void {
  server.registerTool(
    'read_passages',
    {
      description: 'A passage with those before and after it.',
      inputSchema: z.object({
        id: z.string(),
        before: z.number().int().min(0).max(5).optional(),
        after: z.number().int().min(0).max(5).optional(),
      }),
      outputSchema: z.object({ passages: z.array(z.object({ id: z.string(), page: z.number(), text: z.string() })) }),
      annotations: readOnly,
    },
    told(async ({ id, before = 1, after = 1 }) => {
      const passages = await documents.passages(id, { before, after })
      return textAndStructure({
        passages: passages.map(({ passageId, page, text }) => ({ id: passageId, page, text })),
      })
    }),
  )
}

/** Their list as a tool, their pages as resources. */
function addDocuments(server: McpServer, documents: UserDocuments): void {
  server.registerTool(
    'list_documents',
    {
      description: 'The documents of the library.',
      inputSchema: z.object({}),
      outputSchema: z.object({
        documents: z.array(
          z.object({ id: z.string(), title: z.string(), year: z.number().nullable(), pages: z.number() }),
        ),
      }),
      annotations: readOnly,
    },
    told(async () => {
      const all = await documents.list()
      return textAndStructure({
        documents: all.map((document) => ({
          id: document.documentId,
          title: documentName(document),
          year: document.year,
          pages: document.pages,
        })),
      })
    }),
  )
  server.registerResource(
    'page',
    new ResourceTemplate('quaero://documents/{documentId}/pages/{page}', { list: undefined }),
    { description: 'The stored text of a page; quotes are found in it.', mimeType: 'text/plain' },
    async (uri, of) => {
      const read = told(async () => {
        const id = documentId.safeParse(of.documentId)
        if (!id.success) throw new UsageError('A document id has 4 to 64 hexadecimal digits.')
        return documents.text(id.data, Number(of.page))
      })
      return { contents: [{ uri: uri.href, mimeType: 'text/plain', text: (await read(null)).text }] }
    },
  )
}

/** The same, but its errors say no more than over HTTP: the SDK passes their messages on. */
function told<Given, T>(work: (given: Given) => Promise<T>): (given: Given) => Promise<T> {
  return (given) =>
    work(given).catch((error: unknown) => {
      throw new UsageError(describeError(error).body.error.message)
    })
}

function textAndStructure<T extends Record<string, unknown>>(structuredContent: T) {
  return { structuredContent, content: [{ type: 'text' as const, text: JSON.stringify(structuredContent) }] }
}

function pageUri(documentId: string, page: number): string {
  return `quaero://documents/${documentId}/pages/${page}`
}

/** The answer with its footnotes, and a link to the page of each. */
function contentOf({ answer, citations }: RunResult) {
  const notes = citations.map(({ marker, label, quote }) => `[${marker}] ${label}: “${quote}”`)
  return [
    { type: 'text' as const, text: [answer, ...notes].join('\n') },
    ...citations.map(({ documentId, page, label, quote, start, end }) => ({
      type: 'resource_link' as const,
      uri: pageUri(documentId, page),
      name: label,
      mimeType: 'text/plain',
      description: quote,
      _meta: { 'quaero/span': { start, end } },
    })),
  ]
}
