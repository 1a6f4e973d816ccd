/** What can be asked about a document as a whole. */
export type DocumentAspect = 'authors' | 'title' | 'year' | 'pages' | 'topic' | 'proposal' | 'findings' | 'inventory'

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
const TELLING =
  'propose|proposes|proposed|suggest|suggests|introduce|introduces|introduced|present|presents|presented|contribute|contributes|contributed|develop|develops|developed|recommend|recommends|recommended'
const FINDING =
  'find|finds|found|conclude|concludes|concluded|show|shows|showed|report|reports|reported|discover|discovers|discovered|demonstrate|demonstrates|demonstrated'
const COVERING =
  'say|says|cover|covers|discuss|discusses|describe|describes|deal with|deals with|talk about|talks about|address|addresses|contain|explain|explains|argue|argues|claim|claims|do|study|studies|investigate|investigates|examine|examines'

interface Form {
  readonly aspect: DocumentAspect
  readonly pattern: RegExp
  /** Where the words could as well be about the thing that a document is named after, a document must be spoken of. */
  readonly needsKind?: true
}

const form = (aspect: DocumentAspect, pattern: string, needsKind?: true): Form => ({
  aspect,
  pattern: new RegExp(`^${pattern}$`, 'iu'),
  ...(needsKind && { needsKind }),
})

const WHOSE = '(?:(?:all|all of) )?(?:(?:the|my|our|your|these|those) )?'
const LIBRARY = '(?:the|my|our|your|this) (?:library|collection|folder)'
const HELD = `(?: (?:exactly )?(?:do|can|have) (?:i|we|you) (?:have|hold|know|see|got|loaded|added|uploaded)| (?:are )?(?:there )?in ${LIBRARY})`

/** Questions for what the library holds: "papers" may be what a document speaks of, "documents" and "files" hardly. */
const INVENTORY: readonly Form[] = [
  form('inventory', `(?:what|which|how many) (?<object>documents|files|papers|texts)${HELD}`),
  form('inventory', '(?:what|which|how many) (?<object>documents|files)(?: are (?:there|here|available|loaded))?'),
  form('inventory', `what(?:['’]s| is| are) in (?<object>${LIBRARY})`),
  form('inventory', `what does (?<object>${LIBRARY}) (?:contain|hold|have)`),
  form(
    'inventory',
    `(?:list|show|name|enumerate|count|give)(?: me)? (?:(?:the |a )?(?:titles|names|list) of )?${WHOSE}(?<object>documents|files|papers|texts)(?: (?:that )?(?:i|we|you) have| in ${LIBRARY})?`,
  ),
  form('inventory', `what are ${WHOSE}(?:(?:titles|names) of ${WHOSE})?(?<object>documents|files)`),
]

