/** What can be asked about a document as a whole. */
export type DocumentAspect = 'authors' | 'title' | 'year' | 'pages' | 'topic' | 'findings' | 'inventory'

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
const FINDING = '(?:find|conclude|show|report|discover|demonstrate)s?'
const TELLING = '(?:propose|suggest|introduce|present|contribute|develop|recommend)s?'
const COVERING =
  '(?:say|cover|discuss|describe|deal with|talk about|address|explain|argue|claim|do|study|investigate|examine)s?'

interface Form {
  readonly aspect: DocumentAspect
  readonly pattern: RegExp
  /** Where the words could as well be about the thing that a document is named after, a document must be spoken of. */
  readonly needsKind: boolean
}

const form = (aspect: DocumentAspect, pattern: string): Form => ({
  aspect,
  pattern: new RegExp(`^${pattern}$`, 'iu'),
  needsKind: false,
})
const formOfKind = (aspect: DocumentAspect, pattern: string): Form => ({ ...form(aspect, pattern), needsKind: true })

const GIVE = `(?:(?:who|what|which)(?:['’]s| is| are| was| were)|name|list|state|give(?: me)?)`
const QUALITY = '(?:(?:all|full|first|lead|main|key|major|central|short|brief|quick|overall) ){0,2}'
/** "What is the title of X?", "authors of X", "a short summary of X". */
const nounOf = (nouns: string) =>
  `(?:${GIVE} )?(?:the |its |an? )?${QUALITY}(?:${nouns})(?: (?:of|for|in|from|behind) ${OBJECT})?`
/** "What is X's title?", "its authors". */
const ownedBy = (nouns: string) => `(?:${GIVE} )?(?:${OBJECT}['’]s?|(?<own>its|their)) (?:full )?(?:${nouns})`

const LIBRARY = '(?:the|my|our|your|this) (?:library|collection|folder)'
const WHOSE = '(?:(?:all|all of) )?(?:(?:the|my|our|your|these|those) )?'
const HELD = `(?: (?:do|can|have) (?:i|we|you) (?:have|hold|know|see|got|added)| (?:are )?(?:there )?in ${LIBRARY})`

/** The first form that fits decides. */
const FORMS: readonly Form[] = [
  // "Papers" may be what a document speaks of, "documents" and "files" hardly.
  form('inventory', `(?:what|which|how many) (?<object>documents|files|papers|texts)${HELD}`),
  form('inventory', '(?:what|which|how many) (?<object>documents|files)(?: are (?:there|here|available|loaded))?'),
  form('inventory', `what(?:(?:['’]s| is| are) in|(?: does)) (?<object>${LIBRARY})(?: (?:contain|hold|have))?`),
  form(
    'inventory',
    `(?:list|show|name|count|give)(?: me)? (?:(?:the |a )?(?:titles|names|list) of )?${WHOSE}(?<object>documents|files|papers|texts)(?: in ${LIBRARY})?`,
  ),
  form('inventory', `what are ${WHOSE}(?:(?:titles|names) of ${WHOSE})?(?<object>documents|files)`),
  form('authors', `who (?:wrote|(?:co-?)?authored|has written) ${OBJECT}`),
  form('authors', nounOf('(?:names? of (?:the )?)?authors?')),
  form('authors', ownedBy('authors?')),
  form('authors', `(?:by whom|who) (?:was|is|were) ${OBJECT} (?:written|authored)(?: by)?`),
  formOfKind('authors', `who (?:is|was) ${OBJECT} by`),
  form('title', nounOf('title')),
  formOfKind('title', nounOf('name')),
  formOfKind('title', ownedBy('title|name')),
  formOfKind('title', `what (?:is|was) ${OBJECT} (?:called|titled|entitled)`),
  form(
    'year',
    `(?:when|(?:in )?(?:what|which) year) (?:was|were|is) ${OBJECT} (?:first )?(?:published|written|issued|dated)`,
  ),
  formOfKind('year', `when (?:was|were|is|did) ${OBJECT} (?:released|printed|come out|appear)`),
  formOfKind('year', `(?:(?:from )?(?:what|which) year (?:is|was)|how (?:old|recent) is) ${OBJECT}(?: from)?`),
  form('year', nounOf('(?:publication|issue|release) (?:date|year)')),
  formOfKind('year', nounOf('date|year')),
  formOfKind(
    'pages',
    `how many pages (?:(?:does|do|is|has|are|in|of|there) ?){0,3} ?${OBJECT}(?: (?:have|contain|span|long))?`,
  ),
  form(
    'pages',
    `how long is (?<object>(?:the|this|that) (?:\\S+ ){0,4}?(?:paper|article|document|file|pdf|book|report|thesis))`,
  ),
  formOfKind('pages', nounOf('number of pages|page count|length')),
  form(
    'topic',
    `what(?:['’]s| is| are| was| were) ${OBJECT} (?:all |mainly )?(?:about|concerned with|(?:good |used |meant |there )?for)`,
  ),
  formOfKind('topic', `what (?:does|do|did) ${OBJECT} (?:mainly )?(?:${COVERING})`),
  form('topic', `what (?:does|do|did) (?:the authors of )?${OBJECT} (?:mainly )?(?:${TELLING})`),
  form('findings', `what (?:does|do|did) (?:the authors of )?${OBJECT} (?:mainly )?(?:${FINDING})`),
  form('findings', nounOf('findings?|conclusions?|take-?aways?')),
  formOfKind('findings', nounOf('results?')),
  form('topic', nounOf('contributions?|topic|theme|gist|abstract|summary|overview|synopsis|tl;?dr')),
  formOfKind('topic', nounOf('idea|point|subject|message|purpose|aim|goal|argument')),
  form('topic', `(?:briefly )?(?:summari[sz]e|sum up|outline|recap) ${OBJECT}(?: (?:briefly|for me|in .{1,20}))?`),
  formOfKind(
    'topic',
    `(?:(?:what is|what are|tell me|explain|describe) (?:something |more )?about|explain|describe) ${OBJECT}`,
  ),
]

const NAMES_KIND = new RegExp(`\\b(?:${KIND})s?\\b`, 'iu')
const POINTS = /^(?:it|its|they|them|this|that|these|those|all|everything)$/iu

/** A question of more characters is about more than a document. */
const LONGEST_QUESTION = 800

/** Reads a question about documents: who wrote one, what it is about. null for one about what stands in them. */
export function readDocumentQuestion(question: string): DocumentQuestion | null {
  if (question.length > LONGEST_QUESTION) return null
  const { text, topic } = withoutTopic(bare(question))
  for (const { aspect, pattern, needsKind } of FORMS) {
    const match = pattern.exec(text)
    if (!match) continue
    const object = (match.groups?.object ?? match.groups?.own ?? '').trim()
    if (needsKind && object !== '' && !NAMES_KIND.test(object) && !POINTS.test(object)) continue
    // "Its main idea?" without words for a document says as little as "the results?": only a whole question counts.
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
