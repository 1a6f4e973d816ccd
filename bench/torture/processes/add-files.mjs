/**
 * Adds a folder to a library and tells the parent of each file as soon as it is reported as added, until it is killed; or
 * lists what the library holds. Runs the built package. `{ do: 'add' | 'list', folder, files }`
 */
import { writeSync } from 'node:fs'
import { createQuaero, loadConfig } from '../../../dist/index.js'

const job = JSON.parse(process.argv[2])
const quaero = await createQuaero({ config: loadConfig({ env: {} }), dataDir: job.folder, model: 'extractive' })
if (job.do === 'list') {
  const [documents, { integrity }] = [await quaero.library.list(), await quaero.report()]
  const found = await Promise.all(
    documents.map(async ({ documentId }) => [documentId, (await quaero.library.text(documentId, 1)).text]),
  )
  // The parent waits for the end of this process; a channel that is closed at once may lose the report.
  await new Promise((resolve) => process.send?.({ report: { found, integrity } }, resolve))
} else {
  await quaero.library.add([job.files], {
    // On the pipe before anything else happens, so that a kill loses no acknowledgement.
    onProgress: ({ document }) => writeSync(2, `${JSON.stringify([document?.documentId, document?.path])}\n`),
  })
}
await quaero.close()
process.disconnect?.()
