import { randomUUID } from 'node:crypto'

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

/** Puts the pieces of a reply's tool calls together, and judges them only when the reply is complete. */
interface ToolCallAssembler {
  /** Returns the index of the call that the piece belongs to. */
  add(delta: ToolCallDelta): number
  /** `cut`: the reply hit its length limit, so a call without arguments is one whose arguments never came. */
  finish(options: { readonly cut: boolean; readonly takenIds: ReadonlySet<string> }): readonly AssembledCall[]
}

/**
 * Servers differ: some number their calls, some only name them, some number every call 0 and tell them apart by id.
 * LangChain would complete cut arguments into valid ones (`{"path":"/a/b` becomes a call for `/a/b`); here only what
 * `JSON.parse` reads as an object counts. Missing and repeated ids are replaced.
 */
export function assembleToolCalls(): ToolCallAssembler {
  const calls: OpenCall[] = []
  return {
    add(delta) {
      const call = findOpen(calls, delta) ?? begin(calls, delta)
      call.id ||= delta.id ?? ''
      call.name ||= delta.name ?? ''
      call.args += delta.args
      return indexOf(calls.indexOf(call))
    },
    finish({ cut, takenIds }) {
      const taken = new Set(takenIds)
      return calls.map(({ id, name, args }, position) => {
        const index = indexOf(position)
        const complete = args.trim() === '' && !cut ? '{}' : args
        if (name === '' || !isObject(complete)) return { index, id: undefined, name, args: complete }
        const unique = id === '' || taken.has(id) ? `call_${randomUUID()}` : id
        taken.add(unique)
        return { index, id: unique, name, args: complete }
      })
    },
  }
}

function indexOf(position: number): number {
  return position + 1
}

interface OpenCall {
  readonly key: number | null
  id: string
  name: string
  args: string
}

function findOpen(calls: readonly OpenCall[], { index, id, name, args }: ToolCallDelta): OpenCall | undefined {
  const last = calls.at(-1)
  const call = index == null ? (id ? calls.findLast((each) => each.id === id) : last) : findKey(calls, index)
  if (!call) return undefined
  const isAnother = Boolean(name) && call.name !== '' && (id ? id !== call.id : index == null || isNext(call, args))
  return isAnother ? undefined : call
}

/** Nothing can follow whole arguments but those of another call: Ollama numbered each call 0. */
function isNext(call: OpenCall, args: string): boolean {
  return args !== '' && isObject(call.args)
}

function findKey(calls: readonly OpenCall[], index: number): OpenCall | undefined {
  return calls.findLast(({ key }) => key === index)
}

function begin(calls: OpenCall[], { index }: ToolCallDelta): OpenCall {
  const call: OpenCall = { key: index ?? null, id: '', name: '', args: '' }
  calls.push(call)
  return call
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
