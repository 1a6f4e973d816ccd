import { fact, type Hooks, type Payloads } from '../../events/index.ts'
import { unlessAborted } from '../../events/stopping.ts'

/**
 * Logs the prompts of a run before anything else. A resumed run keeps those it began with; one that began without any
 * keeps the files.
 */
export function choosePrompts(choose: () => Promise<Payloads['prompts.chosen']>): Hooks {
  return {
    name: 'prompts',
    run: async (request, next, context) => {
      const hasBegun = context.log?.().some(({ type }) => type === 'prompts.chosen' || type === 'model.started')
      if (!hasBegun) await fact(context, 'prompts.chosen', await unlessAborted(choose(), context.signal))
      return next(request)
    },
  }
}
