import { z } from 'zod'
import { AlreadyExists, UnknownTool, UsageError } from '../errors.ts'
import { problemsIn } from '../options.ts'
import { inputOf, type Tool } from './tool.ts'

/** The names that model endpoints accept. */
const toolName = /^[A-Za-z0-9_-]{1,64}$/

const shape = z.object({
  name: z.string().regex(toolName, 'a name is 1 to 64 of the characters A–Z, a–z, 0–9, _ and -'),
  description: z.string().min(1),
  input: z.instanceof(z.ZodType, { error: 'a zod schema is needed' }),
  sensitive: z.boolean().optional(),
  network: z.boolean().optional(),
  timeoutMs: z.number().positive().nullable().optional(),
  run: z.custom((value) => typeof value === 'function', { error: 'a function is needed' }),
})

/** The tools of an engine: each run is offered those in it when its research begins. */
export class Toolbox {
  readonly #tools = new Map<string, Tool>()
  readonly #guard: (tool: Tool) => Tool

  /** `guard` gives each tool the checks of the engine. Throws as `add` does. */
  constructor(tools: Iterable<Tool> = [], guard: (tool: Tool) => Tool = (tool) => tool) {
    this.#guard = guard
    for (const tool of tools) this.add(tool)
  }

  /** In the order in which they were added. */
  list(): readonly Tool[] {
    return [...this.#tools.values()]
  }

  /** Throws `UnknownTool`, which names those there are. */
  get(name: string): Tool {
    const tool = this.#tools.get(name)
    if (tool) return tool
    throw new UnknownTool(
      `There is no tool "${name}". The tools are: ${[...this.#tools.keys()].join(', ') || '(none)'}.`,
    )
  }

  /** Throws `InvalidToolInput` for arguments that the tool does not accept; does nothing for an unknown tool. */
  checkArgs(name: string, args: unknown): void {
    const tool = this.#tools.get(name)
    if (tool) inputOf(tool, args)
  }

  /** Throws `AlreadyExists` for a name that is taken, `UsageError` for anything but a tool. */
  add(tool: Tool): void {
    const parsed = shape.safeParse(tool)
    if (!parsed.success) throw new UsageError(`This is no tool: ${problemsIn(parsed.error)}`)
    if (this.#tools.has(tool.name))
      throw new AlreadyExists(`There is a tool "${tool.name}" already; remove it first, or choose another name.`)
    this.#tools.set(tool.name, this.#guard(tool))
  }

  /** Removes a tool at once, also from running runs. Throws `UnknownTool`. */
  remove(name: string): void {
    this.get(name)
    this.#tools.delete(name)
  }
}
