import { fact, type Hooks, type Payloads } from '../../events/index.ts'
import { unlessAborted } from '../../events/stopping.ts'

/**
 * Puts the prompts that a run is to use into its log before anything else is done. A run that is resumed keeps those it
 * began with; one that began without any keeps the files.
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
