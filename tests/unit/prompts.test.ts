import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PromptInvalid } from '../../src/errors.ts'
import { fencedText } from '../../src/fenced.ts'
import { loadPrompt, type Prompt, renderPrompt } from '../../src/prompts.ts'
import { temporaryFolder } from '../fixtures/workflow.ts'

const names = ['orchestrator', 'clarification', 'research', 'synthesis']
const own =
  '---\nid: mine\nversion: 2\ninputs: [question]\n---\nWhat it is for.\n\n# System\nBe brief.\n\n# User\n{{question}}\n'

/** Loads `research` from a folder of one's own that holds this file. */
async function loadOwn(content: string, name = 'research'): Promise<Prompt> {
  const folder = await temporaryFolder()
  await writeFile(join(folder, `${name}.md`), content)
  return loadPrompt(name, folder)
}

describe('a prompt', () => {
  it.each(names)('of the %s is a file with front matter: id, version, inputs', { tags: ['R31'] }, (name) => {
    const prompt = loadPrompt(name)
    expect(prompt).toMatchObject({
      id: name,
      version: expect.any(Number),
      inputs: expect.arrayContaining(['history', 'question']),
    })
    const filled = renderPrompt(prompt, Object.fromEntries(prompt.inputs.map((input) => [input, `(${input})`])))
    for (const input of prompt.inputs) expect(filled.system + filled.user).toContain(`(${input})`)
    expect(filled.system + filled.user).not.toContain('{{')
  })

  it('is an error when a variable is missing, by name', { tags: ['R31'] }, () => {
    const prompt = loadPrompt('research')
    expect(() => renderPrompt(prompt, { question: 'q', tools: '' })).toThrow(PromptInvalid)
    expect(() => renderPrompt(prompt, { question: 'q', tools: '' })).toThrow(
      '"research" is not given its variable history',
    )
  })

  it('of one’s own takes the place of the package’s, which is taken where there is none', {
    tags: ['R31'],
  }, async () => {
    const prompt = await loadOwn(own)
    expect(prompt).toEqual({ id: 'mine', version: 2, inputs: ['question'], system: 'Be brief.', user: '{{question}}' })
    expect(renderPrompt(prompt, { question: 'Why?', history: 'unused' })).toEqual({
      id: 'mine',
      version: 2,
      system: 'Be brief.',
      user: 'Why?',
    })
    expect(loadPrompt('research', await temporaryFolder()).id).toBe('research')
    expect(await loadOwn(own.replaceAll('\n', '\r\n'))).toEqual(prompt)
  })

  it.each([
    ['has no front matter', '# System\na\n# User\nb\n', /must hold front matter/],
    ['has no user part', own.replace('# User', '## User'), /must hold front matter/],
    ['lacks its version', own.replace('version: 2\n', ''), /version/],
    ['has more in its front matter', own.replace('id: mine', 'id: mine\nmodel: x'), /model/],
    ['has front matter that is not YAML', own.replace('id: mine', 'id: [mine'), /not YAML/],
    ['uses a variable that it does not name', own.replace('Be brief.', '{{tone}}'), /\{\{tone\}\}/],
  ])('is refused, with its path, when it %s', { tags: ['R31'] }, async (_, content, problem) => {
    const loading = loadOwn(content)
    await expect(loading).rejects.toThrow(PromptInvalid)
    await expect(loading).rejects.toThrow(problem)
    await expect(loading).rejects.toThrow('research.md')
  })

  it('is refused when there is none of the name', () => {
    expect(() => loadPrompt('poetry', '/nowhere')).toThrow(
      'There is no prompt file poetry.md in /nowhere/poetry.md or ',
    )
  })

  it('takes what is filled in as it is, fenced: no variable in it is filled again, no sign has a meaning', () => {
    const prompt = { id: 'p', version: 2, inputs: ['a', 'b'], system: '{{a}}', user: '{{a}}|{{b}}' }
    const text = fc.oneof(fc.string(), fc.constantFrom('{{b}}', '$&', '$1', '{{a}}', '\\'))
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(renderPrompt(prompt, { a, b })).toMatchObject({
          system: fencedText(a),
          user: `${fencedText(a)}|${fencedText(b)}`,
        })
      }),
    )
  })
})
