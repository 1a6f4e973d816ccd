import {
  createMcpHandler,
  McpServer,
  ResourceTemplate,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { z } from 'zod'
import { citation, type RunResult, runResult, UsageError } from '../../index.ts'
import { documentName, pageName } from '../../library/index.ts'
import { problemOf } from '../access/refusals.ts'
import { choice, documentId, questionText } from '../api/shapes.ts'
import { footnotesOf, read, refusedBy, type Served } from '../protocol/protocol.ts'
import type { UserDocuments } from '../user/user-documents.ts'
import type { UserEngine } from '../user/user-engine.ts'

export interface McpServerParts {
  readonly engine: UserEngine
  readonly documents: UserDocuments
  readonly version: string
}

/** The Model Context Protocol over HTTP. */
export function mcpRoutes(version: string): Hono<Served> {
  return new Hono<Served>().all('/', async (c) => {
    const { engine, documents } = c.var
    const handler = createMcpHandler(() => mcpServer({ engine, documents, version }))
    // The guards have read the body.
    const body = await c.req.text()
    return handler.fetch(c.req.raw, body === '' ? {} : { parsedBody: JSON.parse(body) })
  })
}

/** The workflow and the library as tools and resources of the Model Context Protocol. */
export function mcpServer({ engine, documents, version }: McpServerParts): McpServer {
  const server = new McpServer({ name: 'quaero', version })
  addAsk(server, engine)
  addSearch(server, documents)
  addPassages(server, documents)
  addPages(server, documents)
  return server
}

interface Tool<Input extends z.ZodType, Output extends z.ZodType> {
  readonly name: string
  readonly description: string
  readonly input: Input
  readonly output: Output
  readonly answer: (input: z.output<Input>) => Promise<z.output<Output>>
  /** What is shown of an answer; its JSON, if absent. */
  readonly contentOf?: (output: z.output<Output>) => Content
}

type Content = readonly ({ type: 'text'; text: string } | { type: 'resource_link'; uri: string; name: string })[]

/** A tool that only reads. Its refusals and errors say no more than over HTTP: the SDK passes messages on. */
function addTool<Input extends z.ZodType, Output extends z.ZodType<Record<string, unknown>>>(
  server: McpServer,
  { name, description, input, output, answer, contentOf = jsonOf }: Tool<Input, Output>,
): void {
  const annotations = { readOnlyHint: true, openWorldHint: false } as const
  const form = { description, inputSchema: inSentences(input), outputSchema: output, annotations }
  server.registerTool(name, form, async (given: unknown) => {
    const structuredContent = await told(async () => answer(read(input, given)))
    return { structuredContent, content: [...contentOf(structuredContent)] }
  })
}

/** The same schema, which says what it refuses as the other protocols do. */
function inSentences(schema: z.ZodType): StandardSchemaWithJSON<unknown, unknown> {
  const { '~standard': standard } = schema as z.ZodType & StandardSchemaWithJSON<unknown, unknown>
  const validate = (value: unknown) => {
    const { error } = schema.safeParse(value)
    return error ? { issues: [{ message: refusedBy(error) }] } : { value }
  }
  return { '~standard': { ...standard, validate } }
}

function told<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw new UsageError(problemOf(error).message)
  })
}

function jsonOf(output: unknown): Content {
  return [{ type: 'text', text: JSON.stringify(output) }]
}

const answered = z.object({
  runId: z.string(),
  threadId: z.string(),
  status: z.string(),
  limitedTo: runResult.shape.limitedTo,
  answer: z.string(),
  abstained: z.boolean(),
  confidence: z.number().nullable(),
  clarification: z.string().nullable(),
  citations: z.array(citation),
  sentences: runResult.shape.sentences,
})

