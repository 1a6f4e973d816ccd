import { randomUUID } from 'node:crypto'
import { z } from 'zod'

/** A piece of a tool call, as a streamed delta carries it. */
export interface ToolCallDelta {
  readonly index?: number | null | undefined
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
  readonly args: string
}

/**
 * A whole tool call. `args` is the text the model wrote. Without an `id` the call is invalid: LangChain then lists it
 * under `invalid_tool_calls`, and nothing can execute it.
 */
export interface AssembledCall {
  /** From 1: LangChain's content-block stream keeps index 0 for the text and would drop a call there. */
  readonly index: number
  readonly id: string | undefined
  readonly name: string
  readonly args: string
}

/**
 * Puts the pieces of a reply's tool calls together. Servers differ: some number their calls, some only name them, some
 * number every call 0 and tell them apart by id. LangChain would complete cut arguments into valid ones (`{"path":"/a/b`
 * becomes a call for `/a/b`); here only what `JSON.parse` reads as an object counts. Missing and repeated ids are replaced.
 */
export function assembleToolCalls() {
  const calls: OpenCall[] = []
  return {
    /** Returns the index of the call that the piece belongs to. */
    add(delta: ToolCallDelta): number {
      const call = findOpen(calls, delta) ?? begin(calls, delta)
      call.id ||= delta.id ?? ''
      call.name ||= delta.name ?? ''
      call.args += delta.args
      return calls.indexOf(call) + 1
    },
    /** `cut`: the reply hit its length limit, so a call without arguments is one whose arguments never came. */
    finish({ cut, takenIds }: { readonly cut: boolean; readonly takenIds: ReadonlySet<string> }): AssembledCall[] {
      const taken = new Set(takenIds)
      return calls.map(({ id, name, args }, position) => {
        const index = position + 1
        const complete = args.trim() === '' && !cut ? '{}' : args
        if (name === '' || !isObject(complete)) return { index, id: undefined, name, args: complete }
        const unique = id === '' || taken.has(id) ? `call_${randomUUID()}` : id
        taken.add(unique)
        return { index, id: unique, name, args: complete }
      })
    },
  }
}

interface OpenCall {
  readonly key: number | null
  id: string
  name: string
  args: string
}

function findOpen(calls: readonly OpenCall[], { index, id, name, args }: ToolCallDelta): OpenCall | undefined {
  const byId = id ? calls.findLast((each) => each.id === id) : calls.at(-1)
  const call = index == null ? byId : calls.findLast(({ key }) => key === index)
  if (!call) return undefined
  // Nothing can follow whole arguments but those of another call: Ollama numbered each call 0.
  const isNext = args !== '' && isObject(call.args)
  const isAnother = Boolean(name) && call.name !== '' && (id ? id !== call.id : index == null || isNext)
  return isAnother ? undefined : call
}

function begin(calls: OpenCall[], { index }: ToolCallDelta): OpenCall {
  const call: OpenCall = { key: index ?? null, id: '', name: '', args: '' }
  calls.push(call)
  return call
}

const object = z.record(z.string(), z.unknown())

function isObject(json: string): boolean {
  try {
    return object.safeParse(JSON.parse(json)).success
  } catch {
    return false
  }
}
