import { UsageError } from '../errors.ts'
import { type Hooks, spanKinds } from '../events/index.ts'
import type { Plugin } from './lifecycle.ts'
import { lifecycleHooks } from './lifecycle-hooks.ts'

const moments = [
  'onReady',
  'afterUserInput',
  'beforeModel',
  'afterModel',
  'beforeRound',
  'beforeTool',
  'onError',
  'afterTool',
  'afterRound',
  'onComplete',
  'onShutdown',
] as const

/** The plugins in what a caller gave: one, a list, or nothing. Throws `UsageError` for anything else. */
export function pluginsFrom(given: unknown): readonly Plugin[] {
  const list = given === undefined ? [] : Array.isArray(given) ? given : [given]
  return list.map(check)
}

/** The hooks around spans that plugins stand for, in the order given. */
export function hooksOf(plugins: readonly Plugin[]): readonly Hooks[] {
  return plugins.flatMap((plugin) => {
    const hasMoments = moments.some((moment) => plugin[moment] !== undefined)
    const hasSpans = spanKinds.some((kind) => plugin[kind] !== undefined)
    return [...(hasMoments ? [lifecycleHooks(plugin)] : []), ...(hasSpans ? [plugin] : [])]
  })
}

function check(plugin: unknown): Plugin {
  if (typeof plugin !== 'object' || plugin === null) throw refusal(`${describe(plugin)} is no bundle of hooks`)
  const problem = Object.entries(plugin).map(problemOf).find(Boolean)
  if (problem) throw refusal(problem)
  return plugin
}

function problemOf([key, value]: readonly [string, unknown]): string | null {
  if (key === 'name') return value === undefined || typeof value === 'string' ? null : '"name" must be a text'
  if (!isHookName(key)) return `there is no hook "${key}"`
  return value === undefined || typeof value === 'function' ? null : `"${key}" must be a function`
}

function refusal(problem: string): UsageError {
  const names = [...moments, ...spanKinds].join(', ')
  return new UsageError(`hooks: ${problem}. Give an object of hooks, or a list of them; the names are ${names}.`)
}

function isHookName(key: string): boolean {
  return [...moments, ...spanKinds].some((name) => name === key)
}

function describe(value: unknown): string {
  return value === null ? 'null' : typeof value === 'function' ? 'a function without a name' : JSON.stringify(value)
}
