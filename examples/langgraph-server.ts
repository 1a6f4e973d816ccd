// What langgraph.json names: `langgraphjs dev` serves this graph. It keeps its threads in .quaero, like the command.
import { createQuaero } from '../src/index.ts'

export const { graph } = await createQuaero()
