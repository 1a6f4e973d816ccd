import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { currentProcess, isAlive } from '../../../src/storage/process-identity.ts'

it('this process is alive', async () => {
  expect(await isAlive(await currentProcess())).toBe(true)
  expect((await currentProcess()).pid).toBe(process.pid)
})

it('a process with the same number but another start is not the one that was meant', async () => {
  const { pid, startedAt } = await currentProcess()
  if (startedAt === '') return
  expect(await isAlive({ pid, startedAt: `${startedAt}0` })).toBe(false)
  expect(await isAlive({ pid, startedAt: '' })).toBe(true)
})

it('a process that has ended is dead', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  const { pid = 0 } = child
  await once(child, 'exit')
  expect(await isAlive({ pid, startedAt: '' })).toBe(false)
})

it('the first process of the machine is alive, whoever owns it', async () => {
  expect(await isAlive({ pid: 1, startedAt: '' })).toBe(true)
})

it.skipIf(process.platform !== 'linux')(
  'a process that has ended but was not collected by its parent is dead',
  async () => {
    // The shell becomes `cat`, which does not collect the child that the shell had started.
    const parent = spawn('sh', ['-c', '(exit 0) & echo $!; exec cat'])
    try {
      const [line] = await once(parent.stdout, 'data')
      await expect.poll(() => isAlive({ pid: Number(line), startedAt: '' })).toBe(false)
    } finally {
      parent.kill('SIGKILL')
      await once(parent, 'exit')
    }
  },
)
