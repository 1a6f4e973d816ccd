/** What is used of Citation.js, which has no types. */
declare module '@citation-js/core' {
  /** Reads data of a named format, such as "@ris/file". */
  export const plugins: { readonly input: { readonly data: (data: unknown, format: string) => unknown } }
}
declare module '@citation-js/plugin-bibtex'
declare module '@citation-js/plugin-ris'
