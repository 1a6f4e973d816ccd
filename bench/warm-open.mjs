// Opens and closes one data directory again and again within a process, and prints the milliseconds of each. Plain
// JavaScript, so that no TypeScript loader is measured. Arguments: the built product, the data directory, the rounds.
import { pathToFileURL } from 'node:url'

const [entry = '', dataDir = '', rounds = '20'] = process.argv.slice(2)
const { createQuaero } = await import(pathToFileURL(entry).href)
const times = []
for (let round = 0; round < Number(rounds); round += 1) {
  const began = performance.now()
  const quaero = await createQuaero({ dataDir, model: 'extractive' })
  const opened = performance.now()
  await quaero.close()
  times.push({ open: opened - began, close: performance.now() - opened })
}
console.log(JSON.stringify(times))
