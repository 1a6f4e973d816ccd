// The package carries no types; this names what is used of it.
declare module 'marked-terminal' {
  import type { MarkedExtension } from 'marked'

  type Style = (text: string) => string
  export function markedTerminal(
    options: {
      readonly [style in
        | 'code'
        | 'blockquote'
        | 'html'
        | 'heading'
        | 'firstHeading'
        | 'hr'
        | 'listitem'
        | 'table'
        | 'paragraph'
        | 'strong'
        | 'em'
        | 'codespan'
        | 'del'
        | 'link'
        | 'href']?: Style
    } & {
      readonly emoji?: boolean
      readonly showSectionPrefix?: boolean
      readonly reflowText?: boolean
      readonly tab?: number
      readonly tableOptions?: { readonly style?: { readonly head?: readonly string[] } }
      readonly width?: number
    },
  ): MarkedExtension
}
