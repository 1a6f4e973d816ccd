// The workflow as a graph of LangGraph, and its routes.

export {
  type Agents,
  buildGraph,
  type Graph,
  type GraphOptions,
  graphVersion,
  type NodeName,
  type RunScope,
} from './graph.ts'
export { nextNode, routes } from './routing.ts'
