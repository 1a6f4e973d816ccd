/**
 * What traces cost: whole turns without tracing, with a Langfuse that takes them, and with one that never answers, in
 * turn over the same local endpoint; and how long closing takes then. Argument: turns of each.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { comparing, median, openSides, questionOf, startEndpoint } from './harness.mjs'
import { sidesNamed } from './sides.mjs'

const [turns = 60] = process.argv.slice(2).map(Number)
const warmUp = 10

await comparing({}, async ({ folder, url }) => {
  const backends = [await startEndpoint({ kind: 'sink' }), await startEndpoint({ kind: 'silent' })]
  const [answering, silent] = backends.map((each) => each.url)
  try {
    const sides = {
      'not traced': await open({ folder: join(folder, 'none'), url }),
      traced: await open({ folder: join(folder, 'traced'), url, langfuse: answering }),
      'backend hangs': await open({ folder: join(folder, 'hanging'), url, langfuse: silent }),
    }
    print(await measure(sides))
    for (const [name, { close }] of Object.entries(sides)) {
      const began = performance.now()
      await close()
      console.log(`close, ${name}: ${((performance.now() - began) / 1000).toFixed(2)} s`)
    }
  } finally {
    for (const each of backends) each.close()
  }
})

async function open({ folder, url, langfuse }) {
  await mkdir(folder)
  const keys = { LANGFUSE_PUBLIC_KEY: 'pk-lf-bench', LANGFUSE_SECRET_KEY: 'sk-lf-bench', LANGFUSE_BASE_URL: langfuse }
  // A key on each side, since configured credentials are masked in all that is stored, traced or not.
  const env = { OPENAI_API_KEY: 'sk-bench-0123456789', ...(langfuse && keys) }
  const [side] = await openSides(sidesNamed('quaero'), { folder, url, passages: 10, env })
  return side
}

async function measure(sides) {
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]))
  for (let turn = 0; turn < turns + warmUp; turn += 1) {
    for (const [name, side] of Object.entries(sides)) {
      const began = performance.now()
      // Ten turns a thread, so that each has some history.
      await side.turn(`thread-${Math.floor(turn / 10)}`, questionOf(turn))
      if (turn >= warmUp) times[name].push(performance.now() - began)
    }
  }
  return Object.values(times).map(median)
}

function print([none, traced, stuck]) {
  console.log(`a turn, median of ${turns}: not traced ${none.toFixed(1)} ms, traced ${traced.toFixed(1)} ms`)
  console.log(`  with a backend that never answers ${stuck.toFixed(1)} ms`)
  console.log(`  ratios ${(traced / none).toFixed(2)} and ${(stuck / none).toFixed(2)}`)
}
