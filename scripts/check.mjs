// Format, lint, types, dead code, package and regular expressions: `npm run check`. Two run at a time; what one prints is
// shown when it has ended. npm puts the programs on the path.
import { spawn } from 'node:child_process'
import { join } from 'node:path'

const types = 'tsc --noEmit --incremental --tsBuildInfoFile node_modules/.cache/checked-types.json'
// Biome follows the build, whose folder in node_modules would vanish under it.
const lanes = [
  // The page's types are those of the built package.
  [
    'node scripts/build-if-stale.mjs && publint --strict',
    'tsc --noEmit -p src/web',
    'tsc --noEmit -p examples/10-react',
    'biome check .',
    'node scripts/check-dependencies.mjs',
    'knip',
  ],
  [types, 'tsx scripts/check-expressions.ts'],
]

await Promise.all(lanes.map(runInTurn))

async function runInTurn(checks) {
  for (const check of checks) {
    const { code, output } = await run(check)
    if (code !== 0) process.exitCode = 1
    process.stdout.write(`${code === 0 ? 'ok' : 'FAILED'}: ${check}\n${output}`)
  }
}

function run(command) {
  const child = spawn(command, { shell: true, cwd: join(import.meta.dirname, '..'), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, output }))
  })
}