/** The first form that fits decides. */
const FORMS: readonly Form[] = [
  ...INVENTORY,
  form('authors', `who (?:wrote|authored|co-?authored|has written) ${OBJECT}`),
  form(
    'authors',
    `(?:(?:who|what) (?:is|are|was|were)|name|list|give(?: me)?|which are)?\\s*(?:all )?(?:the )?(?:names? of )?(?:the )?(?:first |lead |main |corresponding )?authors?(?: (?:of|for|behind) ${OBJECT})?`,
  ),
  form('authors', `(?:who (?:is|are|was|were) )?${OBJECT}['’]s? authors?`),
  form('authors', `(?:who (?:is|are|was|were) )?(?<object>its|their) authors?`),
  form('authors', `(?:by whom|who) (?:was|is|were) ${OBJECT} (?:written|authored)(?: by)?`),
  form('authors', `who (?:is|was) ${OBJECT} by`, true),
  form('title', `(?:what(?:['’]s| is| was)|give(?: me)?)? ?(?:the )?(?:full |exact |whole )?title of ${OBJECT}`),
  form('title', `(?:what(?:['’]s| is| was) )?${OBJECT}['’]s? (?:full )?(?:title|name)`, true),
  form('title', `(?:what(?:['’]s| is| was)) (?<object>its) (?:full )?title`),
  form('title', `what(?:['’]s| is| was) (?:the )?(?:title|full title)`),
  form('title', `(?:what(?:['’]s| is| was)) (?:the )?name of ${OBJECT}`, true),
  form('title', `what (?:is|was) ${OBJECT} (?:called|titled|entitled)`, true),
  form('year', `when (?:was|were|is) ${OBJECT} (?:first )?(?:published|written|issued|dated)`),
  form(
    'year',
    `when (?:was|were|is|did) ${OBJECT} (?:first )?(?:released|printed|made public|come out|appear(?:ed)?)`,
    true,
  ),
  form(
    'year',
    `(?:(?:in|from) )?(?:what|which) year (?:was|is|were) ${OBJECT} (?:first )?(?:published|written|issued|dated)(?: in)?`,
  ),
  form('year', `(?:from )?(?:what|which) year (?:is|was) ${OBJECT}(?: from)?`, true),
  form('year', `how (?:old|recent) is ${OBJECT}`, true),
  form(
    'year',
    `(?:(?:what(?:['’]s| is| was)|give(?: me)?) )?(?:the )?(?:publication|issue|release) (?:date|year) of ${OBJECT}`,
  ),
  form('year', `(?:(?:what(?:['’]s| is| was)|give(?: me)?) )?(?:the )?(?:date|year) of ${OBJECT}`, true),
  form('pages', `how many pages (?:does|do|did) ${OBJECT} (?:have|contain|span|run to)`, true),
  form('pages', `how many pages (?:is|are)(?: there)?(?: (?:in|of))? ${OBJECT}(?: long)?`, true),
  form('pages', `how many pages (?:has|in|of) ${OBJECT}(?: got)?`, true),
  form(
    'pages',
    `how long is (?<object>(?:the|this|that) (?:\\S+ ){0,4}?(?:paper|article|document|file|pdf|book|report|thesis))`,
  ),
  form('pages', `(?:what(?:['’]s| is) )?(?:the )?(?:number of pages|page count|length) (?:of|in) ${OBJECT}`, true),
  form(
    'topic',
    `what(?:['’]s| is| are| was| were) ${OBJECT} (?:all |mainly |mostly |really )?(?:about|on|concerned with)`,
  ),
  form('topic', `what (?:does|do|did) ${OBJECT} (?:mainly |mostly |basically |actually )?(?:${COVERING})`, true),
  form('proposal', `what (?:does|do|did) (?:the authors of )?${OBJECT} (?:mainly |actually )?(?:${TELLING})`),
  form('findings', `what (?:does|do|did) (?:the authors of )?${OBJECT} (?:mainly |finally |actually )?(?:${FINDING})`),
  form(
    'findings',
    `(?:what (?:is|are|was|were) |give(?: me)? |list )?(?:the |its )?(?:main |key |major |central |overall |most important )?(?:findings?|conclusions?|take-?aways?)(?: (?:of|from|in) ${OBJECT})?`,
  ),
  form(
    'findings',
    `(?:what (?:is|are|was|were) |give(?: me)? |list )?(?:the |its )?(?:main |key |major |central |overall |most important )?results?(?: (?:of|from|in) ${OBJECT})?`,
    true,
  ),
  form(
    'proposal',
    `(?:what (?:is|are|was|were) |give(?: me)? |list )?(?:the |its )?(?:main |key |major |central )?contributions?(?: (?:of|in) ${OBJECT})?`,
  ),
  form(
    'topic',
    `(?:what (?:is|are|was|were) |give(?: me)? |state )?(?:the |its |an? )?(?:(?:main|key|central|general|short|brief|quick|one-sentence) )*(?:topic|theme|gist|abstract|summary|overview|synopsis|tl;?dr)(?: (?:of|for) ${OBJECT})?`,
  ),
  form(
    'topic',
    `(?:what (?:is|are|was|were) |give(?: me)? |state )?(?:the |its )?(?:(?:main|key|central|general) )*(?:idea|point|subject|message|purpose|aim|goal|argument)(?: (?:of|in|behind) ${OBJECT})?`,
    true,
  ),
  form(
    'topic',
    `(?:briefly |shortly )?(?:summari[sz]e|sum up|outline|recap|tl;?dr:?) ${OBJECT}(?: (?:briefly|shortly|for me|in (?:one|a few|two|three|\\d) (?:words|sentences?|lines?)))?`,
  ),
  form('topic', `(?:what is|what are|tell me|explain|describe) (?:something |more )?about ${OBJECT}`, true),
  form('topic', `(?:explain|describe|introduce) ${OBJECT}(?: to me)?`, true),
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
    const object = match.groups?.object?.trim() ?? ''
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
