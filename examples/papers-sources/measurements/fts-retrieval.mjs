// Paper B: what the settings of SQLite FTS5 change in the quality of lexical retrieval.
// Run: QUAERO_DEV_DATA=/path/to/data node fts-retrieval.mjs
// Needs scifact-small/ and xquad-en/ in that folder, each with corpus.jsonl, queries.jsonl, qrels.tsv.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { median, random, table } from './common.mjs'

const DATA = process.env.QUAERO_DEV_DATA
if (!DATA || !existsSync(join(DATA, 'scifact-small'))) {
  console.error('Set QUAERO_DEV_DATA to the folder that holds scifact-small/ and xquad-en/.')
  process.exit(1)
}

const STOP = new Set(
  `a an and are as at be been but by can did do does for from had has have how i in into is it its
   of on or that the their them then there these they this to was were what when where which who
   whom why will with would`.split(/\s+/),
)
const CUT = 10

const lines = (file) => readFileSync(file, 'utf8').trim().split('\n')
function load(name) {
  const folder = join(DATA, name)
  const docs = lines(join(folder, 'corpus.jsonl')).map(JSON.parse)
  const relevant = new Map()
  for (const line of lines(join(folder, 'qrels.tsv')).slice(1)) {
    const [query, doc, score] = line.split('\t')
    if (Number(score) <= 0) continue
    if (!relevant.has(query)) relevant.set(query, new Set())
    relevant.get(query).add(doc)
  }
  const queries = lines(join(folder, 'queries.jsonl'))
    .map(JSON.parse)
    .filter(({ _id }) => relevant.has(_id))
  return { name, docs, queries, relevant }
}

function index(docs, tokenizer) {
  const db = new Database(':memory:')
  db.exec(`CREATE VIRTUAL TABLE f USING fts5(id UNINDEXED, title, text, tokenize = '${tokenizer}')`)
  const insert = db.prepare('INSERT INTO f VALUES (?, ?, ?)')
  db.transaction(() => {
    for (const doc of docs) insert.run(doc._id, doc.title, doc.text)
  })()
  return db
}

const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
const quoted = (text, drop) => {
  const all = words(text)
  const kept = drop ? all.filter((word) => !STOP.has(word)) : all
  return (kept.length ? kept : all).map((word) => `"${word}"`)
}
const FORMS = {
  raw: (text) => text, // what the person typed, handed to MATCH as it is
  'raw, stop': (text) =>
    text
      .split(/\s+/)
      .filter((word) => !STOP.has(word.toLowerCase()))
      .join(' '),
  trimmed: (text) => text.replace(/[.?!\s]+$/, ''), // the same without the closing mark
  and: (text) => quoted(text, false).join(' AND '),
  'and, stop': (text) => quoted(text, true).join(' AND '),
  or: (text) => quoted(text, false).join(' OR '),
  'or, stop': (text) => quoted(text, true).join(' OR '),
}

function score(found, relevant) {
  let dcg = 0
  let ideal = 0
  found.forEach((id, i) => {
    if (relevant.has(id)) dcg += 1 / Math.log2(i + 2)
  })
  for (let i = 0; i < Math.min(CUT, relevant.size); i++) ideal += 1 / Math.log2(i + 2)
  return { ndcg: dcg / ideal, first: relevant.has(found[0]) ? 1 : 0 }
}

function evaluate(set, db, form, titleWeight) {
  const search = db.prepare(`SELECT id FROM f WHERE f MATCH ? ORDER BY bm25(f, 0, ${titleWeight}, 1) LIMIT ${CUT}`)
  const scores = []
  const causes = {}
  let errors = 0
  let empty = 0
  for (const query of set.queries) {
    let found = []
    try {
      found = search.pluck().all(FORMS[form](query.text))
      if (found.length === 0) empty++
    } catch (error) {
      errors++
      const cause = error.message.replace(/^(no such column): .*/, '$1').replace(/"\w+"$/, 'a word')
      causes[cause] = (causes[cause] ?? 0) + 1
    }
    scores.push(score(found, set.relevant.get(query._id)))
  }
  const mean = (key) => scores.reduce((total, one) => total + one[key], 0) / scores.length
  return { ndcg: mean('ndcg'), first: mean('first'), errors, empty, causes, scores }
}

