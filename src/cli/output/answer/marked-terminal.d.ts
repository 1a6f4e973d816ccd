// The package has no types; this declares the part that is used.
declare module 'marked-terminal' {
  import type { MarkedExtension } from 'marked'

  export function markedTerminal(options: Readonly<Record<string, unknown>>): MarkedExtension
}
