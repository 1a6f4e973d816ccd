import { spawnSync } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const script = join(import.meta.dirname, '..', '..', '..', 'scripts', 'run-dockerfile.mjs')

const steps = (...last: readonly string[]) =>
  [
    'FROM node:22 AS build',
    'WORKDIR /build',
    'COPY . .',
    'RUN cp main.mjs built.mjs # a step',
    '',
    'FROM node:22-slim',
    'ENV HOME_OF_DATA=/data',
    'WORKDIR /app',
    ...last,
    'ENTRYPOINT ["node", "/app/built.mjs"]',
  ].join('\n')

const program = `import { existsSync } from 'node:fs'
console.log(process.argv[2], existsSync(process.env.HOME_OF_DATA), existsSync('secret.txt'))`

/** Executes a Dockerfile in a folder with a program, and a secret that is not sent. */
async function executed(dockerfile: string) {
  const folder = await mkdtemp(join(tmpdir(), 'quaero-'))
  const files = {
    Dockerfile: dockerfile,
    '.dockerignore': '*\n!main.mjs\n',
    'main.mjs': program,
    'secret.txt': 'secret',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
}

describe('the steps of a Dockerfile', () => {
  it('are executed without Docker, and the program starts on what the last stage holds', async () => {
    const { status, stdout } = await executed(
      steps(
        'COPY --from=build /build ./',
        'COPY --from=build /build /data',
        'COPY --from=build /build/built.mjs built.mjs',
        'USER node',
      ),
    )
    expect([status, stdout.split('\n')[0]]).toEqual([0, '--version true false'])
  })

  it('fail where a file is not copied, where the image would run as root, and at an unknown instruction', async () => {
    const copied = 'COPY --from=build /build/built.mjs ./'
    for (const [problem, ...last] of [
      ['does not run', 'USER node'],
      ['as root', copied],
      ['ONBUILD is not known', copied, 'ONBUILD RUN true', 'USER node'],
    ]) {
      const { status, stderr } = await executed(steps(...last))
      expect([status, stderr]).toEqual([1, expect.stringContaining(String(problem))])
    }
  })
})
