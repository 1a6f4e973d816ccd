/** Another process that holds the write lock of a database: takes it when told, for as long as it is told. */
import Database from 'better-sqlite3'

const connection = new Database(process.argv[2])
process.on('message', (ms) => {
  connection.exec('BEGIN IMMEDIATE')
  process.send?.('locked')
  setTimeout(() => {
    connection.exec('ROLLBACK')
    connection.close()
    process.disconnect()
  }, ms)
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
