/** A process that puts a database's write-ahead log into the file, and prints the file's size in bytes. */
import { statSync } from 'node:fs'
import Database from 'better-sqlite3'

const [path] = process.argv.slice(2)
const connection = new Database(path)
connection.pragma('wal_checkpoint(TRUNCATE)')
connection.close()
console.log(statSync(path).size)
