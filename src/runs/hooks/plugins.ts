import { asError, HookFailed, UsageError } from '../../errors.ts'
import { type Hooks, spanKinds, unlessAborted, unnamed } from '../../events/index.ts'
import type { Plugin } from './lifecycle.ts'
import { endingHooks, lifecycleHooks } from './lifecycle-hooks.ts'
import { momentNames } from './moments.ts'

const names: readonly string[] = [...momentNames, ...spanKinds]

/** The plugins of the option `hooks`: one, a list, or none. Throws `UsageError` for anything else. */
export function pluginsFrom(given: unknown): readonly Plugin[] {
  const list = given === undefined ? [] : Array.isArray(given) ? given : [given]
  return list.map(check)
}

/** The span hooks of plugins, in the order given: first those for the ends of runs, then all others. */
export function hooksOf(plugins: readonly Plugin[]): readonly Hooks[] {
  const hasOneOf = (names: readonly string[]) => (plugin: Plugin) =>
    names.some((name) => Reflect.get(plugin, name) !== undefined)
  const [hasMoments, hasSpans] = [hasOneOf(momentNames), hasOneOf(spanKinds)]
  const others = plugins.flatMap((plugin) => [
    ...(hasMoments(plugin) ? [lifecycleHooks(plugin)] : []),
    ...(hasSpans(plugin) ? [plugin] : []),
  ])
  return [...plugins.filter(hasMoments).map(endingHooks), ...others]
}

/** Calls `onReady` of every plugin. Throws `HookFailed`, with the plugin's name. */
export async function tellReady(plugins: readonly Plugin[], signal: AbortSignal): Promise<void> {
  for (const { name, onReady } of plugins) {
    try {
      await unlessAborted(Promise.resolve(onReady?.()), signal)
    } catch (cause) {
      signal.throwIfAborted()
      throw failure('onReady', name, cause)
    }
  }
}

/** Calls `onShutdown` of every plugin, and waits for them until `overdue` is aborted. */
export async function tellShutdown(plugins: readonly Plugin[], overdue: AbortSignal): Promise<void> {
  const outcomes = await unlessOverdue(
    Promise.allSettled(plugins.map(async ({ onShutdown }) => onShutdown?.())),
    overdue,
  )
  const at = outcomes?.findIndex(({ status }) => status === 'rejected') ?? -1
  const failed = outcomes?.[at]
  if (failed?.status === 'rejected') throw failure('onShutdown', plugins[at]?.name, failed.reason)
}

/** The result of the work; undefined if it comes after `overdue`. Work that is already done is never late. */
export function unlessOverdue<T>(work: Promise<T>, overdue: AbortSignal): Promise<T | undefined> {
  const late = new Promise<undefined>((resolve) => {
    const stopWaiting = () => setImmediate(resolve, undefined)
    if (overdue.aborted) stopWaiting()
    else overdue.addEventListener('abort', stopWaiting, { once: true })
  })
  return Promise.race([work, late])
}

function failure(moment: string, name = unnamed, cause: unknown): HookFailed {
  return new HookFailed(`${moment} of "${name}" failed: ${asError(cause).message}`, { cause })
}

function check(plugin: unknown): Plugin {
  if (typeof plugin !== 'object' || plugin === null) throw refusal(`${describe(plugin)} is no bundle of hooks`)
  const problem = Object.entries(plugin).map(faultOfHook).find(Boolean)
  if (problem) throw refusal(problem)
  return plugin
}

function faultOfHook([key, value]: readonly [string, unknown]): string | null {
  if (key === 'name') return value === undefined || typeof value === 'string' ? null : '"name" must be a text'
  if (!names.includes(key)) return `there is no hook "${key}"`
  return value === undefined || typeof value === 'function' ? null : `"${key}" must be a function`
}

function refusal(problem: string): UsageError {
  const all = names.join(', ')
  return new UsageError(`hooks: ${problem}. Give an object of hooks, or a list of them; the names are ${all}.`)
}

function describe(value: unknown): string {
  return value === null ? 'null' : typeof value === 'function' ? 'a function without a name' : JSON.stringify(value)
}
