import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { packageRoot } from './config.ts'
import { PromptInvalid } from './errors.ts'
import { parseYaml } from './yaml.ts'

const frontMatter = z.strictObject({ id: z.string(), version: z.number(), inputs: z.array(z.string()) })

/** A prompt file: what it is called, which variables it needs, and its two parts. */
export interface Prompt extends z.output<typeof frontMatter> {
  readonly system: string
  readonly user: string
}

/** A prompt with its variables filled in. */
export interface RenderedPrompt {
  readonly id: string
  readonly version: number
  readonly system: string
  readonly user: string
}

/**
 * Reads `<name>.md` from the person's own folder, if it is there, else from the package. The file is front matter
 * (`id`, `version`, `inputs`), then `# System` and `# User`. Throws `PromptInvalid`.
 */
export function loadPrompt(name: string, ownFolder: string | null = null): Prompt {
  const candidates = [...(ownFolder ? [ownFolder] : []), join(packageRoot(), 'prompts')].map((dir) =>
    join(dir, `${name}.md`),
  )
  const path = candidates.find((each) => existsSync(each))
  if (!path) throw new PromptInvalid(`There is no prompt file ${name}.md in ${candidates.join(' or ')}`)
  return parsePrompt(readFileSync(path, 'utf8'), path)
}

/** Fills `{{variables}}`; each that the file declares must be given. Throws `PromptInvalid`. */
export function renderPrompt(prompt: Prompt, variables: Readonly<Record<string, string>>): RenderedPrompt {
  const missing = prompt.inputs.filter((name) => variables[name] === undefined)
  if (missing.length > 0)
    throw new PromptInvalid(`Prompt "${prompt.id}" is not given its variable ${missing.join(', ')}`)
  const fill = (template: string) => template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => variables[name] ?? '')
  return { id: prompt.id, version: prompt.version, system: fill(prompt.system), user: fill(prompt.user) }
}

function parsePrompt(content: string, path: string): Prompt {
  const parts = /^---\n([\s\S]*?)\n---\n[\s\S]*?^# System\n([\s\S]*?)^# User\n([\s\S]*)$/m.exec(
    content.replaceAll('\r\n', '\n'),
  )
  if (!parts) throw new PromptInvalid(`${path} must hold front matter, then "# System", then "# User"`)
  const [, header = '', system = '', user = ''] = parts
  const meta = frontMatter.safeParse(parseHeader(header, path))
  if (!meta.success) throw new PromptInvalid(`${path}: ${z.prettifyError(meta.error)}`)
  const used = [...`${system}${user}`.matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name)
  const undeclared = used.filter((name) => !meta.data.inputs.includes(name))
  if (undeclared.length > 0) throw new PromptInvalid(`${path} uses {{${undeclared[0]}}}, which its inputs do not name`)
  return { ...meta.data, system: system.trim(), user: user.trim() }
}

function parseHeader(header: string, path: string): unknown {
  try {
    return parseYaml(header)
  } catch (error) {
    throw new PromptInvalid(`${path}: its front matter is not YAML: ${error instanceof Error ? error.message : error}`)
  }
}
