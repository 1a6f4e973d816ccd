/** A plugin that asks before a tool runs. Run it: npx tsx examples/09-approval-plugin.ts */
import assert from 'node:assert/strict'
import { AIMessage } from '@langchain/core/messages'
import { z } from 'zod'
import { createQuaero, defineTool, type Plugin, scriptedModel, type ToolDecision } from '../src/index.ts' // in your own program: from 'quaero'

interface Call {
  readonly name: string
  readonly args: Readonly<Record<string, unknown>>
}

/** Asks the given function about each call: nothing lets it run as it is, `args` changes it, `refuse` says why not. */
function approvalBy(decide: (call: Call) => Promise<ToolDecision | undefined>): Plugin {
  return { name: 'approval', beforeTool: ({ name, args }) => decide({ name, args }) }
}

// In a program of yours, the function shows the call to a person and waits. (A person who is not there now is what
// the tool's `sensitive: true` is for: the run then pauses, and goes on when they have answered.)
const approval = approvalBy(async ({ name, args }) => {
  console.log(`May ${name} run with ${JSON.stringify(args)}?`)
  if (args.to === 'everyone') return { refuse: 'Too many people; choose one' }
  return { args: { ...args, text: `${args.text} (sent by a machine)` } }
})

const sent: string[] = []
const send = defineTool({
  name: 'send',
  description: 'Sends a message.',
  input: z.object({ to: z.string(), text: z.string() }),
  run: async ({ to, text }) => {
    sent.push(`${to}: ${text}`)
    return 'Sent.'
  },
})

// A model that says these lines, so that the example needs no key; with yours: model: 'openai:gpt-5-mini'.
const sending = (id: string, to: string) =>
  new AIMessage({ content: '', tool_calls: [{ id, name: 'send', args: { to, text: 'Tea is ready' } }] })
const model = scriptedModel({
  research: [sending('1', 'everyone'), sending('2', 'Ann'), 'Ann knows.'],
})

const quaero = await createQuaero({ tools: [send], hooks: [approval], model, dataDir: ':memory:' })
await quaero.ask('Tell them that tea is ready.')
console.log(`Told to the model: ${model.heard[1]?.at(-1)?.text}`)
console.log(`Sent to ${sent}`)
await quaero.close()

assert.deepEqual(sent, ['Ann: Tea is ready (sent by a machine)'])
assert.match(String(model.heard[1]?.at(-1)?.text), /refused: Too many people/)
