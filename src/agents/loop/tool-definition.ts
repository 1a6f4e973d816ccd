import { z } from 'zod'
import type { Tool } from '../../tools/tool.ts'

/** A tool as endpoints want it described. */
export function toolDefinition(tool: Tool): ToolDefinition {
  const known = toolDefinitions.get(tool)
  if (known) return known
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input' })
  const { name, description } = tool
  const definition: ToolDefinition = { type: 'function', function: { name, description, parameters } }
  toolDefinitions.set(tool, definition)
  return definition
}

interface ToolDefinition {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

/** Every call of a loop describes the same tools. */
const toolDefinitions = new WeakMap<Tool, ToolDefinition>()
