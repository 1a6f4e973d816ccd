/**
 * Adds the files whose paths its parent sends to a library, one at a time, and says of each how it went and what it cost
 * this process, apart from the readers. Runs the built package. `{ do: 'add', folder }`
 */
import { createQuaero, loadConfig } from '../../../dist/index.js'

const job = JSON.parse(process.argv[2])
const quaero = await createQuaero({ config: loadConfig({ env: {} }), dataDir: job.folder, model: 'extractive' })
const everyMs = 10

process.on('message', async ({ path }) => {
  if (path === undefined) return end()
  const watch = watchProcess()
  const { documents } = await quaero.library.add([path])
  const { status, error } = documents[0] ?? { status: 'missing', error: null }
  process.send({ status, code: error?.code ?? null, ...watch() })
})

/** What is stored has to be whole, and to be found. */
async function end() {
  const { integrity } = await quaero.report()
  await quaero.library.search('pond litres')
  await quaero.close()
  process.send({ integrity }, () => process.disconnect())
}

/**
 * Watches memory, and how long the event loop is kept from a timer. Of that, only time in which this process had a
 * processor counts: what other processes take does not block it.
 */
function watchProcess() {
  let [last, used, gapMs, rss] = [performance.now(), process.cpuUsage(), 0, 0]
  const look = () => {
    const { user, system } = process.cpuUsage(used)
    const now = performance.now()
    gapMs = Math.max(gapMs, Math.min(now - last - everyMs, (user + system) / 1000))
    rss = Math.max(rss, process.memoryUsage.rss())
    ;[last, used] = [now, process.cpuUsage()]
  }
  const timer = setInterval(look, everyMs)
  return () => {
    clearInterval(timer)
    look()
    return { gapMs, rssMegabytes: rss / 1e6 }
  }
}
