import { Parser } from 'htmlparser2'
import { DocumentUnreadable } from '../../../errors.ts'

type Handler = ConstructorParameters<typeof Parser>[0]
type Options = ConstructorParameters<typeof Parser>[1]

/** At each tag the parser moves the list of all elements that are open. No file that a person made nests so deep. */
const deepest = 25_000

/**
 * A parser of HTML or XML for one text. Its `end` throws `DocumentUnreadable` (`malformed_file`) at the 25,001st element
 * within others.
 */
export function markupParser(handler: NonNullable<Handler>, options?: Options): Parser {
  let depth = 0
  return new Parser(
    {
      ...handler,
      onopentag(...tag) {
        depth += 1
        if (depth > deepest) throw tooDeep()
        handler.onopentag?.(...tag)
      },
      onclosetag(...tag) {
        depth -= 1
        handler.onclosetag?.(...tag)
      },
    },
    options,
  )
}

function tooDeep(): DocumentUnreadable {
  const count = deepest.toLocaleString('en')
  return new DocumentUnreadable(
    'malformed_file',
    `More than ${count} of its elements lie within each other. Export it again`,
  )
}
