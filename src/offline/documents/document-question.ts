/** What can be asked about a document as a whole. */
export type DocumentAspect = 'authors' | 'year' | 'topic' | 'inventory'

/** A question about documents rather than about what stands in them. */
export interface DocumentQuestion {
  readonly aspect: DocumentAspect
  /** The words for the document: "the S2ORC paper", "this"; empty where none stand ("Who are the authors?"). */
  readonly object: string
  /** What the conversation is about, where the question was completed with it: "Who wrote the paper (Megastore)?" */
  readonly topic: string | null
}

/** The words for a document, as a kind of thing. */
const KIND =
  'paper|article|document|doc|report|study|file|pdf|book|booklet|text|manual|handbook|policy|agreement|contract|guide|thesis|dissertation|presentation|letter|memo|memorandum|preprint|publication|essay|survey|brochure|whitepaper|white paper|plan|proposal|filing'
const OBJECT = '(?<object>[^?]{0,200}?)'
const POLITE =
  /^(?:(?:please|hi|hello|hey|ok|okay|so|and|well|now|then)\b[\s,]*|(?:can|could|would|will) you (?:please )?(?=\p{L})|(?:i(?:'d| would) like(?: you)? to|i want(?: you)? to|do you know|tell me|let me know)\s+(?=(?:who|what|when|which|how|know|summari[sz]e|the)\b)|know\s+)/iu

const GIVE = `(?:(?:who|what|which)(?:['’]s| is| are| was| were)|name|list|state|give(?: me)?)`
const QUALITY = '(?:(?:all|full|first|lead|main|key|major|central|short|brief|quick|overall) ){0,2}'
/** "What is the topic of X?", "authors of X", "a short summary of X". */
const nounOf = (nouns: string) =>
  `(?:${GIVE} )?(?:the |its |an? )?${QUALITY}(?:${nouns})(?: (?:of|for|in|from|behind) ${OBJECT})?`

const LIBRARY = '(?:the|my|our|your|this) (?:library|collection|folder)'
const WHOSE = '(?:(?:all|all of) )?(?:(?:the|my|our|your|these|those) )?'
const HELD = `(?: (?:do|can|have) (?:i|we|you) (?:have|hold|know|see|got|added)| (?:are )?(?:there )?in ${LIBRARY})`

const form = (aspect: DocumentAspect, pattern: string) => ({ aspect, pattern: new RegExp(`^${pattern}$`, 'iu') })

/** The first form that fits decides. */
const FORMS: readonly ReturnType<typeof form>[] = [
  // "Papers" may be what a document speaks of, "documents" and "files" hardly.
  form('inventory', `(?:what|which|how many) (?<object>documents|files|papers|texts)${HELD}`),
  form('inventory', '(?:what|which|how many) (?<object>documents|files)(?: are (?:there|here|available|loaded))?'),
  form('inventory', `what(?:(?:['’]s| is| are) in|(?: does)) (?<object>${LIBRARY})(?: (?:contain|hold|have))?`),
  form(
    'inventory',
    `(?:what are|list|show|name|count|give)(?: me)? (?:(?:the |a )?(?:titles|names|list) of )?${WHOSE}(?<object>documents|files|papers|texts)(?: in ${LIBRARY})?`,
  ),
  form('authors', `who (?:wrote|(?:co-?)?authored|has written) ${OBJECT}`),
  form('authors', nounOf('(?:names? of (?:the )?)?authors?')),
  form('authors', `(?:${GIVE} )?(?:${OBJECT}['’]s?|(?<own>its|their)) (?:full )?authors?`),
  form('authors', `(?:by whom|who) (?:was|is|were) ${OBJECT} (?:written|authored)(?: by)?`),
  form(
    'year',
    `(?:when|(?:in )?(?:what|which) year) (?:was|were|is) ${OBJECT} (?:first )?(?:published|written|issued|dated)`,
  ),
  form('year', nounOf('(?:publication|issue|release) (?:date|year)')),
  form('topic', `what(?:['’]s| is| are| was| were) ${OBJECT} (?:all |mainly )?about`),
  form(
    'topic',
    `what (?:does|do|did) (?:the authors of )?${OBJECT} (?:mainly )?(?:propose|suggest|introduce|present|contribute|develop|recommend)s?`,
  ),
  form('topic', nounOf('contributions?|topic|theme|gist|abstract|summary|overview|synopsis')),
  form('topic', `(?:briefly )?(?:summari[sz]e|sum up|outline|recap) ${OBJECT}(?: (?:briefly|for me|in .{1,20}))?`),
]

/** A question of more characters is about more than a document. */
const LONGEST_QUESTION = 800

/** Reads a question about documents: who wrote one, what it is about. null for one about what stands in them. */
export function readDocumentQuestion(question: string): DocumentQuestion | null {
  if (question.length > LONGEST_QUESTION) return null
  const { text, topic } = withoutTopic(bare(question))
  for (const { aspect, pattern } of FORMS) {
    const match = pattern.exec(text)
    if (!match) continue
    const object = (match.groups?.object ?? match.groups?.own ?? '').trim()
    // "Its summary?" without words for a document says as little as "the results?": only a whole question counts.
    if (object === '' && !/^(?:who|what|which|give|list|name|state)\b/iu.test(text)) continue
    return { aspect, object, topic }
  }
  return null
}

/** The words for a document that say nothing about which one: "the paper", "this", "your documents". */
export function withoutKind(object: string): string {
  return object.replace(KINDS, ' ').replace(EMPTY, ' ').trim()
}

const KINDS = new RegExp(`\\b(?:${KIND})s?\\b`, 'giu')
const EMPTY =
  /\b(?:the|this|that|these|those|it|its|they|them|their|my|our|your|a|an|all|of|by|from|in|on|authors?|writers?|attached|uploaded|given|present|current|whole|entire|everything|library|collection|folder|here|same|titled|called|named|entitled|for)\b|['’]s?\b|[“”"'‘’«»]/giu

const PLURAL = new RegExp(
  `\\b(?:${KIND.replaceAll('|', 's|').replace('policys', 'policies').replace('studys', 'studies').replace('librarys', 'libraries')}s|library|collection|folder|these|those|they|them|everything)\\b`,
  'iu',
)

/** "these documents", "my library": more than one is meant. */
export function meansSeveral(object: string): boolean {
  return PLURAL.test(object)
}

function bare(question: string): string {
  let text = question
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(/[\s?.!]{1,9}$/u, '')
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(POLITE, '')
  }
  return text.trim()
}

const LONGEST_TOPIC = 300

function withoutTopic(question: string): { readonly text: string; readonly topic: string | null } {
  const opens = question.indexOf('(', Math.max(1, question.length - LONGEST_TOPIC - 2))
  const topic = opens > 0 && question.endsWith(')') ? question.slice(opens + 1, -1) : ''
  if (topic === '') return { text: question, topic: null }
  return {
    text: question
      .slice(0, opens)
      .trim()
      .replace(/[?.!]$/u, ''),
    topic,
  }
}
