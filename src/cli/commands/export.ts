import { Option } from 'commander'
import { redactAll } from '../../redact.ts'
import { type FilterFlags, filterOf, filterOptions } from '../command/options.ts'
import { engineCommand } from '../shared/engine-command.ts'

export const exportReferences = engineCommand({
  name: 'export',
  readsOnly: true,
  description: 'print the documents as references, with the keys that citations name them by',
  options: [new Option('--bibtex', 'as BibTeX').makeOptionMandatory(), ...filterOptions()],
  examples: ['export --bibtex > library.bib', 'export --bibtex --tag finance --where "year>=2020"'],
  act: ({ library }, flags: FilterFlags) => library.list(filterOf(flags)),
  async show(documents, { output }) {
    const { bibtexOf } = await import('../../claims/export/references.ts')
    output.stdoutAsIs.write(bibtexOf(redactAll(documents, output.hide)))
  },
})