/** 95% interval of the difference of two runs over the same queries (paired bootstrap). */
function interval(a, b, rounds = 2000) {
  const next = random(7)
  const gaps = a.scores.map((one, i) => one.ndcg - b.scores[i].ndcg)
  const means = Array.from({ length: rounds }, () => {
    let sum = 0
    for (let i = 0; i < gaps.length; i++) sum += gaps[Math.floor(next() * gaps.length)]
    return sum / gaps.length
  }).sort((x, y) => x - y)
  return [means[Math.floor(rounds * 0.025)], means[Math.floor(rounds * 0.975)]]
}

const pct = (part, whole) => ((100 * part) / whole).toFixed(1)
console.log(
  `SQLite ${new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get()}, ${STOP.size} stop words`,
)
for (const set of [load('scifact-small'), load('xquad-en')]) {
  const many = set.queries.length
  const lengths = set.queries.map((query) => words(query.text).length)
  const kept = set.queries.map((query) => quoted(query.text, true).length)
  console.log(
    `\n== ${set.name}: ${set.docs.length} documents, ${many} queries, ` +
      `median words ${median(lengths)}, without stop words ${median(kept)}`,
  )
  const runs = new Map()
  const rows = []
  for (const tokenizer of ['unicode61', 'porter unicode61']) {
    const db = index(set.docs, tokenizer)
    const short = tokenizer.split(' ')[0]
    for (const form of Object.keys(FORMS)) {
      for (const weight of [1, 2]) {
        const run = evaluate(set, db, form, weight)
        runs.set(`${short} | ${form} | ${weight}`, run)
        rows.push([
          short,
          form,
          weight,
          run.ndcg.toFixed(3),
          run.first.toFixed(3),
          pct(run.errors, many),
          pct(run.empty, many),
        ])
      }
    }
    db.exec("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(f, 'row')")
    const terms = db.prepare('SELECT count(*) FROM vocabulary').pluck().get()
    console.log(`${short}: ${terms} distinct terms`)
    const count = db.prepare('SELECT count(*) FROM f WHERE f MATCH ?').pluck()
    for (const form of ['or', 'or, stop']) {
      const sizes = set.queries.map((query) => count.get(FORMS[form](query.text)))
      const share = pct(median(sizes), set.docs.length)
      console.log(`${short}, ${form}: median documents ranked ${median(sizes)} (${share}%)`)
    }
    db.close()
  }
  table('Settings', ['tokenizer', 'query', 'title', 'nDCG@10', 'success@1', 'error %', 'empty %'], rows)
  for (const form of ['raw', 'trimmed']) {
    const { causes } = runs.get(`unicode61 | ${form} | 1`)
    const ranked = Object.entries(causes).sort((x, y) => y[1] - x[1])
    table(`Errors, ${form}`, ['message', 'queries'], ranked)
  }
  const pairs = [
    ['porter | or | 1', 'unicode61 | or | 1'],
    ['porter | or, stop | 1', 'porter | or | 1'],
    ['porter | or | 2', 'porter | or | 1'],
    ['porter | or, stop | 2', 'unicode61 | or | 1'],
    ['porter | or | 1', 'porter | and | 1'],
  ]
  table(
    'Differences of nDCG@10 with 95% intervals',
    ['this', 'minus that', 'difference', 'low', 'high', 'better', 'worse'],
    pairs.map(([a, b]) => {
      const [one, two] = [runs.get(a), runs.get(b)]
      const ends = interval(one, two).map((end) => end.toFixed(3))
      const wins = one.scores.filter((s, i) => s.ndcg > two.scores[i].ndcg).length
      const defeats = one.scores.filter((s, i) => s.ndcg < two.scores[i].ndcg).length
      return [a, b, (one.ndcg - two.ndcg).toFixed(3), ...ends, wins, defeats]
    }),
  )
}
