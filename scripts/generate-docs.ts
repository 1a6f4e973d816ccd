// Writes docs/events.md from the catalogue, and docs/schema/ from the schemas of the --json outputs.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { endings, facts, spans, streamedOnly } from '../src/events/catalogue.ts'
import { jsonOutputs } from './json-outputs.ts'

const docs = join(import.meta.dirname, '..', 'docs')

/** The pages, by path under docs/. */
export function generatedDocs(): ReadonlyMap<string, string> {
  const schemas = Object.entries(jsonOutputs).map(([name, schema]): [string, string] => [
    `schema/${name}.json`,
    `${JSON.stringify(z.toJSONSchema(schema), null, 2)}\n`,
  ])
  return new Map([['events.md', eventsPage()], ...schemas])
}

if (process.argv[1] === import.meta.filename) {
  rmSync(join(docs, 'schema'), { recursive: true, force: true })
  mkdirSync(join(docs, 'schema'), { recursive: true })
  for (const [path, content] of generatedDocs()) writeFileSync(join(docs, path), content)
}

function eventsPage(): string {
  const spanRows = Object.entries(spans).flatMap(([kind, { started, completed }]) => [
    row(`${kind}.started`, started),
    row(`${kind}.completed`, completed),
  ])
  return `# Events

This page lists every event of a run with its fields. It is generated from \`src/events/catalogue.ts\` by \`npm run docs\`.

Every event has \`id\`, \`type\`, \`timestamp\`, \`correlationId\` (the run), \`causationId\` (the span it belongs to; followed
upwards it reaches \`run.created\`), \`agent\`, \`payload\`, and, once stored, \`position\`, which counts from 1 within its run.
Streams add \`runId\` and \`threadId\` to each line. Events of the engine's own life (\`bootstrap.*\`, \`ingest.*\`,
\`shutdown.*\`) carry the engine's id instead of a run's, lead to \`bootstrap.started\`, and are not stored.

## Spans

A span is a unit of work. It starts once and ends once for each attempt: completed, failed or interrupted.

| event | payload |
|---|---|
${spanRows.join('\n')}
${row('*.failed', endings.failed)}
${row('*.interrupted', endings.interrupted)}

## Facts

A fact is a moment. Some are never stored: ${[...streamedOnly].map((type) => `\`${type}\``).join(', ')};
\`claim.fallen\` and \`group.*\`, which belong to no run ([tables.md](tables.md#follow-a-table)); and \`status.changed\`
\`{from, to, trigger, tool?, error?}\`, which is derived from the others: \`tool\` names what waits for approval or what the run
failed of.

| event | payload |
|---|---|
${Object.entries(facts)
  .map(([type, schema]) => row(type, schema))
  .join('\n')}
`
}

function row(type: string, schema: z.ZodType): string {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { unrepresentable: 'any' })
  const fields = Object.entries(properties).map(([name, field]) => {
    const optional = required.includes(name) ? '' : '?'
    return `\`${name}${optional}\`: ${describe(field)}`
  })
  return `| \`${type}\` | ${fields.join(' · ') || '–'} |`
}

type JsonSchema = z.core.JSONSchema.BaseSchema

function describe(field: z.core.JSONSchema._JSONSchema): string {
  if (typeof field === 'boolean') return 'anything'
  if (field.const !== undefined) return JSON.stringify(field.const)
  if (field.enum) return field.enum.map((value) => JSON.stringify(value)).join(' or ')
  const either = field.anyOf as readonly JsonSchema[] | undefined
  if (either) return either.map(describe).join(' or ')
  if (field.type === 'array') return `list of ${describe(field.items as JsonSchema)}`
  if (field.type === 'object') return field.properties ? `{ ${Object.keys(field.properties).join(', ')} }` : 'object'
  return [field.type ?? 'anything'].flat().join(' or ')
}
