import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { packageRoot } from './config.ts'
import { PromptInvalid } from './errors.ts'
import { Fenced, fencedText } from './fenced.ts'
import { problemsIn } from './options.ts'
import { parseYaml } from './yaml.ts'

const frontMatter = z.strictObject({ id: z.string(), version: z.number(), inputs: z.array(z.string()) })

/** The name and version of a prompt in Langfuse. */
export interface LangfuseVersion {
  readonly name: string
  readonly version: number
}

/** A prompt file: its id, version, variables and two parts. */
export interface Prompt extends z.output<typeof frontMatter> {
  readonly system: string
  readonly user: string
  /** Set where the two parts come from Langfuse. */
  readonly langfuse?: LangfuseVersion
}

/** A prompt with its variables filled in. */
export type RenderedPrompt = Omit<Prompt, 'inputs'>

/**
 * Reads `<name>.md` from the person's own folder, if it is there, else from the package. The file is front matter
 * (`id`, `version`, `inputs`), then `# System` and `# User`. Throws `PromptInvalid`.
 */
export function loadPrompt(name: string, ownFolder: string | null = null): Prompt {
  const path = promptPath(name, ownFolder)
  return parsePrompt(readFileSync(path, 'utf8'), path)
}

/** Where the file of a prompt is. Throws `PromptInvalid` if there is none. */
export function promptPath(name: string, ownFolder: string | null = null): string {
  const candidates = [...(ownFolder ? [ownFolder] : []), join(packageRoot(), 'prompts')].map((dir) =>
    join(dir, `${name}.md`),
  )
  const path = candidates.find((each) => existsSync(each))
  if (path) return path
  throw new PromptInvalid(`There is no prompt file ${name}.md in ${candidates.join(' or ')}`)
}

/** What fills a variable: a text, which is fenced, or a part of the prompt whose foreign texts are fenced already. */
export type PromptVariables = Readonly<Record<string, string | Fenced>>

/** Fills `{{variables}}`; each that the file declares must be given. Throws `PromptInvalid`. */
export function renderPrompt({ inputs, ...prompt }: Prompt, variables: PromptVariables): RenderedPrompt {
  const missing = inputs.filter((name) => variables[name] === undefined)
  if (missing.length > 0)
    throw new PromptInvalid(`Prompt "${prompt.id}" is not given its variable ${missing.join(', ')}`)
  const fill = (template: string) => template.replace(variable, (_, name: string) => filled(variables[name] ?? ''))
  return { ...prompt, system: fill(prompt.system), user: fill(prompt.user) }
}

function filled(value: string | Fenced): string {
  return value instanceof Fenced ? value.text : fencedText(value)
}

/** The names of the variables that a template uses, each once. */
export function variablesIn(template: string): readonly string[] {
  return [...new Set([...template.matchAll(variable)].map(([, name = '']) => name))]
}

const variable = /\{\{(\w+)\}\}/g

function parsePrompt(content: string, path: string): Prompt {
  const parts = between(['---', '---', '# System', '# User'], content.split(/\r?\n/))
  if (!parts) throw new PromptInvalid(`${path} must hold front matter, then "# System", then "# User"`)
  const [, header = '', , system = '', user = ''] = parts
  const meta = frontMatter.safeParse(parseHeader(header, path))
  if (!meta.success) throw new PromptInvalid(`${path}: ${problemsIn(meta.error)}`)
  const undeclared = variablesIn(`${system}${user}`).filter((name) => !meta.data.inputs.includes(name))
  if (undeclared.length > 0) throw new PromptInvalid(`${path} uses {{${undeclared[0]}}}, which its inputs do not name`)
  return { ...meta.data, system: system.trim(), user: user.trim() }
}

/** The text before, between and after these lines; null unless all are there, in this order. */
function between(marks: readonly string[], lines: readonly string[]): readonly string[] | null {
  const parts: string[] = []
  let from = 0
  for (const mark of marks) {
    const at = lines.indexOf(mark, from)
    if (at < 0) return null
    parts.push(lines.slice(from, at).join('\n'))
    from = at + 1
  }
  return [...parts, lines.slice(from).join('\n')]
}

function parseHeader(header: string, path: string): unknown {
  try {
    return parseYaml(header)
  } catch (error) {
    throw new PromptInvalid(`${path}: its front matter is not YAML: ${error instanceof Error ? error.message : error}`)
  }
}
