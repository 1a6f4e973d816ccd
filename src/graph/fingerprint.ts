import { createHash } from 'node:crypto'

/** The name under which a run's configuration, and then its checkpoints' metadata, carry the fingerprint. */
export const fingerprintKey = 'graph_fingerprint'

/** The part of a compiled LangGraph graph that says how it is built. */
interface Built {
  readonly builder: {
    readonly nodes: object
    readonly edges: Iterable<readonly [string, string]>
    readonly branches: Readonly<
      Record<string, Readonly<Record<string, { readonly ends?: Readonly<Record<string, string>> }>>>
    >
  }
  readonly channels: Readonly<Record<string, { readonly lc_graph_name: string }>>
}

/**
 * What a checkpoint's pending work depends on: the graph's nodes, its edges, and the channels of its state. Two graphs
 * of the same fingerprint can go on with each other's runs; the code inside a node may differ.
 */
export function fingerprintOf(graph: Built): string {
  const { nodes, edges, branches } = graph.builder
  const ends = Object.entries(branches).flatMap(([from, each]) =>
    Object.values(each).flatMap(({ ends = {} }) => Object.values(ends).map((to) => [from, to])),
  )
  const kinds = Object.entries(graph.channels).map(([name, channel]) => [name, channel.lc_graph_name])
  const shape = [Object.keys(nodes).sort(), [...edges, ...ends].map(String).sort(), kinds.map(String).sort()]
  return createHash('sha256').update(JSON.stringify(shape)).digest('hex').slice(0, 16)
}
