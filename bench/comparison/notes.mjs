/** A plain full-text index of the documents, as one writes it without Quaero. */
import Database from 'better-sqlite3'

const passageCharacters = 1200

/** Fills a new index with the texts, cut into passages. */
export function writeNotes(path, texts) {
  const database = new Database(path)
  database.exec('CREATE VIRTUAL TABLE notes USING fts5(text)')
  const insert = database.prepare('INSERT INTO notes VALUES (?)')
  database.transaction(() => {
    for (const text of texts) {
      for (let at = 0; at < text.length; at += passageCharacters) insert.run(text.slice(at, at + passageCharacters))
    }
  })()
  database.close()
}

/** A function that finds the ten passages that match best. */
export function openNotes(path) {
  const database = new Database(path, { readonly: true })
  const find = database.prepare('SELECT text FROM notes WHERE notes MATCH ? ORDER BY bm25(notes) LIMIT 10').pluck()
  return (query) => find.all(query.split(/\W+/).filter(Boolean).join(' OR '))
}
