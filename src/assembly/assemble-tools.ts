import type { Config } from '../config.ts'
import { fencedLine } from '../fenced.ts'
import { documentName, overviewOf, type PassageIndex } from '../library/index.ts'
import type { ApprovalRules } from '../runs/index.ts'
import {
  delegate,
  documentOverview,
  libraryReading,
  librarySearch,
  pdfRetrieval,
  readPassages,
  type Tool,
  type Toolbox,
} from '../tools/index.ts'

import type { Ranking } from './assemble-search.ts'

/** The built-in tools: documents always, the web if a search service is configured, `delegate` if specialists are. */
export async function assembleTools(config: Config, index: PassageIndex, ranking: Ranking): Promise<readonly Tool[]> {
  const { specialists, delegation } = config.settings
  const names = Object.entries(specialists).map(([name, { description }]) => ({ name, description }))
  return [
    ...(await searchTools(config, index, ranking)),
    ...(names.length > 0 && delegation.maxDepth > 0 ? [delegate(names)] : []),
  ]
}

async function searchTools(
  { settings, environment }: Config,
  index: PassageIndex,
  { semantic, reranking }: Ranking,
): Promise<readonly Tool[]> {
  const { passages } = settings.search
  const scoreShare = settings.research === 'auto' ? settings.quick.scoreShare : 0
  const all = () => index.documents()
  const documents = [
    pdfRetrieval({
      search: librarySearch(index, semantic, reranking),
      countDocuments: async () => (await all()).length,
      nameOf: async (documentId) => {
        const document = await index.document(documentId)
        // A title is untrusted text: it opens no tag, and stays on one line.
        return document && fencedLine(documentName(document))
      },
      passages,
      scoreShare,
    }),
    readPassages({ ...libraryReading(index), passages }),
    documentOverview({
      overviewOf: (documentId) => overviewOf(index, documentId),
      allDocuments: async () => (await all()).map(({ documentId }) => documentId),
      characters: settings.tools.observationCharacters,
    }),
  ]
  const { tavilyApiKey, searxngUrl } = environment
  const provider = tavilyApiKey ? { tavilyApiKey } : searxngUrl ? { searxngUrl } : null
  if (!provider) return documents
  // Loaded only for web searches.
  const { guardedFetch } = await import('../tools/web/guarded-fetch.ts')
  const { webSearch } = await import('../tools/web/web-search.ts')
  const { readPage } = await import('../tools/web/read-page.ts')
  const { storeWebPage, webPageReader } = await import('../library/ingestion/web-page.ts')
  const { maxResults, secondsPerFetch, megabytesPerFetch } = settings.web
  const timeoutMs = 1000 * secondsPerFetch
  const store = storeWebPage(index)
  const fetch = (url: string, { signal }: { readonly signal: AbortSignal }) =>
    guardedFetch(url, { signal, timeoutMs, maxBytes: 1e6 * megabytesPerFetch })
  const read = webPageReader(settings.library)
  return [...documents, webSearch({ provider, maxResults, timeoutMs, store }), readPage({ fetch, read, store })]
}

/** The rules of `tools.trust` and `tools.allow`. An unknown tool does not run, so nobody is asked. */
export function approvalRules(
  { trust, allow }: Config['settings']['tools'],
  toolbox: Toolbox,
  index: Pick<PassageIndex, 'documents'>,
): ApprovalRules {
  const asks = (name: string): 'never' | 'always' | 'with documents' => {
    const tool = toolbox.list().find((each) => each.name === name)
    if (trust === 'open' || !tool || allow.includes(name)) return 'never'
    if (trust === 'strict' || tool.sensitive === true) return 'always'
    return tool.network === true ? 'with documents' : 'never'
  }
  return {
    mayAsk: (name) => asks(name) !== 'never',
    asksNow: async (name) => {
      const when = asks(name)
      return when === 'always' || (when === 'with documents' && (await index.documents()).length > 0)
    },
  }
}

/** Reports missing tools: they may be added later, but a mistyped name should be seen. */
export function tellMissingTools(
  specialists: Config['settings']['specialists'],
  toolbox: Toolbox,
  onNotice: (message: string) => void,
): void {
  const known = new Set(toolbox.list().map(({ name }) => name))
  for (const [specialist, { tools }] of Object.entries(specialists)) {
    const missing = (tools ?? []).filter((name) => !known.has(name))
    if (missing.length > 0)
      onNotice(`The specialist "${specialist}" does without ${missing.join(', ')}: there is no such tool yet.`)
  }
}