function addAsk(server: McpServer, engine: UserEngine): void {
  addTool(server, {
    name: 'ask',
    description:
      'Answers a question from the documents of the library. Each statement has a footnote with a verbatim quote that was found on its page. Pass the threadId of an earlier answer to ask a follow-up.',
    input: z.object({
      question: questionText,
      threadId: z.string().optional(),
      ...choice.shape,
    }),
    output: answered,
    answer: async ({ question, threadId, ...given }) => {
      const options = { approve: 'none', ...(threadId && { threadId }), ...given } as const
      return answered.parse(await engine.resultOf(engine.stream(question, options)))
    },
    contentOf: answerWithLinks,
  })
}

/** Search, and the whole page of what it finds. */
function addSearch(server: McpServer, documents: UserDocuments): void {
  const { where, tags } = choice.shape
  const page = { id: z.string(), title: z.string(), url: z.string(), text: z.string() }
  addTool(server, {
    name: 'search',
    description: 'Finds passages of the library that hold what a query asks for.',
    input: z.object({ query: z.string().min(1).max(10_000), where, tags }),
    output: z.object({ results: z.array(z.object(page)) }),
    answer: async ({ query, ...filter }) => {
      const hits = await documents.search(query, { limit: 10, ...filter })
      const results = hits.map((hit) => ({
        id: hit.passageId,
        title: `${documentName(hit)}, ${pageName(hit.page, hit.pageLabel)}`,
        url: pageUri(hit.documentId, hit.page),
        text: hit.text,
      }))
      return { results }
    },
  })
  addTool(server, {
    name: 'fetch',
    description: 'The whole page that a search result stands on.',
    input: z.object({ id: z.string() }),
    output: z.object(page),
    answer: async ({ id }) => {
      const [passage] = await documents.library.passages(id, { before: 0, after: 0 })
      if (!passage) throw new UsageError(`There is no passage "${id}"`)
      const { documentId, page } = passage
      const title = documentName(await documents.document(documentId))
      const { text } = await documents.library.text(documentId, page)
      return { id, title, text, url: pageUri(documentId, page) }
    },
  })
}

/** Passages, and the list of documents. */
function addPassages(server: McpServer, documents: UserDocuments): void {
  const few = z.number().int().min(0).max(5).optional()
  addTool(server, {
    name: 'read_passages',
    description: 'A passage with those before and after it.',
    input: z.object({ id: z.string(), before: few, after: few }),
    output: z.object({ passages: z.array(z.object({ id: z.string(), page: z.number(), text: z.string() })) }),
    answer: async ({ id, before = 1, after = 1 }) => {
      const passages = await documents.library.passages(id, { before, after })
      return { passages: passages.map(({ passageId, page, text }) => ({ id: passageId, page, text })) }
    },
  })
  const document = {
    ...{ id: z.string(), title: z.string(), year: z.number().nullable(), pages: z.number() },
    tags: z.array(z.string()),
  }
  addTool(server, {
    name: 'list_documents',
    description: 'The documents of the library.',
    input: z.object({}),
    output: z.object({ documents: z.array(z.object(document)) }),
    answer: async () => {
      const all = await documents.list()
      const about = (each: (typeof all)[number]) => {
        const { documentId: id, year, pages, tags } = each
        return { id, title: documentName(each), year, pages, tags }
      }
      return { documents: all.map(about) }
    },
  })
}

function addPages(server: McpServer, documents: UserDocuments): void {
  const mimeType = 'text/plain'
  server.registerResource(
    'page',
    new ResourceTemplate('quaero://documents/{documentId}/pages/{page}', { list: undefined }),
    { description: 'The stored text of a page; quotes are found in it.', mimeType },
    async (uri, of) => {
      const { text } = await told(async () => documents.library.text(read(documentId, of.documentId), Number(of.page)))
      return { contents: [{ uri: uri.href, mimeType, text }] }
    },
  )
}

function pageUri(documentId: string, page: number): string {
  return `quaero://documents/${documentId}/pages/${page}`
}

/** The answer with its footnotes, and a link to the page of each. */
function answerWithLinks({ answer, citations }: Pick<RunResult, 'answer' | 'citations'>): Content {
  return [
    { type: 'text', text: [answer, ...footnotesOf({ citations })].join('\n') },
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
